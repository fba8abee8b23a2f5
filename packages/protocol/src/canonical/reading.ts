// Typed access to a client's parsed JSON. What is wrong is said in one way everywhere: the field, and what it must be.

import { isNestedTooDeep } from '../framing/json/json-depth.ts'
import { type ErrorCode, type ErrorInfo, errorInfo } from './error.ts'

/** An invalid or unsupported request. Thrown by decoders and encoders, caught by the journey. */
export class RequestError extends Error {
  override name = 'Mistake'
  readonly info: ErrorInfo

  constructor(code: ErrorCode, param: string | undefined, message: string) {
    const info = errorInfo(code, message, param === undefined ? {} : { param })
    super(info.message)
    this.info = info
  }
}

/** A request that is wrong in its own dialect. */
export const wrong = (param: string, message: string): RequestError => new RequestError('bad_request', param, message)

/** A right request that this model's upstream cannot serve as it was meant. */
export const unsupported = (param: string | undefined, message: string): RequestError =>
  new RequestError('unsupported_parameter', param, message)

export type Json = { readonly [field: string]: unknown }

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asObject(value: unknown, at: string): Json {
  if (isObject(value)) return value
  throw wrong(at, `${at} must be an object`)
}

export function asArray(value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw wrong(at, `${at} must be an array`)
}

export function asString(value: unknown, at: string): string {
  if (typeof value === 'string') return value
  throw wrong(at, `${at} must be a string`)
}

/** The path of a field below another: `messages[2]` + `content`. */
export const below = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)

// In all of these, absent and null are the same: undefined. They stand on the way of every request, which asks dozens of
// times and is hardly ever wrong: paths are put together only when there is something to say.

export function readObject(from: Json, name: string, at = ''): Json | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  return isObject(value) ? value : asObject(value, below(at, name))
}

export function readArray(from: Json, name: string, at = ''): readonly unknown[] | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  return Array.isArray(value) ? value : asArray(value, below(at, name))
}

export function readString(from: Json, name: string, at = ''): string | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : asString(value, below(at, name))
}

/** A string that is compared, stored or put into a header: short, no control characters, whole characters. */
export function readName(from: Json, name: string, at = '', longest = 256): string | undefined {
  const text = readString(from, name, at)
  if (text === undefined || (text.length <= longest && isPrintableAscii(text))) return text
  const path = below(at, name)
  if (text.length > longest) throw wrong(path, `${path} must not be longer than ${longest} characters`)
  if (/[\u0000-\u001f\u007f]/.test(text)) throw wrong(path, `${path} must not have control characters`)
  if (/[\ud800-\udfff]/u.test(text)) throw wrong(path, `${path} must be valid Unicode text`)
  return text
}

/** What most names are. Two regular expressions would take several times as long to say so. */
export function isPrintableAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 || unit > 0x7e) return false
  }
  return true
}

export function readNumber(from: Json, name: string, least: number, most: number, at = ''): number | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw outOfBounds(below(at, name), 'a number', least, most)
}

export function readInteger(from: Json, name: string, least: number, most: number, at = ''): number | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && value >= least && value <= most && Number.isInteger(value)) return value
  throw outOfBounds(below(at, name), 'a whole number', least, most)
}

const outOfBounds = (at: string, what: string, least: number, most: number): RequestError =>
  wrong(at, `${at} must be ${what} between ${least} and ${most}`)

export function readFlag(from: Json, name: string, at = ''): boolean | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  const path = below(at, name)
  throw wrong(path, `${path} must be true or false`)
}

/** One of these words; others are an error. */
export function readWord<Word extends string>(
  from: Json,
  name: string,
  words: readonly Word[],
  at = '',
): Word | undefined {
  const text = readString(from, name, at)
  if (text === undefined) return undefined
  const word = words.find((candidate) => candidate === text)
  if (word !== undefined) return word
  const path = below(at, name)
  throw wrong(path, `${path} must be one of ${words.join(', ')}`)
}

export function readStrings(from: Json, name: string, at = ''): readonly string[] | undefined {
  return readArray(from, name, at)?.map((item, index) => asString(item, `${below(at, name)}[${index}]`))
}

/** Text that should be JSON, from a model. Undefined when it is not, or nested deeper than what may be sent. */
export function parsedJson(text: string): unknown {
  try {
    return isNestedTooDeep(text) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sets a field that may have no value: absent stays absent. Without the objects that a spread would make and copy. */
export function put<Into extends object, Field extends keyof Into>(
  into: Into,
  field: Field,
  value: Into[Field] | undefined,
): void {
  if (value !== undefined) into[field] = value
}

type Unsure<Type> = { [Field in keyof Type]: Type[Field] | undefined }

/** The same without the fields that are undefined, so that absent is absent. On the way of every request, hence the loop. */
export function withoutUndefined<Type extends object>(fields: Unsure<Type>): Type {
  const present: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) present[name] = fields[name]
  return present as Type
}
