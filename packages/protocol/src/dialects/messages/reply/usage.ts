// Token figures of this dialect: `input_tokens` is what no cache had a part in, so the whole is a sum of three.

import { isObject } from '../../../canonical/reading.ts'
import { checkedUsage, type Figure, readCount, sum, type Usage } from '../../../canonical/usage.ts'
import type { ReplyQuirks } from '../../pass-through.ts'
import type { WireUsage, WireUsageOut } from '../wire.ts'

/** In the dialect's own terms: only these can be merged report by report, since any of the three may come late. */
export type Figures = {
  fresh: Figure
  cacheRead: Figure
  cacheWrite: Figure
  /** The part of `cacheWrite` that lasts an hour. */
  cacheWriteLong: Figure
  output: Figure
  thinking: Figure
  searches: Figure
  fetches: Figure
  /** One when code was run for the answer. */
  containers: Figure
  /** What summaries of the conversation took, which the other figures do not include. */
  compaction: Tokens | undefined
  tier: string | undefined
}

type Tokens = { [Part in 'fresh' | 'cacheRead' | 'cacheWrite' | 'cacheWriteLong' | 'output']: Figure }

export const NO_FIGURES: Figures = {
  fresh: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  cacheWriteLong: undefined,
  output: undefined,
  thinking: undefined,
  searches: undefined,
  fetches: undefined,
  containers: undefined,
  compaction: undefined,
  tier: undefined,
}

/** `message`: what holds the usage, a message or the delta of one. */
export function decodeFigures(usage: WireUsage, message: { container?: unknown } = {}): Figures {
  const { output_tokens_details: details, server_tool_use: tools } = usage
  return {
    ...readTokens(usage),
    thinking: readCount(details?.thinking_tokens),
    searches: readCount(tools?.web_search_requests),
    fetches: readCount(tools?.web_fetch_requests),
    containers: typeof message.container === 'object' && message.container !== null ? 1 : undefined,
    compaction: readCompaction(usage.iterations),
    tier: tierOf(usage),
  }
}

function readTokens(usage: WireUsage): Tokens {
  const { cache_creation: split } = usage
  const long = readCount(split?.ephemeral_1h_input_tokens)
  return {
    fresh: readCount(usage.input_tokens),
    cacheRead: readCount(usage.cache_read_input_tokens),
    cacheWrite: readCount(usage.cache_creation_input_tokens) ?? sum(readCount(split?.ephemeral_5m_input_tokens), long),
    cacheWriteLong: long,
    output: readCount(usage.output_tokens),
  }
}

function readCompaction(iterations: unknown): Tokens | undefined {
  if (!Array.isArray(iterations)) return undefined
  const summaries = iterations.filter((entry) => isObject(entry) && entry.type === 'compaction')
  return summaries.map((entry) => readTokens(entry as WireUsage)).reduce<Tokens | undefined>(together, undefined)
}

function together(one: Tokens | undefined, other: Tokens): Tokens {
  if (one === undefined) return other
  return {
    fresh: sum(one.fresh, other.fresh),
    cacheRead: sum(one.cacheRead, other.cacheRead),
    cacheWrite: sum(one.cacheWrite, other.cacheWrite),
    cacheWriteLong: sum(one.cacheWriteLong, other.cacheWriteLong),
    output: sum(one.output, other.output),
  }
}

/** Speed is sold like a tier: a fast response is billed as fast, whatever its tier. */
function tierOf({ service_tier: tier, speed }: WireUsage): string | undefined {
  const isUsual = typeof speed !== 'string' || speed === 'standard'
  if (!isUsual) return speed
  return typeof tier === 'string' ? tier : undefined
}

const NO_INPUT = { fresh: undefined, cacheRead: undefined, cacheWrite: undefined, cacheWriteLong: undefined }

/** Reads the usage of a `message_start`. What stands there before anything was said is a place holder, not what the answer took. */
export function startFigures(
  message: { usage?: unknown; stop_reason?: unknown; container?: unknown },
  { guessesInput }: ReplyQuirks = {},
): Figures {
  const reported = decodeFigures((message.usage ?? {}) as WireUsage, message)
  if (typeof message.stop_reason === 'string') return reported
  const { output } = reported
  const input = guessesInput || inputOf(reported) === 0 ? NO_INPUT : {}
  return { ...reported, ...input, output: output === 0 || output === 1 ? undefined : output }
}

/**
 * Reports are totals so far: a later one wins where it says something. One that says nothing but zeros of the input does
 * not unsay tokens that were reported before: some services fill in what they do not know.
 */
