import { useId } from 'react'
import type { ModelRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { classes } from '../../ui/classes.ts'
import { CONTROL, SelectField } from '../../ui/form/field.tsx'
import { useTyped } from '../../ui/search.tsx'
import { type Filters, unitsFor } from './choose.ts'
import { chosenUnit, labelOf, readAmount } from './prices.ts'

type PriceFilterProps = {
  models: readonly ModelRow[]
  filters: Filters
  onChange(change: Partial<Filters>): void
}

/** "Up to 10 USD per million output tokens": prices of other units do not match, since they cannot be compared. */
export function PriceFilter({ models, filters, onChange }: PriceFilterProps) {
  const t = useTexts().models
  const id = useId()
  const units = unitsFor(models, filters.type)
  const unit = chosenUnit(units, filters.unit)
  const [typed, setTyped] = useTyped(filters.max, (max) => onChange({ max }))
  const isWrong = typed !== '' && readAmount(typed) === undefined
  if (unit === undefined) return null
  return (
    <div className="flex flex-wrap items-center gap-2 max-wide:w-full">
      <label htmlFor={id}>{t.upTo}</label>
      <input
        id={id}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        inputMode="decimal"
        autoComplete="off"
        aria-invalid={isWrong || undefined}
        aria-label={t.maxPrice}
        className={classes(CONTROL, 'h-8 flex-1 px-2 wide:max-w-20 pointer-coarse:h-10')}
      />
      {units.length === 1 ? (
        <span>USD {labelOf(t.units, unit)}</span>
      ) : (
        <span className="max-wide:w-full">
          <SelectField
            label={t.unit}
            hideLabel
            value={unit}
            onChange={(next) => onChange({ unit: next })}
            options={units.map((value) => ({ value, label: `USD ${labelOf(t.units, value)}` }))}
          />
        </span>
      )}
    </div>
  )
}
