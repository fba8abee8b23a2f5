// Attributes in the JSON encoding of OTLP, written by hand: it is done for every request.

import { jsonText } from '@trivium/protocol/framing/json/json-text.ts'
import { safeText } from '../safe-text.ts'

/** As one piece: a text that was put together from several is put together again wherever it becomes a part of another. */
export const flat = (pieces: string): string => Buffer.from(pieces).toString()

type Prefixes<T> = { [K in keyof T]: string }
type Kind = 'stringValue' | 'intValue' | 'doubleValue'

const prefixesOf = <T extends Record<string, string>>(names: T, before: string): Prefixes<T> =>
  Object.fromEntries(
    Object.entries(names).map(([id, name]) => [id, flat(`,{"key":"${name}","value":{${before}`)]),
  ) as Prefixes<T>

/** What stands before the value of each attribute, with the comma before it. */
export const prefixes = <T extends Record<string, string>>(names: T): Prefixes<T> => prefixesOf(names, '')
/** The same up to a value of one kind: a text of few pieces is joined in a fraction of the time. */
export const prefixesTo = <T extends Record<string, string>>(names: T, kind: Kind): Prefixes<T> =>
  prefixesOf(names, `"${kind}":${kind === 'doubleValue' ? '' : '"'}`)
/** What stands behind a value in quotes, and behind one without. */
export const QUOTED_END = '"}}'
export const BARE_END = '}}'

export const text = (prefix: string, value: string): string => `${prefix}"stringValue":${quoted(value)}}}`
/** For values that are hardly ever the same twice. */
export const rareText = (prefix: string, value: string): string => `${prefix}"stringValue":${jsonText(value)}}}`
/** For values without a character that JSON escapes. */
export const plain = (prefix: string, value: string | bigint): string => `${prefix}"stringValue":"${value}"}}`
export const integer = (prefix: string, value: number): string => `${prefix}"intValue":"${value}"}}`
export const double = (prefix: string, value: number): string => `${prefix}"doubleValue":${value}}}`
/** To a tenth. Two whole numbers are written faster than a fraction. */
export function tenths(value: number): string {
  const all = Number.isFinite(value) ? Math.max(0, Math.round(value * 10)) : 0
  const whole = Math.floor(all / 10)
  return `${whole}.${all - 10 * whole}`
}
export const truth = (prefix: string, value: boolean): string => `${prefix}"boolValue":${value}}}`
export const list = (prefix: string, values: readonly string[]): string =>
  `${prefix}"arrayValue":{"values":[${values.map((value) => `{"stringValue":${jsonText(value)}}`).join(',')}]}}}`
/** Without the comma before the first. */
export const joined = (attributes: readonly string[]): string => attributes.join('').slice(1)
/** Safe texts in JSON. Nearly all of them come again, and making one costs more than the rest of an attribute. */
const quotedTexts = new Map<string, string>()
const MOST_TEXTS = 1_000
const LONGEST_KEPT = 256

function quoted(value: string): string {
  const known = quotedTexts.get(value)
  if (known !== undefined) return known
  const made = flat(jsonText(safeText(value)))
  if (value.length > LONGEST_KEPT) return made
  if (quotedTexts.size >= MOST_TEXTS) quotedTexts.clear()
  quotedTexts.set(value, made)
  return made
}
