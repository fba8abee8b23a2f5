// What a reply consumed, in the same terms for every dialect.

import { put } from './reading.ts'

/** Token figures as the upstream reported them. `undefined` means unknown, which is never the same as zero. */
export type Usage = {
  /** All input, including what came from a cache. */
  input: number | undefined
  /** All output, including reasoning. */
  output: number | undefined
  /** The part of the input that was read from a cache. */
  cachedInput: number | undefined
  /** The part of the input that was written to a cache. */
  cacheWrite: number | undefined
  /** The part of the output that was reasoning. */
  reasoning: number | undefined
  /** The part of `cacheWrite` that was written to last an hour. */
  cacheWriteLong?: number | undefined
  /** Parts of the input, and the part of `cachedInput` that is audio. */
  audioInput?: number | undefined
  imageInput?: number | undefined
  cachedAudioInput?: number | undefined
  /** Parts of the output. */
  audioOutput?: number | undefined
  imageOutput?: number | undefined
  /**
   * Calls of tools that the vendor runs and bills by the call, by the gateway's names for them (`web_search`). A tool that
   * was not called is not in it.
   */
  toolCalls?: Readonly<Record<string, number>> | undefined
  /** The service tier that the answer was served at, in the vendor's word and in lowercase. */
  tier?: string | undefined
  /** What the upstream says that the operator pays for this, in USD, as decimal text. */
  upstreamCost?: string | undefined
  /** Some figure could not be true (negative, fractional, not a number, too large, a part above its whole) and was ignored. */
  absurd: boolean
}

/**
 * No reply has this many tokens: ten times the longest context that is sold. Beyond it a figure is a fault and must not
 * reach a price, which could take all that an account has.
 */
const MAX_TOKENS_REPORTED = 100_000_000
/** The same for calls of a hosted tool. */
export const MAX_CALLS_REPORTED = 100_000
/** And for what one answer may cost the operator, in USD. */
const MAX_COST_REPORTED = 1e6

/** One reported figure: a count, unknown, or nonsense. */
export type Figure = number | undefined | 'absurd'

export function readCount(value: unknown): Figure {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value)) return 'absurd'
  return value < 0 || value > MAX_TOKENS_REPORTED ? 'absurd' : value
}

/** The sum of two parts that are reported separately. A missing second part counts as zero. */
export function sum(one: Figure, other: Figure): Figure {
  if (one === 'absurd' || other === 'absurd') return 'absurd'
  return one === undefined ? other : one + (other ?? 0)
}

type Plain = 'input' | 'output' | 'cachedInput' | 'cacheWrite' | 'reasoning'
type Special = 'cacheWriteLong' | 'audioInput' | 'imageInput' | 'cachedAudioInput' | 'audioOutput' | 'imageOutput'
/** `tier` and `upstreamCost` as they stand on the wire, whatever they are. */
export type Reported = { [Part in Plain]: Figure } & { [Part in Special]?: Figure } & {
  toolCalls?: Readonly<Record<string, Figure>> | undefined
  tier?: unknown
  upstreamCost?: unknown
}

/** Puts figures together and sees to it that no part exceeds its whole, or a price could become negative. */
export function checkedUsage(reported: Reported): Usage {
  const input = known(reported.input)
  const output = known(reported.output)
  const cachedInput = within(reported.cachedInput, input)
  const cacheWrite = within(reported.cacheWrite, without(input, cachedInput))
  const reasoning = within(reported.reasoning, output)
  const usage: Usage = { input, output, cachedInput, cacheWrite, reasoning, absurd: false }
  usage.absurd =
    isMended(reported.input, input) ||
    isMended(reported.output, output) ||
    isMended(reported.cachedInput, cachedInput) ||
    isMended(reported.cacheWrite, cacheWrite) ||
    isMended(reported.reasoning, reasoning)
  // Most answers have none of what follows.
  addSpecial(usage, 'cacheWriteLong', reported.cacheWriteLong, cacheWrite)
  addSpecial(usage, 'audioInput', reported.audioInput, input)
  addSpecial(usage, 'imageInput', reported.imageInput, without(input, usage.audioInput))
  addSpecial(usage, 'cachedAudioInput', reported.cachedAudioInput, lesser(cachedInput, usage.audioInput))
  const spoken = without(output, reasoning)
  addSpecial(usage, 'audioOutput', reported.audioOutput, spoken)
  addSpecial(usage, 'imageOutput', reported.imageOutput, without(spoken, usage.audioOutput))
  if (reported.toolCalls !== undefined) addCalls(usage, reported.toolCalls)
  if (reported.tier !== undefined) put(usage, 'tier', readTier(reported.tier))
  const cost = readCost(reported.upstreamCost)
  if (cost === 'absurd') usage.absurd = true
  else put(usage, 'upstreamCost', cost)
  return usage
}

