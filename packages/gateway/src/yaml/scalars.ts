// Readers of scalar values: numbers, booleans, words, amounts, sizes, durations, URLs, paths.
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseBlock } from '@trivium/http/addresses/ip-address.ts'
import { isScalar } from 'yaml'
import { type Nanos, parseUsd } from '../money/amount.ts'
import { addMistake, type YamlValue } from './document.ts'
import { quote, quoteSource, type Reader, scalarText } from './fields.ts'
import { formatDuration, parseDuration, parseSize, suggestAmount } from './units.ts'

export type Range = { min: number; max: number }

const SECOND = 1000
const DAY = 24 * 3600 * SECOND

/** Timers have 31 bits: a longer timeout would fire at once. */
export const TIMER: Range = { min: 1, max: 24 * DAY }
export const TIMER_OR_ZERO: Range = { min: 0, max: 24 * DAY }
export const STORAGE_TIME: Range = { min: SECOND, max: 36_500 * DAY }

export function readText(value: YamlValue): string | undefined {
  const node = value.context.resolve(value.node)
  if (isScalar(node) && typeof node.value === 'boolean') {
    addMistake(value, `expected text; if the word ${node.value} is meant, put it in quotes`)
    return undefined
  }
  const text = scalarText(value, 'text')
  if (text === '') addMistake(value, 'is empty; expected text')
  return text === '' ? undefined : text
}

export function readBoolean(value: YamlValue): boolean | undefined {
  const text = scalarText(value, 'true or false')
  if (text === undefined) return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  addMistake(value, `expected true or false, not ${quoteSource(value)}`)
  return undefined
}

export function readInteger({ min, max }: Range): Reader<number> {
  return (value) => {
    const expected = max >= 1e12 ? `a whole number, at least ${min}` : `a whole number from ${min} to ${max}`
    const text = scalarText(value, expected)
    if (text === undefined) return undefined
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    addMistake(value, `expected ${expected}, not ${quoteSource(value)}`)
    return undefined
  }
}

