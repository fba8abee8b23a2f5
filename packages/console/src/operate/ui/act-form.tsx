// The form of one change of the admin API, by the name of its route: what is typed becomes the body, is checked by a dry run that shows
// mistakes beside their fields, and is confirmed as an act. Of a resource that is there already, only what differs is sent.

import { type ReactNode, useState } from 'react'
import { useFormGuard } from '../../app/leave-guard.tsx'
import { Checkbox, type Option, PasswordField, SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { type AnyChange, rehearse } from '../api/client.ts'
import { useVersion } from '../api/queries.ts'
import type { Body, ChangeMethod, Params, Path } from '../api/routes.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import { useAct } from './act.tsx'
import type { Act, AnyAct } from './act-types.ts'
import { useOperateError } from './errors.ts'

type Values = Readonly<Record<string, string>>
type Named<B> = keyof B & string

export type ActField<B = Record<string, unknown>> = {
  /** A field of the body, or one of an object in it: `timeouts.total`. */
  name: Named<B> | `${Named<B>}.${string}`
  label: string
  hint?: ReactNode
  placeholder?: string
  /** How it is entered: as one line of text, if absent. `lines` and `secrets` are lists; the names of several are its choices. */
  as?: 'secret' | 'secrets' | 'lines' | 'number' | 'switch' | readonly Option[]
  /** What a switch shows while it is not written. */
  usual?: boolean
  /** What is said if nothing is entered. Without it, the field is optional. */
  missing?: string
  isShown?(values: Values): boolean
}

type ActFormProps<M extends ChangeMethod, P extends Path<M>> = {
  method: M
  path: P
  params?: Params<M, P>
  /** The title of the form, and the label of its button. */
  title: string
  action?: string
  fields: readonly ActField<Body<M, P>>[]
  /** What is there already. */
  of?: Readonly<Record<string, unknown>>
  /** What is always sent, beside what is typed. */
  body?: Partial<Body<M, P>>
  /** What is asked before it is done, and said afterwards. */
  question: Omit<AnyAct, keyof AnyChange | 'undo'>
  /** The title of the act that takes it back. */
  undo?: string
  isLong?: boolean
  onClose(): void
  onDone?(result: unknown): void
}

export function ActForm<const M extends ChangeMethod, const P extends Path<M>>(props: ActFormProps<M, P>) {
  const { method, path, params, title, action, of = {}, body: fixed = {}, question, undo, isLong = false } = props
  const fields = props.fields as readonly ActField[]
  const t = useOperateTexts().acts
  const messageOf = useOperateError()
  const act = useAct()
  const [first] = useState<Values>(() => Object.fromEntries(fields.map((field) => [field.name, typed(field, of)])))
  const [values, setValues] = useState(first)
  const version = useVersion(method === 'PATCH' && params ? (path as never) : undefined, params)
  const close = useFormGuard(isLong && values !== first, props.onClose)
  const shown = fields.filter(({ isShown }) => isShown?.(values) ?? true)
  const changed = shown.filter(({ name }) => values[name] !== first[name])
  const change = (from: Values): AnyChange => ({
    method,
    path,
    ...(params ? { params } : {}),
    body: changed.reduce((body, field) => withPart(body, field.name, written(field, from)), { ...fixed }),
  })
  const form = useForm({
    fields: [],
    check: () =>
      Object.fromEntries(
        shown.filter(({ name, missing }) => missing && !values[name]?.trim()).map((each) => [each.name, each.missing]),
      ),
    send: () => rehearse(change(values)),
    // Beside its field, the message need not begin with its name.
    rejected: (error) => ({
      [fieldOf(shown, error.param) ?? 'form']: messageOf(error).replace(`${error.param}: `, ''),
    }),
    async done(rehearsed) {
      const isRevertible = undo !== undefined && changed.every(({ as }) => as !== 'secret' && as !== 'secrets')
      const asked: AnyAct = {
        ...change(values),
        ...question,
        rehearsed,
        version: await version(),
        ...(isRevertible ? { undo: { ...change(first), ...question, title: undo } } : {}),
      }
      const result = await act(asked as Act<M, P>)
      if (result === undefined) return
      props.onDone?.(result)
      props.onClose()
    },
  })
  const errors = form.errors as Values
  return (
    <FormDialog title={title} action={action ?? t.review} form={form} isLong={isLong} onClose={close}>
      {shown.map((field) => (
        <Entry
          key={field.name}
          field={field}
          isNew={method === 'POST'}
          value={values[field.name] ?? ''}
          onChange={(value) => setValues((former) => ({ ...former, [field.name]: value }))}
          error={errors[field.name]}
        />
      ))}
    </FormDialog>
  )
}

type EntryProps = {
  field: ActField
  isNew: boolean
  value: string
  onChange(value: string): void
  error: string | undefined
}

function Entry({ field, isNew, value, onChange, error }: EntryProps) {
  const { name, label, hint, as, placeholder, missing } = field
  const given = {
    name,
    label,
    value,
    onChange,
    error,
    ...(hint === undefined ? {} : { hint }),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(isNew && missing === undefined ? { optional: true } : {}),
    autoComplete: 'off',
    spellCheck: false,
  }
  if (as === 'switch')
    return <Checkbox label={label} hint={hint} checked={value === 'true'} onChange={(isOn) => onChange(String(isOn))} />
  if (as === 'secret') return <PasswordField {...given} />
  if (as === 'lines' || as === 'secrets') return <TextArea {...given} rows={3} />
  if (as === 'number' || as === undefined)
    return <TextField {...given} {...(as === 'number' ? { inputMode: 'numeric' as const } : {})} />
  return <SelectField {...given} options={as} />
}

/** As it is typed. */
function typed({ name, as, usual = false }: ActField, of: Readonly<Record<string, unknown>>): string {
  const value = name.split('.').reduce<unknown>((part, each) => Reflect.get(Object(part), each), of)
  if (as === 'secret' || as === 'secrets') return ''
  if (as === 'switch') return String(value ?? usual)
  if (Array.isArray(value)) return value.join('\n')
  return value === null || value === undefined ? '' : String(value)
}

/** As it is sent; null: nothing is written. */
function written({ name, as }: ActField, values: Values): unknown {
  const value = (values[name] ?? '').trim()
  if (as === 'switch') return value === 'true'
  if (as === 'lines' || as === 'secrets') return value === '' ? null : value.split(/\s*\n\s*/)
  if (value === '') return null
  return as === 'number' && /^\d+$/.test(value) ? Number(value) : value
}

function withPart(body: object, name: string, value: unknown): object {
  const [first = '', ...rest] = name.split('.')
  const part = rest.length === 0 ? value : withPart(Object(Reflect.get(body, first)), rest.join('.'), value)
  return { ...body, [first]: part }
}

/** The field that an error is about: `timeouts.total`, or `keys[0]` of `keys`. */
const fieldOf = (fields: readonly ActField[], param: string | null | undefined): string | undefined =>
  param
    ? fields.find(({ name }) => param === name || param.startsWith(`${name}[`) || param.startsWith(`${name}.`))?.name
    : undefined