const known = (figure: Figure): number | undefined => (figure === 'absurd' ? undefined : figure)

/** A figure, no greater than the whole that it is a part of. */
function within(figure: Figure, whole: number | undefined): number | undefined {
  if (figure === undefined || figure === 'absurd') return undefined
  return whole === undefined || figure <= whole ? figure : whole
}

/** What was reported could not be true, and something else, or nothing, is written down. */
const isMended = (reported: Figure, written: number | undefined): boolean => reported !== written

function addSpecial(usage: Usage, part: Special, reported: Figure, whole: number | undefined): void {
  if (reported === undefined) return
  const figure = within(reported, whole)
  put(usage, part, figure)
  if (isMended(reported, figure)) usage.absurd = true
}

function addCalls(usage: Usage, reported: Readonly<Record<string, Figure>>): void {
  for (const tool in reported) {
    const calls = reported[tool]
    if (calls === 'absurd' || (calls !== undefined && calls > MAX_CALLS_REPORTED)) usage.absurd = true
    else if (calls !== undefined && calls > 0) usage.toolCalls = { ...usage.toolCalls, [tool]: calls }
  }
}

const lesser = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

const without = (whole: number | undefined, part: number | undefined): number | undefined =>
  whole === undefined ? undefined : whole - (part ?? 0)

/** A word, since a price is looked up by it. */
const readTier = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w.-]{1,64}$/.test(value) ? value.toLowerCase() : undefined

/** USD as plain decimal text: a number's shortest digits are the ones that it was written with. */
function readCost(value: unknown): string | undefined | 'absurd' {
  if (value === undefined || value === null) return undefined
  const amount = typeof value === 'string' && /^\d{1,7}(\.\d{1,30})?$/.test(value) ? Number(value) : value
  if (typeof amount !== 'number' || !(amount >= 0 && amount <= MAX_COST_REPORTED)) return 'absurd'
  return typeof value === 'string' ? value : plainDecimal(amount)
}

const TICKS_IN_USD = 10_000_000_000n

/**
 * What the upstream says that the operator pays, in the two ways that services write it: `cost` in USD, and xAI's whole
 * number of `cost_in_usd_ticks`.
 */
export function reportedCost({
  cost,
  cost_in_usd_ticks: ticks,
}: {
  cost?: unknown
  cost_in_usd_ticks?: unknown
}): unknown {
  if (ticks === undefined || ticks === null) return cost
  if (typeof ticks !== 'number' || !Number.isSafeInteger(ticks) || ticks < 0) return 'absurd'
  const rest = String(BigInt(ticks) % TICKS_IN_USD).padStart(10, '0')
  return `${BigInt(ticks) / TICKS_IN_USD}.${rest}`.replace(/\.?0+$/, '')
}

/** Counts under names such as `web_search_calls` (xAI), by the names that the gateway has for the tools. */
export function reportedCalls(details: unknown): Record<string, Figure> {
  if (typeof details !== 'object' || details === null) return {}
  const calls: Record<string, Figure> = {}
  for (const [name, count] of Object.entries(details)) {
    const tool = name.endsWith('_calls') ? name.slice(0, -'_calls'.length) : ''
    if (COUNTED_TOOLS.has(tool)) calls[tool] = readCount(count)
  }
  return calls
}

/** What is listed beside them, calls of other servers' tools (MCP), costs nothing but its tokens. */
const COUNTED_TOOLS: ReadonlySet<string> = new Set([
  'web_search',
  'x_search',
  'code_interpreter',
  'file_search',
  'image_generation',
])

/** Writes `1.5e-7` as 0.00000015, for readers without exponents. */
function plainDecimal(amount: number): string {
  const [digits = '0', exponent] = String(amount).split('e-')
  if (exponent === undefined) return digits
  return `0.${'0'.repeat(Number(exponent) - 1)}${digits.replace('.', '')}`
}

/** What two reports of the same answer say together: the later one wins where it says something. */
export function mergeUsage(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later
  const said = Object.fromEntries(Object.entries(later).filter(([, value]) => value !== undefined))
  const toolCalls = { ...earlier.toolCalls, ...later.toolCalls }
  const merged = checkedUsage({ ...earlier, ...said, toolCalls })
  return { ...merged, absurd: merged.absurd || earlier.absurd || later.absurd }
}