/** One of a few words; `later` has the words reserved for a later version, each with a message. */
export function readWord<W extends string>(
  words: readonly W[],
  later: Readonly<Record<string, string>> = {},
): Reader<W> {
  return (value) => {
    const expected = words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`
    const text = scalarText(value, expected)
    if (text === undefined) return undefined
    const word = words.find((candidate) => candidate === text)
    if (word !== undefined) return word
    const reserved = Object.hasOwn(later, text) ? later[text] : undefined
    addMistake(value, reserved ?? `expected ${expected}, not ${quoteSource(value)}`)
    return undefined
  }
}

/** Parsed as text, never as a float: `0.1` is exactly 100_000_000 nano-USD. */
export function readUsd(value: YamlValue): Nanos | undefined {
  return readDecimal(value, { places: 9, noun: 'amount in USD', example: '0.25' })
}

/** In millionths: `1.5` -> 1_500_000n. */
export function readMultiplier(value: YamlValue): bigint | undefined {
  const nanos = readDecimal(value, { places: 6, noun: 'multiplier', example: '1.5' })
  return nanos === undefined ? undefined : nanos / 1000n
}

type Decimal = { places: number; noun: string; example: string }

function readDecimal(value: YamlValue, { places, noun, example }: Decimal): bigint | undefined {
  const text = scalarText(value, `an ${noun}, such as ${example}`.replace(/^an (?![aeiou])/, 'a '))
  if (text === undefined) return undefined
  const number = parseUsd(text)
  if (text.trim().startsWith('-')) {
    addMistake(value, `${quoteSource(value)} is negative; write 0 or more, such as ${example}`)
    return undefined
  }
  if (number !== undefined && (text.split('.')[1] ?? '').length <= places) return number
  const guess = suggestAmount(text)
  const shown = guess !== undefined && (guess.split('.')[1] ?? '').length <= places ? guess : example
  const asked = `plain digits with at most ${places} places after the point, such as ${shown}`
  addMistake(value, `${quoteSource(value)} is not a valid ${noun}; write ${asked}`)
  return undefined
}

export function readSize({ min, max }: Range): Reader<number> {
  return (value) => {
    const text = scalarText(value, 'a size, such as 32MiB')
    if (text === undefined) return undefined
    const bytes = parseSize(text)
    if (bytes !== undefined && bytes >= min && bytes <= max) return bytes
    const problem = bytes === undefined ? 'is not a size' : 'is out of range'
    addMistake(value, `${quoteSource(value)} ${problem}; write a whole number and B, KiB, MiB or GiB, such as 32MiB`)
    return undefined
  }
}

export function readDuration({ min, max }: Range): Reader<number> {
  return (value) => {
    const text = scalarText(value, 'a duration, such as 120s')
    if (text === undefined) return undefined
    const milliseconds = parseDuration(text)
    if (milliseconds === undefined) {
      addMistake(
        value,
        `${quoteSource(value)} is not a duration; write a whole number and ms, s, m, h or d, such as 120s`,
      )
    } else if (milliseconds < min || milliseconds > max) {
      const bounds = `from ${formatDuration(min)} to ${formatDuration(max)}`
      addMistake(value, `${quoteSource(value)} is out of range; write a duration ${bounds}`)
    } else {
      return milliseconds
    }
    return undefined
  }
}

/** An http(s) URL. Messages do not repeat it if it may contain a password. */
export function readUrl(value: YamlValue, { credentials, example }: { credentials: boolean; example: string }) {
  const text = scalarText(value, `a URL, such as ${example}`)
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const shown = /@/.test(text) ? 'this' : quoteSource(value)
  if (!url || !/^https?:\/\//i.test(text) || /\s/.test(text)) {
    addMistake(value, `${shown} is not an http:// or https:// URL; write one such as ${example}`)
  } else if (!credentials && (url.username !== '' || url.password !== '')) {
    addMistake(value, 'must not contain a user name or password')
  } else if (text.includes('?') || text.includes('#')) {
    addMistake(value, `must end before "?" and "#", such as ${example}`)
  } else {
    return url
  }
  return undefined
}

export function withoutTrailingSlash(url: URL): string {
  return url.href.replace(/\/+$/, '')
}

/** A CIDR block; a single address stands for itself. */
export function readCidr(value: YamlValue): string | undefined {
  const text = scalarText(value, 'a CIDR block, such as 10.0.0.0/8')
  if (text === undefined) return undefined
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  const widest = family === 4 ? 32 : 128
  const length = bits === undefined ? widest : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
  const valid = family !== 0 && rest.length === 0 && length >= 0 && length <= widest && !address.includes('%')
  if (valid) {
    const block = parseBlock(`${address}/${length}`)
    if (typeof block !== 'string') return `${address}/${length}`
    addMistake(value, block)
    return undefined
  }
  addMistake(value, `${quoteSource(value)} is not a CIDR block; write one such as 10.0.0.0/8 or 2001:db8::/32`)
  return undefined
}

/** Relative to the folder of the configuration file, not to the working directory. */
export function readPath(value: YamlValue): string | undefined {
  const text = readText(value)
  return text === undefined ? undefined : resolve(value.context.folder, text)
}

/** Ids of upstreams and groups appear in commands, labels and logs, so their characters are restricted. */
export function readId(value: YamlValue): string | undefined {
  return idLike(value, /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, ".", "_" and "-" (64 at most)')
}

/** The model id that clients send. Without commas (lists on the command line) and `*` (all models). */
export function readModelId(value: YamlValue): string | undefined {
  return idLike(
    value,
    /^[!#$&'()+\-./0-9:;=?@A-Z[\]^_a-z{|}~]{1,200}$/,
    'printable characters without spaces, commas or *',
  )
}

function idLike(value: YamlValue, shape: RegExp, expected: string): string | undefined {
  const text = readText(value)
  if (text === undefined || shape.test(text)) return text
  addMistake(value, `${quote(text)} cannot be a name; expected ${expected}`)
  return undefined
}
