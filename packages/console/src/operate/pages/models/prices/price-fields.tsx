// Every figure of a price as a field, with the margin that it leaves.

import { useState } from 'react'
import { useTexts } from '../../../../i18n/language.tsx'
import { Button, IconButton } from '../../../../ui/button.tsx'
import { classes } from '../../../../ui/classes.ts'
import { CONTROL, TextField } from '../../../../ui/form/field.tsx'
import { Menu } from '../../../../ui/overlay.tsx'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { Margin, useFigureName } from './figures.tsx'
import { addableFigures, type Figures, type ModelType, marginOf } from './price-values.ts'

type PriceFieldsProps = {
  type: ModelType
  figures: Figures
  onChange(figures: Figures): void
  /** The costs of the routes that are tried first. undefined: not known, or not for this person. */
  costs?: Figures | undefined
  /** By path. */
  errors?: Readonly<Record<string, string>>
  /** What it is the price of, for screen readers. */
  of: string
}

/** Multiples, not amounts. */
const isMultiple = (path: string): boolean => /^(tiers\.[^.]+|draft|silent)$/.test(path)

export function PriceFields({ type, figures, onChange, costs, errors = {}, of }: PriceFieldsProps) {
  const t = useOperateTexts().models
  const { perMillion } = useTexts().models
  const name = useFigureName()
  const [other, setOther] = useState<string>()
  const paths = Object.keys(figures)
  const addable = addableFigures(type).filter((path) => !paths.includes(path))
  const add = (path: string) => onChange({ ...figures, [path]: '' })
  const remove = (path: string) =>
    onChange(Object.fromEntries(Object.entries(figures).filter(([each]) => each !== path)))
  const unitOf = (path: string) =>
    isMultiple(path) ? '×' : /^(per_|tools\.|variants\.)/.test(path) ? 'USD' : path.endsWith('above') ? '' : perMillion
  return (
    <div className="flex flex-col gap-2">
      {paths.map((path) => (
        <div key={path} className="flex flex-col">
          <div className="grid grid-cols-[minmax(0,1fr)_96px_72px_28px] items-center gap-2">
            <span className="min-w-0">
              <span className="wrap-anywhere">{name(path)}</span>
              <span className="block text-xs text-muted">{unitOf(path)}</span>
            </span>
            <input
              aria-label={t.figureOf(name(path), of)}
              aria-invalid={errors[path] ? true : undefined}
              inputMode="decimal"
              autoComplete="off"
              value={figures[path] ?? ''}
              onChange={(event) => onChange({ ...figures, [path]: event.target.value })}
              className={classes(CONTROL, 'h-8 px-2 text-right tabular-nums pointer-coarse:h-10')}
            />
            <span className="text-right text-sm">
              {costs && !isMultiple(path) && costs[path] !== undefined && (
                <Margin percent={marginOf(figures[path], costs[path])} />
              )}
            </span>
            <IconButton icon="trash" label={t.form.removeFigure(name(path))} onClick={() => remove(path)} />
          </div>
          {errors[path] && (
            <span role="alert" className="text-sm text-bad">
              {errors[path]}
            </span>
          )}
        </div>
      ))}
      <div className="flex flex-wrap items-end gap-2">
        <Menu
          align="start"
          trigger={
            <Button small icon="plus">
              {t.form.addFigure}
            </Button>
          }
          items={[
            ...addable.map((path) => ({ id: path, label: name(path), onSelect: () => add(path) })),
            { label: t.form.otherFigure, onSelect: () => setOther(''), hasLine: true },
          ]}
        />
        {other !== undefined && (
          <>
            <TextField
              hideLabel
              label={t.form.otherFigure}
              placeholder={type === 'text' ? 'tiers.batch' : 'variants.high'}
              value={other}
              onChange={setOther}
            />
            <Button
              small
              onClick={() => {
                if (/^[a-z_]+\.\S+$/.test(other.trim())) add(other.trim())
                setOther(undefined)
              }}
            >
              {t.form.add}
            </Button>
          </>
        )}
      </div>
    </div>
  )
}
