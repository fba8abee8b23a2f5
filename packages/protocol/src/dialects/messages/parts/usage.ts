// Token figures of this dialect: `input_tokens` is what no cache had a part in, so the whole is a sum of three.

import { readCount, type Usage, usageOf } from '../../../canonical/usage.ts'
import type { WireUsage, WireUsageOut } from '../wire.ts'

type Figure = number | undefined | 'absurd'

/** In the dialect's own terms: only these can be merged report by report, since any of the three may come late. */
export type Figures = { fresh: Figure; cacheRead: Figure; cacheWrite: Figure; output: Figure; thinking: Figure }

export const NO_FIGURES: Figures = {
  fresh: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  output: undefined,
  thinking: undefined,
}

export function readFigures(usage: WireUsage): Figures {
  const { cache_creation: split, output_tokens_details: details } = usage
  const bySplit = sum(readCount(split?.ephemeral_5m_input_tokens), readCount(split?.ephemeral_1h_input_tokens))
  return {
    fresh: readCount(usage.input_tokens),
    cacheRead: readCount(usage.cache_read_input_tokens),
    cacheWrite: readCount(usage.cache_creation_input_tokens) ?? bySplit,
    output: readCount(usage.output_tokens),
    thinking: readCount(details?.thinking_tokens),
  }
}

/** Of a `message_start`. What stands there before anything was said is a place holder, not what the answer took. */
export function startFigures(message: { usage?: unknown; stop_reason?: unknown }): Figures {
  const reported = readFigures((message.usage ?? {}) as WireUsage)
  const isPlaceHolder = typeof message.stop_reason !== 'string' && (reported.output === 0 || reported.output === 1)
  return isPlaceHolder ? { ...reported, output: undefined } : reported
}

/**
 * Reports are totals so far: a later one wins where it says something. One that says nothing but zeros of the input does
 * not unsay tokens that were reported before: some services fill in what they do not know.
 */
export function mergeFigures(earlier: Figures, later: Figures): Figures {
  const unsaysInput = inputOf(later) === 0 && inputOf(earlier) !== 0
  const input = unsaysInput ? earlier : later
  return {
    fresh: input.fresh ?? earlier.fresh,
    cacheRead: input.cacheRead ?? earlier.cacheRead,
    cacheWrite: input.cacheWrite ?? earlier.cacheWrite,
    output: later.output === 0 ? (earlier.output ?? 0) : (later.output ?? earlier.output),
    thinking: later.thinking ?? earlier.thinking,
  }
}

const inputOf = ({ fresh, cacheRead, cacheWrite }: Figures): Figure => sum(sum(fresh, cacheRead), cacheWrite)

/** Undefined when nothing is known at all. */
export function usageFrom(figures: Figures): Usage | undefined {
  if (Object.values(figures).every((figure) => figure === undefined)) return undefined
  const { fresh, cacheRead, cacheWrite, output, thinking } = figures
  return usageOf({
    input: fresh === undefined ? undefined : inputOf(figures),
    output,
    cachedInput: cacheRead,
    cacheWrite,
    reasoning: thinking,
  })
}

function sum(one: Figure, other: Figure): Figure {
  if (one === 'absurd' || other === 'absurd') return 'absurd'
  return one === undefined ? other : one + (other ?? 0)
}

/** What the books will count where the upstream reported nothing. */
export type Estimate = (outputBytes: number) => { input: number; output: number }

export function writeUsage(usage: Usage | undefined, outputBytes: number, estimate: Estimate): WireUsageOut {
  const input = usage?.input ?? estimate(outputBytes).input
  const output = usage?.output ?? estimate(outputBytes).output
  const cacheRead = usage?.cachedInput ?? 0
  const cacheWrite = usage?.cacheWrite ?? 0
  return {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: null,
    output_tokens: output,
    output_tokens_details: usage?.reasoning === undefined ? null : { thinking_tokens: usage.reasoning },
    server_tool_use: null,
    service_tier: null,
    inference_geo: null,
    speed: null,
  }
}
