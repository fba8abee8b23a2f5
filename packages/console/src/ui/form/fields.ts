// The fields of a form as data: what each is called, how it is entered, and where it stands.

import type { ComponentProps, ReactElement, ReactNode } from 'react'
import type { Option } from './field.tsx'
import type { OwnValue, Values } from './typed-values.ts'

export type Field<N extends string = string> = {
  /** Where it is in the body: `name`, or a part of an object in it, `timeouts.total`. With a plus: of the form alone. */
  name: N | `+${string}`
  label: string
  hint?: ReactNode | ((text: string, values: Values) => ReactNode) | undefined
  hideLabel?: boolean | undefined
  /** How it is entered: as one line of text, if absent. Lists are lines, or words; the names of several are its choices. */
  as?:
    | 'secret'
    | 'secrets'
    | 'password'
    | 'area'
    | 'lines'
    | 'words'
    | 'number'
    | 'amount'
    | 'switch'
    | readonly Option[]
    | undefined
  /** What is shown while nothing is written. */
  usual?: string | undefined
  /** What is said if nothing is entered. */
  missing?: string | undefined
  /** What is said if the API names this parameter, in place of its own words. */
  rejected?: string | undefined
  /** What is wrong with a text that is not empty. */
  wrong?: ((text: string, values: Values) => string | false | undefined) | undefined
  /** As it is sent. null: nothing is written. undefined: of a request, left out. */
  write?: ((text: string, values: Values) => unknown) | undefined
  isShown?: ((values: Values) => boolean) | undefined
  isDisabled?: ((values: Values) => boolean) | undefined
  /** Whether the label says that it may be left empty; by default, that of a new thing says so unless something must be entered. */
  optional?: boolean | undefined
  /** Other parameters whose errors stand here. */
  abouts?: readonly string[] | undefined
  /** Called when it is changed. Returns what becomes of other fields. */
  sets?: ((text: string) => Values | undefined) | undefined
  /** Stands below it. */
  below?: ((text: string, values: Values) => ReactNode) | undefined
  /** Beside the label, such as a link. */
  aside?: ReactNode
  own?: OwnEntry | undefined
  rows?: number | undefined
} & Pick<
  ComponentProps<'input'>,
  'placeholder' | 'maxLength' | 'autoComplete' | 'autoCapitalize' | 'autoFocus' | 'type'
>

export type Shown<V> = {
  value: V
  onChange(value: V): void
  values: Values
  /** By the parameters that the API names. */
  errors: Readonly<Record<string, string>>
}

type OwnEntry = OwnValue & { show(shown: Shown<unknown>): ReactNode }

/** A field that no widget enters. */
export const ownField = <V, N extends string>(
  name: N,
  own: {
    first: V
    wrong?(value: V): string | false | undefined
    write(value: V, values: Values): unknown
    shows?(param: string, value: V): boolean
    show(shown: Shown<V>): ReactNode
  },
): Field<N> => ({ name, label: name, own: own as unknown as OwnEntry })

/** Fields in a frame, such as a row; or what stands between them. */
export type Entry<N extends string = string> =
  | Field<N>
  | { fields: readonly Entry<N>[]; frame(children: ReactNode): ReactNode; isShown?(values: Values): boolean }
  | ReactElement
  | false
  | undefined

export const isFrame = <N extends string>(entry: Entry<N>): entry is Extract<Entry<N>, { frame: unknown }> =>
  Object.hasOwn(Object(entry), 'frame')
export const isField = <N extends string>(entry: Entry<N>): entry is Field<N> => Object.hasOwn(Object(entry), 'name')

export const fieldsIn = (entries: readonly Entry[]): Field[] =>
  entries.flatMap((entry) => (isFrame(entry) ? fieldsIn(entry.fields) : isField(entry) ? [entry] : []))

export function shownIn(entries: readonly Entry[], values: Values): Field[] {
  return entries.flatMap((entry) => {
    if (!isFrame(entry) && !isField(entry)) return []
    if (entry.isShown?.(values) === false) return []
    return isFrame(entry) ? shownIn(entry.fields, values) : [entry]
  })
}
