// The state of a form whose fields are data: what is typed, what is wrong, and what is sent.

import { Fragment, type ReactNode, useState } from 'react'
import type { ApiError, Result } from '../../api/client.ts'
import { FieldEntry } from './field-entry.tsx'
import { type Entry, type Field, fieldsIn, isField, isFrame, type Shown, shownIn } from './fields.ts'
import { type Form, useForm } from './form.ts'
import type { FormErrors } from './form-errors.ts'
import { isEmpty, type Patch } from './patches.ts'
import { changesOf, fieldOf, firstOf, mistakesIn, requestOf, type Values } from './typed-values.ts'

type Steps<T> = {
  entries: readonly Entry[]
  /** What is there already. */
  of?: object
  /** Only what differs from what is there already is sent. */
  isChange?: boolean
  /** What is said if nothing is entered at all. */
  nothing?: string
  message(error: ApiError): string
  rejected?(error: ApiError): FormErrors<string> | undefined
  send(typed: Typed): Promise<Result<T>>
  done(value: T, typed: Typed): void
}

export type Typed = {
  body: Patch
  /** The body that takes it back. */
  inverse: Patch
  values: Values
  /** Those of the fields that are shown. */
  changed: readonly Field[]
}

export type FieldsForm = {
  form: Form<string>
  isTouched: boolean
  shown: ReactNode
  /** From now on, what is typed counts as what is there; or nothing is typed. */
  settle(isCleared: boolean): void
}

export function useFields<T>(steps: Steps<T>): FieldsForm {
  const { entries, of = {}, isChange = false } = steps
  const [first, setFirst] = useState<Values>(() =>
    Object.fromEntries(fieldsIn(entries).map((field) => [field.name, firstOf(field, of)])),
  )
  const [values, setValues] = useState(first)
  const fields = shownIn(entries, values)
  // The same for what is sent and for what is done then: times count from now.
  let typed: Typed | undefined
  const read = (): Typed => {
    typed ??= {
      body: (isChange ? changesOf : requestOf)(fields, first, values),
      inverse: changesOf(fields, values, first),
      values,
      changed: fields.filter(({ name }) => values[name] !== first[name]),
    }
    return typed
  }
  const form = useForm<string, T>({
    fields: [],
    check() {
      const mistakes = mistakesIn(fields, values)
      const isNothing = steps.nothing !== undefined && isEmpty(mistakes) && isEmpty(read().body)
      return isNothing ? { form: steps.nothing } : mistakes
    },
    send: () => steps.send(read()),
    // Beside its field, the message need not begin with its name.
    rejected(error) {
      const own = steps.rejected?.(error)
      if (own) return own
      const field = fieldOf(fields, values, error.param)
      const said = (field?.rejected ?? steps.message(error)).replace(`${error.param}: `, '')
      return { [field?.name ?? 'form']: said, ...(field && error.param ? { [error.param]: said } : {}) }
    },
    done: (value) => steps.done(value, read()),
  })
  const errors = form.errors as FormErrors<string> & Readonly<Record<string, string>>
  const set = (field: Field, value: unknown) => {
    const others = field.sets?.(String(value))
    setValues((former) => ({ ...former, [field.name]: value, ...others }))
  }

  const show = (entry: Entry, index: number): ReactNode => {
    if (!isFrame(entry) && !isField(entry)) return <Fragment key={index}>{entry}</Fragment>
    if (entry.isShown?.(values) === false) return null
    if (isFrame(entry)) return <Fragment key={index}>{entry.frame(entry.fields.map(show))}</Fragment>
    const value = values[entry.name]
    if (entry.own)
      return (
        <Fragment key={entry.name}>
          {entry.own.show({ value, values, errors, onChange: (next) => set(entry, next) } satisfies Shown<unknown>)}
        </Fragment>
      )
    return (
      <Fragment key={entry.name}>
        <FieldEntry
          field={entry}
          isNew={!isChange}
          values={values}
          error={errors[entry.name]}
          onChange={(next) => set(entry, next)}
        />
        {entry.below?.(String(value), values)}
      </Fragment>
    )
  }
  return {
    form,
    isTouched: Object.keys(values).some((name) => values[name] !== first[name]),
    shown: entries.map(show),
    settle: (isCleared) => (isCleared ? setValues(first) : setFirst(values)),
  }
}
