// The words in which operations and routes describe what they take and return: JSON schemas with the types of TypeBox, which infers from
// them what a handler gets. TypeBox itself is not loaded at run time: its 400 modules cost every start and every command 0.1 s of CPU.
import type {
  Static,
  TArray,
  TBoolean,
  TEnum,
  TInteger,
  TLiteral,
  TNull,
  TNumber,
  TObject,
  TOptional,
  TProperties,
  TRecord,
  TSchema,
  TString,
  TUnion,
  TUnknown,
} from 'typebox'
import { parseRequestId } from '../ids.ts'
import { parseIsoTime } from '../iso-time.ts'

const schema = <S extends TSchema>(json: object): S => json as S

/** A copy with a property that is no part of the JSON schema. */
const marked = <S extends TSchema>(given: TSchema, name: string, value: unknown): S =>
  Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(given), [name]: { value } }) as S

const described = (description: string | undefined) => (description === undefined ? {} : { description })
export const string = (description?: string) => schema<TString>({ type: 'string', ...described(description) })
export const number = (description?: string) => schema<TNumber>({ type: 'number', ...described(description) })
export const boolean = (description?: string) => schema<TBoolean>({ type: 'boolean', ...described(description) })
export const unknown = () => schema<TUnknown>({})

/** An object with these fields and no others. */
export const fields = <P extends TProperties>(properties: P) =>
  schema<TObject<P>>({
    type: 'object',
    required: Object.keys(properties).filter((name) => !Object.hasOwn(properties[name] ?? {}, '~optional')),
    properties,
    additionalProperties: false,
  })

/** A route that takes nothing: an empty object, or no body at all. */
export const NOTHING = fields({})

export const optional = <S extends TSchema>(given: S) => marked<TOptional<S>>(given, '~optional', true)

export const nullable = <S extends TSchema>(given: S) =>
  schema<TUnion<[S, TNull]>>({ anyOf: [given, { type: 'null' }] })

/** What a schema keeps of a rule; TypeBox reads the same property. */
export type Rule = { check(value: unknown): boolean; error(value: unknown): string }

/** `must`: how the sentence goes on for other values, such as `be an email address`. It never repeats the value, which may be a secret. */
export function rule<S extends TSchema>(given: S, isValid: (value: Static<S>) => boolean, must: string): S {
  const { '~refine': rules = [] } = given as { '~refine'?: readonly Rule[] }
  const added: Rule = { check: (value) => isValid(value as Static<S>), error: () => must }
  return marked<S>(given, '~refine', [...rules, added])
}

/** In characters as JavaScript counts them. */
export const text = ({ min = 1, max }: { min?: number; max: number }) =>
  schema<TString>({ type: 'string', minLength: min, maxLength: max })

/** Text that a rule of its own checks. */
export const textLike = (isValid: (value: string) => boolean, must: string) => rule(string(), isValid, must)

export const isId = (value: string): boolean => /^\d{1,18}$/.test(value)

/** Text of digits: the id of a row. */
export const idOf = (what: string) => textLike(isId, `be the id of ${what}`)

export const REQUEST_ID = textLike((value) => parseRequestId(value) !== undefined, 'be the id of a request')
export const WRITTEN_TIME = textLike(
  (value) => parseIsoTime(value) !== undefined,
  'be a time such as 2027-01-31T12:00:00Z',
)

export const integer = ({ min, max }: { min: number; max: number }) =>
  schema<TInteger>({ type: 'integer', minimum: min, maximum: max })

export const word = <W extends string>(...words: readonly W[]) => schema<TEnum<W[]>>({ enum: words })

export const list = <S extends TSchema>(entries: S, most: number) =>
  schema<TArray<S>>({ type: 'array', items: entries, maxItems: most })

// In responses

export const listOf = <S extends TSchema>(entries: S) => schema<TArray<S>>({ type: 'array', items: entries })
export const mapOf = <S extends TSchema>(values: S) =>
  schema<TRecord<string, S>>({ type: 'object', additionalProperties: values })
/** Either of these objects. */
export const either = <S extends TSchema[]>(...schemas: [...S]) => schema<TUnion<S>>({ anyOf: schemas })
export const always = <const V extends boolean>(value: V) => schema<TLiteral<V>>({ type: 'boolean', const: value })

export const USD = string('Decimal USD.')
export const TIME = string('ISO 8601 in UTC.')
export const ID = string()

/** `next`: the cursor of the next page; null on the last one. */
export const pageOf = <S extends TSchema>(entries: S) => fields({ items: listOf(entries), next: nullable(string()) })

/** Amounts that contain the credit line, and the line itself, may be `unlimited`. */
const USD_OR_UNLIMITED = string('Decimal USD, or `unlimited`.')
export const BALANCES = {
  balance_usd: USD,
  credit_line_usd: USD_OR_UNLIMITED,
  held_usd: USD,
  available_usd: USD_OR_UNLIMITED,
}
