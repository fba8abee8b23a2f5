// A few choices, all of them visible.

import { useId } from 'react'
import { Icon } from '../icons.tsx'

/** One of them. */
export function Segments<T extends string>({
  label,
  value,
  onChange,
  options,
}: {
  label: string
  value: T
  onChange(value: T): void
  options: readonly { value: T; label: string }[]
}) {
  const name = useId()
  return (
    <fieldset className="inline-flex max-w-full flex-wrap rounded-md border border-edge/50 bg-surface p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="cursor-pointer rounded-sm px-2.5 py-0.5 text-muted select-none has-checked:bg-raised has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-link hover:text-ink pointer-coarse:py-2"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}

/** Any of them. The label stands before them. */
export function Toggles<T extends string>({
  label,
  values,
  onChange,
  options,
}: {
  label: string
  values: readonly T[]
  onChange(values: T[]): void
  options: readonly { value: T; label: string }[]
}) {
  const toggled = (value: T, isOn: boolean) =>
    options.map((option) => option.value).filter((each) => (each === value ? isOn : values.includes(each)))
  return (
    <fieldset className="flex max-w-full flex-wrap items-center gap-1">
      <legend className="float-left mr-1">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="inline-flex cursor-pointer items-center gap-1 rounded-md border border-edge/50 bg-surface px-2 py-1 text-muted select-none has-checked:border-accent has-checked:bg-accent-soft has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-link hover:text-ink pointer-coarse:py-2"
        >
          <input
            type="checkbox"
            checked={values.includes(option.value)}
            onChange={(event) => onChange(toggled(option.value, event.target.checked))}
            className="sr-only"
          />
          {values.includes(option.value) && <Icon name="check" />}
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