export function mergeFigures(earlier: Figures, later: Figures): Figures {
  const unsaysInput = inputOf(later) === 0 && (inputOf(earlier) ?? 0) !== 0
  const input = unsaysInput ? earlier : later
  return {
    fresh: input.fresh ?? earlier.fresh,
    cacheRead: input.cacheRead ?? earlier.cacheRead,
    cacheWrite: input.cacheWrite ?? earlier.cacheWrite,
    output: later.output === 0 ? (earlier.output ?? 0) : (later.output ?? earlier.output),
    thinking: later.thinking ?? earlier.thinking,
    cacheWriteLong: input.cacheWriteLong ?? earlier.cacheWriteLong,
    searches: later.searches ?? earlier.searches,
    fetches: later.fetches ?? earlier.fetches,
    containers: later.containers ?? earlier.containers,
    compaction: later.compaction ?? earlier.compaction,
    tier: later.tier ?? earlier.tier,
  }
}

const inputOf = ({ fresh, cacheRead, cacheWrite }: Tokens): Figure => sum(sum(fresh, cacheRead), cacheWrite)

/** Undefined when nothing is known at all. */
export function usageFrom(figures: Figures): Usage | undefined {
  if (isUnknown(figures)) return undefined
  const { tier, compaction, thinking } = figures
  const tokens: Tokens = compaction === undefined ? figures : together(figures, compaction)
  return checkedUsage({
    input: figures.fresh === undefined ? undefined : inputOf(tokens),
    // Until the answer is at its end, what it said is not known, whatever was summed up before.
    output: figures.output === undefined ? undefined : tokens.output,
    cachedInput: tokens.cacheRead,
    cacheWrite: tokens.cacheWrite,
    reasoning: thinking,
    cacheWriteLong: tokens.cacheWriteLong,
    toolCalls: hostedCalls(figures),
    tier,
  })
}

/** A tier alone says nothing. */
function isUnknown(figures: Figures): boolean {
  for (const name in figures) if (name !== 'tier' && figures[name as keyof Figures] !== undefined) return false
  return true
}

/** The vendor does not bill code that searches and fetches run for themselves. */
function hostedCalls({ searches, fetches, containers }: Pick<Figures, 'searches' | 'fetches' | 'containers'>) {
  if (searches === undefined && fetches === undefined && containers === undefined) return undefined
  const isForSearch = [searches, fetches].some((count) => count !== undefined && count !== 0)
  return { web_search: searches, web_fetch: fetches, code_interpreter: isForSearch ? undefined : containers }
}

/** What the ledger will count where the upstream reported nothing. */
export type Estimate = (outputBytes: number) => { input: number; output: number }

export function encodeUsage(usage: Usage | undefined, outputBytes: number, estimate: Estimate): WireUsageOut {
  const input = usage?.input ?? estimate(outputBytes).input
  const output = usage?.output ?? estimate(outputBytes).output
  const cacheRead = usage?.cachedInput ?? 0
  const cacheWrite = usage?.cacheWrite ?? 0
  const written: WireUsageOut = {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  }
  return usage === undefined ? written : { ...written, ...writtenDetails(usage) }
}

type Details = Pick<
  WireUsageOut,
  'cache_creation' | 'output_tokens_details' | 'server_tool_use' | 'service_tier' | 'speed'
>

/** Only what is known: the vendor leaves the rest out. */
function writtenDetails({ reasoning, toolCalls, tier, cacheWrite = 0, cacheWriteLong }: Usage): Details {
  const details: Details = {}
  // Only where it is known how long the cache lasts.
  if (cacheWriteLong !== undefined) {
    details.cache_creation = {
      ephemeral_5m_input_tokens: Math.max(0, cacheWrite - cacheWriteLong),
      ephemeral_1h_input_tokens: cacheWriteLong,
    }
  }
  if (reasoning !== undefined) details.output_tokens_details = { thinking_tokens: reasoning }
  const { web_search, web_fetch } = toolCalls ?? {}
  if (web_search !== undefined || web_fetch !== undefined) {
    details.server_tool_use = { web_search_requests: web_search ?? 0, web_fetch_requests: web_fetch ?? 0 }
  }
  const known = TIERS.find((each) => each === (tier === 'default' ? 'standard' : tier))
  if (known !== undefined) details.service_tier = known
  if (tier === 'fast') details.speed = 'fast'
  return details
}

const TIERS = ['standard', 'priority', 'batch'] as const
