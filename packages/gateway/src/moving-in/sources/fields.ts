// Values of a source, whichever engine they come from. What has another form is undefined: readers report it by its row.
import { MAX_AMOUNT, type Nanos } from '../../money/amount.ts'
import type { SourceValue } from './source-database.ts'

type Value = SourceValue | undefined

/** '' is text. */
export function textOf(value: Value): string | undefined {
  if (value === null || value === undefined) return undefined
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
}

const WHOLE = /^-?\d{1,15}$/
export function integerOf(value: Value): number | undefined {
  const text = textOf(value)?.trim() ?? ''
  return WHOLE.test(text) ? Number(text) : undefined
}

export function booleanOf(value: Value): boolean | undefined {
  const text = textOf(value)?.toLowerCase()
  if (text === 'true' || text === 't' || text === '1') return true
  return text === 'false' || text === 'f' || text === '0' ? false : undefined
}

const NUMBER = /^([+-]?)(\d{1,400})(?:\.(\d{0,400}))?(?:e([+-]?\d{1,3}))?$/i
/** The exact decimal of a number as it is written: `"7.5e-08"` -> `"0.000000075"`. */
export function decimalOf(value: Value): string | undefined {
  const match = NUMBER.exec(textOf(value)?.trim() ?? '')
  if (!match) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = Math.max(1, point)
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  const rest = padded.slice(at).replace(/0+$/, '')
  const text = rest ? `${integer}.${rest}` : integer
  return sign === '-' && /[1-9]/.test(text) ? `-${text}` : text
}

/** Rounded half up to 10^-9 USD, as a sum of floating-point numbers was meant. */
export function nanosOf(value: Value): Nanos | undefined {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimalOf(value) ?? '') ?? []
  if (whole === '') return undefined
  const digits = fraction.padEnd(10, '0')
  const nanos = BigInt(whole + digits.slice(0, 9)) + (digits.charAt(9) >= '5' ? 1n : 0n)
  if (nanos > MAX_AMOUNT) return undefined
  return sign === '-' ? -nanos : nanos
}

const TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/
/** Milliseconds since 1970; text without a zone is UTC. */
export function timeOf(value: Value): number | undefined {
  const match = TIME.exec(textOf(value)?.trim() ?? '')
  if (!match) return undefined
  const [, day, time, fraction = '', zone = 'Z'] = match
  const offset = zone.length === 3 ? `${zone}:00` : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone
  const at = Date.parse(`${day}T${time}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`)
  return Number.isNaN(at) ? undefined : at
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [name: string]: Json }

export function jsonOf(value: Value): Json | undefined {
  const text = textOf(value)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function objectOf(value: Value): JsonObject | undefined {
  const found = jsonOf(value)
  return isObject(found) ? found : undefined
}

/** Texts of a PostgreSQL array (`{a,"b c"}`) or a JSON array; undefined if it is neither. */
export function listOf(value: Value): readonly string[] | undefined {
  const text = textOf(value)?.trim()
  if (text === undefined) return undefined
  if (text.startsWith('[')) {
    const found = jsonOf(text)
    return Array.isArray(found) && found.every((each) => typeof each === 'string') ? (found as string[]) : undefined
  }
  return text.startsWith('{') && text.endsWith('}') ? arrayOf(text.slice(1, -1)) : undefined
}

const ELEMENT = /"((?:[^"\\]|\\.)*)"(?:,|$)|([^",{}]+)(?:,|$)/sy
function arrayOf(inner: string): readonly string[] | undefined {
  const found: string[] = []
  ELEMENT.lastIndex = 0
  while (ELEMENT.lastIndex < inner.length) {
    const match = ELEMENT.exec(inner)
    if (!match) return undefined
    found.push(match[1] === undefined ? (match[2] ?? '') : match[1].replace(/\\(.)/gs, '$1'))
  }
  return found
}
