// Which models of its group a key may call.

import { useId, useState } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { Segments } from '../../ui/form/choices.tsx'
import { Checkbox, TextField } from '../../ui/form/field.tsx'

type ModelChoiceProps = {
  /** Those of the group. */
  models: readonly string[]
  /** null: all. */
  chosen: readonly string[] | null
  onChange(chosen: readonly string[] | null): void
  error: string | undefined
  /** What the choice of all is called, where they are not those of a group. */
  all?: string
}

/** With fewer models a filter is not needed. */
const FILTER_FROM = 10

export function ModelChoice({ models, chosen, onChange, error, all: allLabel }: ModelChoiceProps) {
  const t = useTexts().keys.form
  const [filter, setFilter] = useState('')
  const id = useId()
  // Models that the group no longer offers stay in the list while they are chosen.
  const all = [...new Set([...models, ...(chosen ?? [])])].sort()
  const shown = all.filter((model) => model.toLowerCase().includes(filter.trim().toLowerCase()))
  const toggle = (model: string, isChosen: boolean) =>
    onChange(isChosen ? [...(chosen ?? []), model] : (chosen ?? []).filter((each) => each !== model))
  return (
    <div className="flex flex-col items-start gap-2">
      <span className="font-medium">{t.models}</span>
      <Segments
        label={t.models}
        value={chosen === null ? 'all' : 'some'}
        onChange={(value) => onChange(value === 'all' ? null : [])}
        options={[
          { value: 'all', label: allLabel ?? t.allModels },
          { value: 'some', label: t.someModels },
        ]}
      />
      {chosen !== null && (
        <fieldset className="w-full min-w-0" aria-describedby={error ? id : undefined}>
          <legend className="sr-only">{t.chooseModels}</legend>
          {all.length >= FILTER_FROM && (
            <TextField
              label={t.filterModels}
              hideLabel
              placeholder={t.filterModels}
              value={filter}
              onChange={setFilter}
            />
          )}
          <div className="mt-2 flex max-h-48 flex-col gap-2 overflow-y-auto rounded-md border p-2">
            {shown.map((model) => (
              <Checkbox
                key={model}
                label={<span className="font-mono text-sm break-all">{model}</span>}
                checked={chosen.includes(model)}
                onChange={(isChosen) => toggle(model, isChosen)}
              />
            ))}
            {shown.length === 0 && <span className="text-muted">{t.noModels}</span>}
          </div>
          <div className="mt-1 text-sm text-muted" aria-live="polite">
            {t.chosenModels(chosen.length)}
          </div>
          {error && (
            <div id={id} role="alert" className="text-sm text-bad">
              {error}
            </div>
          )}
        </fieldset>
      )}
    </div>
  )
}
