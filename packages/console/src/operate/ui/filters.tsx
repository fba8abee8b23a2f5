// Filters as chips, which live in the URL. A chip is opened to change it; what is not set is behind one button.

import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Combobox, type UseChoices } from '../../ui/form/combobox.tsx'
import { type Option, SelectField, TextField } from '../../ui/form/field.tsx'
import { Menu } from '../../ui/overlay.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'

export type FilterField = {
  /** The name of the parameter in the URL. */
  name: string
  label: string
  /** One of a few. */
  options?: readonly Option[]
  /** One of many, which the server finds. */
  useChoices?: UseChoices
  /** How the value is shown, where it is not what was typed. */
  shown?: string
  placeholder?: string
}

/** `fields` must have the same names at every render. */
export function Filters({ fields }: { fields: readonly FilterField[] }) {
  const t = useOperateTexts().shell.filters
  const [defaults] = useState(() => Object.fromEntries([...fields.map(({ name }) => [name, '']), ['after', '']]))
  const [values, setValues] = useUrlState<Record<string, string>>(defaults)
  const [editing, setEditing] = useState<string>()
  const set = (name: string, value: string) => {
    setEditing(undefined)
    setValues({ [name]: value, after: '' })
  }
  const given = fields.filter(({ name }) => values[name] !== '' && name !== editing)
  const edited = fields.find(({ name }) => name === editing)
  const rest = fields.filter(({ name }) => values[name] === '' && name !== editing)
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      {given.map((field) => (
        <span key={field.name} className="inline-flex min-w-0 items-center rounded-md border border-edge/50 bg-surface">
          <button
            type="button"
            onClick={() => setEditing(field.name)}
            className="min-w-0 rounded-md py-1 pl-2 text-left text-sm wrap-anywhere hover:underline"
          >
            <span className="text-muted">{field.label}: </span>
            {shownOf(field, values[field.name] ?? '')}
          </button>
          <IconButton icon="close" label={t.remove(field.label)} onClick={() => set(field.name, '')} />
        </span>
      ))}
      {edited && (
        <Editor
          key={edited.name}
          field={edited}
          value={values[edited.name] ?? ''}
          onChange={(value) => set(edited.name, value)}
          onClose={() => setEditing(undefined)}
        />
      )}
      {rest.length > 0 && (
        <Menu
          movesFocus
          align="start"
          trigger={
            <Button small icon="plus">
              {t.add}
            </Button>
          }
          items={rest.map(({ name, label }) => ({ label, onSelect: () => setEditing(name) }))}
        />
      )}
      {given.length > 1 && (
        <Button small variant="quiet" onClick={() => setValues(defaults)}>
          {t.clear}
        </Button>
      )}
    </div>
  )
}

const shownOf = ({ options, shown }: FilterField, value: string): string =>
  shown ?? options?.find((option) => option.value === value)?.label ?? value

type EditorProps = { field: FilterField; value: string; onChange(value: string): void; onClose(): void }

/** One field, which has the focus; Enter sets the filter, and Escape leaves it as it was. */
function Editor({ field, value, onChange, onClose }: EditorProps) {
  const t = useOperateTexts().shell.filters
  const { common } = useTexts()
  const [typed, setTyped] = useState(value)
  const ref = useRef<HTMLFormElement>(null)
  // After the menu, which gives the focus back to its button when it closes.
  useEffect(() => {
    const frame = requestAnimationFrame(() => ref.current?.querySelector<HTMLElement>('input,select')?.focus())
    return () => cancelAnimationFrame(frame)
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChange(typed.trim())
  }
  const { label, options, useChoices, placeholder } = field
  return (
    <form
      ref={ref}
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
      className="flex min-w-56 items-end gap-1"
    >
      <div className="min-w-0 flex-1">
        {options ? (
          <SelectField
            hideLabel
            label={label}
            value={value}
            onChange={onChange}
            options={[{ value: '', label: `${label}: ${t.any}` }, ...options]}
          />
        ) : useChoices ? (
          <Combobox
            label={label}
            value={value}
            shown={field.shown ?? value}
            onChange={onChange}
            useChoices={useChoices}
          />
        ) : (
          <TextField hideLabel label={label} placeholder={placeholder ?? label} value={typed} onChange={setTyped} />
        )}
      </div>
      <IconButton icon="close" label={common.cancel} onClick={onClose} />
    </form>
  )
}
