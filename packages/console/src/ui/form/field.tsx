// Form fields: a label, the control, a hint and an error beside it.

import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { classes } from '../classes.ts'
import { Icon } from '../icons.tsx'

type FieldTexts = {
  label: string
  /** Always visible, also before typing. */
  hint?: ReactNode
  error?: string | undefined
  optional?: boolean
  /** Beside the label, such as a link. */
  aside?: ReactNode
  /** The label is for screen readers only. */
  hideLabel?: boolean
}

type ControlProps = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }

/** Frames any control: `<Field label="Name">{(props) => <input {...props} />}</Field>` */
export function Field(props: FieldTexts & { children: (control: ControlProps) => ReactNode }) {
  const { label, hint, error, optional = false, aside, hideLabel = false, children } = props
  const { common } = useTexts()
  const id = useId()
  const describedBy = error ? `${id}-error` : hint ? `${id}-hint` : ''
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className={classes('flex items-baseline justify-between gap-2', hideLabel && 'sr-only')}>
        <label htmlFor={id} className="font-medium">
          {label}
          {optional && <span className="ml-2 text-sm font-normal text-muted">{common.optional}</span>}
        </label>
        {aside}
      </div>
      {children({
        id,
        ...(describedBy ? { 'aria-describedby': describedBy } : {}),
        ...(error ? { 'aria-invalid': true } : {}),
      })}
      {hint && !error && (
        <div id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} role="alert" className="flex items-start gap-1 text-sm text-bad">
          <span className="mt-0.5">
            <Icon name="warning" />
          </span>
          {error}
        </div>
      )}
    </div>
  )
}

export const CONTROL =
  'w-full min-w-0 rounded-md border border-edge bg-surface text-ink disabled:opacity-60 aria-invalid:border-bad aria-invalid:outline-bad'
const LINE = 'h-8 px-2 pointer-coarse:h-10'

type Value = { value: string; onChange(value: string): void }
type Plain<T extends 'input' | 'select' | 'textarea'> = Omit<
  ComponentProps<T>,
  'value' | 'onChange' | 'className' | 'id'
>

export function TextField({
  value,
  onChange,
  label,
  hint,
  error,
  optional,
  aside,
  hideLabel,
  ...rest
}: FieldTexts & Value & Plain<'input'>) {
  return (
    <Field {...texts({ label, hint, error, optional, aside, hideLabel })}>
      {(control) => (
        <input
          {...rest}
          {...control}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={classes(CONTROL, LINE)}
        />
      )}
    </Field>
  )
}

/** With a button that shows what is typed. */
export function PasswordField({
  value,
  onChange,
  label,
  hint,
  error,
  aside,
  ...rest
}: FieldTexts & Value & Plain<'input'>) {
  const { common } = useTexts()
  const [isShown, setShown] = useState(false)
  return (
    <Field {...texts({ label, hint, error, aside })}>
      {(control) => (
        <div className="relative">
          <input
            {...rest}
            {...control}
            type={isShown ? 'text' : 'password'}
            autoCapitalize="none"
            spellCheck={false}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className={classes(CONTROL, LINE, 'pr-16')}
          />
          <button
            type="button"
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
            className="absolute inset-y-0 right-0 rounded-md px-3 text-sm text-muted hover:text-ink"
          >
            {isShown ? common.hidePassword : common.showPassword}
            <span className="sr-only"> {label}</span>
          </button>
        </div>
      )}
    </Field>
  )
}

export function TextArea({
  value,
  onChange,
  label,
  hint,
  error,
  optional,
  hideLabel,
  rows = 4,
  ...rest
}: FieldTexts & Value & Plain<'textarea'>) {
  return (
    <Field {...texts({ label, hint, error, optional, hideLabel })}>
      {(control) => (
        <textarea
          {...rest}
          {...control}
          rows={rows}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={classes(CONTROL, 'block resize-y px-2 py-1.5')}
        />
      )}
    </Field>
  )
}

/** `group`: a heading for it and the options beside it that have the same. */
export type Option = { value: string; label: string; disabled?: boolean; group?: string }

export function SelectField({
  value,
  onChange,
  options,
  label,
  hint,
  error,
  optional,
  hideLabel,
  ...rest
}: FieldTexts & Value & { options: readonly Option[] } & Plain<'select'>) {
  return (
    <Field {...texts({ label, hint, error, optional, hideLabel })}>
      {(control) => (
        <div className="relative">
          <select
            {...rest}
            {...control}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className={classes(CONTROL, LINE, 'appearance-none truncate pr-8')}
          >
            {[...new Set(options.map(({ group }) => group))].map((group) => {
              const members = optionsOf(options.filter((option) => option.group === group))
              return group === undefined ? (
                members
              ) : (
                <optgroup key={group} label={group}>
                  {members}
                </optgroup>
              )
            })}
          </select>
          <span className="pointer-events-none absolute inset-y-0 right-2 grid place-items-center text-muted">
            <Icon name="down" />
          </span>
        </div>
      )}
    </Field>
  )
}

const optionsOf = (options: readonly Option[]) =>
  options.map((option) => (
    <option key={option.value} value={option.value} disabled={option.disabled}>
      {option.label}
    </option>
  ))

export function Checkbox({
  checked,
  onChange,
  label,
  hint,
  disabled,
}: {
  checked: boolean
  onChange(checked: boolean): void
  label: ReactNode
  hint?: ReactNode
  disabled?: boolean
}) {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent pointer-coarse:size-5"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <div id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </div>
        )}
      </div>
    </div>
  )
}

/** Leaves out what is undefined, as exact optional properties demand. */
function texts(given: { [K in keyof FieldTexts]: FieldTexts[K] | undefined } & { label: string }): FieldTexts {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as FieldTexts
}
