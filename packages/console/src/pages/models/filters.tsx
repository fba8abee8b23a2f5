import { useId, useState } from 'react'
import type { ModelRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Segments, Toggles } from '../../ui/form/choices.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { SearchField } from '../../ui/search.tsx'
import { CAPABILITIES, countFilters, type Filters, OTHER, readCapabilities, vendorsOf } from './choose.ts'
import { PriceFilter } from './price-filter.tsx'

type FilterBarProps = {
  /** All that the reader may call. */
  models: readonly ModelRow[]
  filters: Filters
  onChange(change: Partial<Filters>): void
}

/** On small screens the less common filters are behind a button, so that the models begin on the first screen. */
export function FilterBar({ models, filters, onChange }: FilterBarProps) {
  const t = useTexts().models
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const count = countFilters(filters)
  return (
    <div className="mb-4 flex flex-wrap items-center gap-3">
      <SearchField label={t.search} value={filters.name} onChange={(name) => onChange({ name })} />
      <Segments
        label={t.type}
        value={filters.type}
        // A price is per token, image or second: another type has other units.
        onChange={(type) => onChange({ type, max: '', unit: '' })}
        options={Object.entries(t.types).map(([type, label]) => ({ value: type === 'all' ? '' : type, label }))}
      />
      <span className="ml-auto wide:hidden">
        <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {count === 0 ? t.filters : t.filtersSet(count)}
        </Button>
      </span>
      <div id={id} className={classes('w-full flex-wrap items-center gap-3 wide:contents', isOpen ? 'flex' : 'hidden')}>
        <div className="flex gap-3 max-wide:w-full max-wide:*:flex-1 wide:contents">
          <SelectField
            label={t.vendor}
            hideLabel
            value={filters.vendor}
            onChange={(vendor) => onChange({ vendor })}
            options={[
              { value: '', label: t.allVendors },
              ...vendorsOf(models).map((value) => ({ value, label: value === OTHER ? t.otherVendors : value })),
            ]}
          />
          <SelectField
            label={t.sort}
            hideLabel
            value={filters.sort}
            onChange={(sort) => onChange({ sort })}
            options={Object.entries(t.sorts).map(([value, label]) => ({ value, label }))}
          />
        </div>
        <Toggles
          label={t.supports}
          values={readCapabilities(filters.capabilities)}
          onChange={(values) => onChange({ capabilities: values.join(',') })}
          options={CAPABILITIES.map((value) => ({ value, label: t.capabilities[value] }))}
        />
        <PriceFilter models={models} filters={filters} onChange={onChange} />
      </div>
    </div>
  )
}
