// One field of a form, by what is said of it.

import { Checkbox, PasswordField, SelectField, TextArea, TextField } from './field.tsx'
import type { Field } from './fields.ts'
import type { Values } from './typed-values.ts'

type FieldEntryProps = {
  field: Field
  isNew: boolean
  values: Values
  onChange(value: unknown): void
  error: string | undefined
}

export function FieldEntry({ field, isNew, values, onChange, error }: FieldEntryProps) {
  const { name, label, as, hint, missing, usual, rows, autoComplete = 'off' } = field
  const value = String(values[name] ?? '')
  const shownHint = typeof hint === 'function' ? hint(value, values) : hint
  const isSelect = Array.isArray(as)
  const mayBeEmpty = isNew && missing === undefined && usual === undefined && !isSelect
  const given = {
    name,
    label,
    value,
    onChange,
    error,
    autoComplete,
    spellCheck: false,
    ...attributesOf(field),
    ...(shownHint ? { hint: shownHint } : {}),
    ...(field.hideLabel ? { hideLabel: true } : {}),
    ...((field.optional ?? mayBeEmpty) ? { optional: true } : {}),
    ...(field.isDisabled?.(values) ? { disabled: true } : {}),
  }
  if (as === 'switch')
    return (
      <Checkbox
        label={label}
        hint={shownHint}
        checked={value === 'true'}
        disabled={field.isDisabled?.(values) ?? false}
        onChange={(isOn) => onChange(String(isOn))}
      />
    )
  if (as === 'secret' || as === 'password') return <PasswordField {...given} />
  if (isSelect) return <SelectField {...given} options={as} />
  if (as === 'area' || as === 'lines' || as === 'secrets' || rows !== undefined)
    return <TextArea {...given} rows={rows ?? 3} />
  const mode = as === 'number' ? 'numeric' : as === 'amount' ? 'decimal' : undefined
  return <TextField {...given} {...(mode && { inputMode: mode })} {...(field.type && { type: field.type })} />
}

const ATTRIBUTES = ['placeholder', 'maxLength', 'autoCapitalize', 'autoFocus', 'aside'] as const
const attributesOf = (field: Field) =>
  Object.fromEntries(ATTRIBUTES.flatMap((name) => (field[name] === undefined ? [] : [[name, field[name]]])))
