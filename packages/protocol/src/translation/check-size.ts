// Bounds a value before it is translated, and rejects what is no JSON: decoders go through it recursively.

import { RequestError, wrong } from '../canonical/reading.ts'
import { MAX_DEPTH } from '../framing/json/json-scan.ts'

export type SizeLimits = {
  /** Values at every depth. */
  values?: number
  /** Characters of all strings, names included. */
  characters?: number
}

/** The number of characters. Throws RequestError. */
export function checkSize(
  value: unknown,
  { values = 1_000_000, characters = 256 * 1024 ** 2 }: SizeLimits = {},
): number {
  const seen = { values: 0, characters: 0 }
  count(value, 0)
  return seen.characters

  function count(one: unknown, depth: number): void {
    if (++seen.values > values) throw tooLarge(`has more than ${values} JSON values`)
    if (typeof one === 'string') countText(one)
    else if (typeof one === 'object' && one !== null) countInside(one, depth + 1)
    else if (one !== null && !PLAIN.has(typeof one)) throw noJson(`contains a ${typeof one}`)
  }

  function countText(text: string): void {
    seen.characters += text.length
    if (seen.characters > characters) throw tooLarge(`has more than ${characters} characters`)
  }

  function countInside(one: object, depth: number): void {
    // A value that contains itself ends here, too.
    if (depth > MAX_DEPTH) throw noJson(`is nested more than ${MAX_DEPTH} levels deep`)
    if (Array.isArray(one)) {
      for (const element of one) count(element, depth)
      return
    }
    for (const [name, member] of Object.entries(one)) {
      if (name === '__proto__') throw wrong(name, 'The body has a field named __proto__.')
      countText(name)
      count(member, depth)
    }
  }
}

const PLAIN: ReadonlySet<string> = new Set(['number', 'boolean', 'undefined'])

const noJson = (what: string): RequestError => new RequestError('bad_request', undefined, `The body ${what}.`)
const tooLarge = (what: string): RequestError =>
  new RequestError('request_too_large', undefined, `The body ${what}, which is the limit.`)
