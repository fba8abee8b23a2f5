// The fault switches: names, values, and how a request selects them. README.md describes their effects.
import type { Quirks } from '../dialects/dialect.ts'
import { badRequest } from '../request/errors.ts'

/** `default`: the number depends on its use: events in a stream, bytes in a single body. */
type NumberRule = { low: number; high: number; default: number | 'default' | undefined }

const COUNT: NumberRule = { low: 0, high: 1_000_000_000, default: 'default' }
const NUMBERS = {
  status: { low: 400, high: 599, default: undefined },
  cut: COUNT,
  end: COUNT,
  stall: COUNT,
  garbage: COUNT,
  'error-event': COUNT,
  'huge-line': { low: 1, high: 1024, default: 64 },
  drip: { low: 0, high: 60_000, default: 1 },
  'slow-headers': { low: 0, high: 600_000, default: undefined },
} as const satisfies Record<string, NumberRule>

const FLAGS = [
  'hang',
  'split-utf8',
  'no-usage',
  'zero-usage',
  'negative-usage',
  'huge-usage',
  'string-usage',
  'usage-every-chunk',
  'html',
  'wrong-type',
  'no-finish',
  'finish-every-chunk',
  'interleave',
  'twice',
  'duplicate-start',
  'crlf',
  'no-space',
  'comments',
  'empty',
  'gzip',
] as const

/** Only for images. */
const IMAGE_FLAGS = ['moderation', 'no-image', 'fewer-images', 'wrong-size', 'image-url', 'no-partials'] as const

export type NumberFault = keyof typeof NUMBERS
export type FlagFault = (typeof FLAGS)[number] | (typeof IMAGE_FLAGS)[number]

export type Faults = {
  flags: ReadonlySet<FlagFault>
  numbers: { readonly [name in NumberFault]?: number | 'default' }
  /** The target of the redirect. */
  redirect: string | undefined
}

/** A reserved name that never resolves: a client that follows the redirect sends its key nowhere. */
const ELSEWHERE = 'http://sandbox.invalid/v1/chat/completions'

export const FAULT_NAMES: readonly string[] = [...Object.keys(NUMBERS), ...FLAGS, 'redirect'].sort()

/** `sandbox-text:cut=3,comments` is the model `sandbox-text` with two faults. */
export function splitModel(model: string): { name: string; faults: string } {
  const colon = model.indexOf(':')
  return colon < 0 ? { name: model, faults: '' } : { name: model.slice(0, colon), faults: model.slice(colon + 1) }
}

export function readFaults(written: readonly string[], allowed: boolean): Faults {
  const entries = written
    .flatMap((list) => list.split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  if (entries.length > 0 && !allowed) throw badRequest('Fault switches are disabled on this sandbox.', 'model')
  const flags = new Set<FlagFault>()
  const numbers: { [name in NumberFault]?: number | 'default' } = {}
  let redirect: string | undefined
  for (const entry of entries) {
    const [name = '', value] = splitOnce(entry)
    if (name === 'redirect') redirect = value ?? ELSEWHERE
    else if (isNumberFault(name)) numbers[name] = readNumber(name, value)
    else if (isFlag(name) && value === undefined) flags.add(name)
    else if (isFlag(name)) throw badRequest(`The fault '${name}' takes no value.`, 'model')
    else
      throw badRequest(
        `Unknown fault '${name}'. Known faults: ${[...FAULT_NAMES, ...IMAGE_FLAGS].join(', ')}.`,
        'model',
      )
  }
  return { flags, numbers, redirect }
}

function splitOnce(entry: string): [string, string | undefined] {
  const equals = entry.indexOf('=')
  return equals < 0 ? [entry, undefined] : [entry.slice(0, equals).trim(), entry.slice(equals + 1).trim()]
}

function readNumber(name: NumberFault, value: string | undefined): number | 'default' {
  const rule: NumberRule = NUMBERS[name]
  if (value === undefined && rule.default !== undefined) return rule.default
  const number = value !== undefined && /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  if (number >= rule.low && number <= rule.high) return number
  throw badRequest(`The fault '${name}' takes a whole number from ${rule.low} to ${rule.high}.`, 'model')
}

function isNumberFault(name: string): name is NumberFault {
  return Object.hasOwn(NUMBERS, name)
}

function isFlag(name: string): name is FlagFault {
  return [...FLAGS, ...IMAGE_FLAGS].some((flag) => flag === name)
}

/** The number of a fault, or undefined if it was not selected. */
export function numberOf(faults: Faults, name: NumberFault, byDefault: number): number | undefined {
  const number = faults.numbers[name]
  return number === 'default' ? byDefault : number
}

const USAGES = ['zero', 'negative', 'huge', 'string'] as const

export function quirksOf({ flags }: Faults): Quirks {
  return {
    usage: flags.has('no-usage') ? 'none' : (USAGES.find((usage) => flags.has(`${usage}-usage`)) ?? 'honest'),
    usageEveryChunk: flags.has('usage-every-chunk'),
    noFinish: flags.has('no-finish'),
    finishEveryChunk: flags.has('finish-every-chunk'),
    duplicateStart: flags.has('duplicate-start'),
    interleave: flags.has('interleave'),
  }
}
