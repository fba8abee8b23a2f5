// The words in which routes describe what they take and return. A schema is a JSON schema; its refinements say what is wrong with a
// value, as the end of a sentence that begins with the field's name. No message repeats a value, which may be a secret.
import { type Static, type TProperties, type TSchema, Type } from 'typebox'

/** An object with these fields and no others. */
export const fields = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })

/** A route that takes nothing: an empty object, or no body at all. */
export const NOTHING = fields({})

export const { Optional: optional, Boolean: boolean, Unknown: unknown } = Type

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** Without half of a surrogate pair. */
export const isWellFormed = (value: string): boolean => !/\p{Cs}/u.test(value)

/** In characters as JavaScript counts them. */
export const text = ({ min = 1, max }: { min?: number; max: number }) =>
  rule(
    Type.String({ minLength: min, maxLength: max }),
    (value) => value.length <= max && isWellFormed(value),
    `must be text of ${min} to ${max} characters.`,
  )

/** Text that a rule of its own checks. */
export const textLike = (isValid: (value: string) => boolean, otherwise: string) =>
  rule(Type.String(), isValid, otherwise)

/** Text of digits: the id of a row. */
export const idOf = (what: string) => textLike((value) => /^\d{1,18}$/.test(value), `must be the id of ${what}.`)

export const integer = ({ min, max }: { min: number; max: number }) => Type.Integer({ minimum: min, maximum: max })

export const word = <W extends string>(...words: W[]) => Type.Enum(words)

export const list = <S extends TSchema>(entries: S, most: number) => Type.Array(entries, { maxItems: most })

/** `otherwise`: the end of the sentence that says what the field must be. */
export function rule<S extends TSchema>(schema: S, isValid: (value: Static<S>) => boolean, otherwise: string) {
  return Type.Refine(
    schema,
    (value) => isValid(value as Static<S>),
    () => otherwise,
  )
}

// In responses

export const string = (description?: string) => Type.String(description === undefined ? {} : { description })
export const number = (description?: string) => Type.Number(description === undefined ? {} : { description })
export const listOf = <S extends TSchema>(entries: S) => Type.Array(entries)
export const mapOf = <S extends TSchema>(values: S) => Type.Record(Type.String(), values)
/** Either of these objects. */
export const either = <S extends TSchema[]>(...schemas: [...S]) => Type.Union(schemas)
export const always = <const V extends boolean>(value: V) => Type.Literal(value)

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
