// Figures of consumption: read from a Response object and from the items of hosted tools, and as this dialect writes them.

import { isObject, type Json } from '../../../canonical/reading.ts'
import {
  checkedUsage,
  type Figure,
  readCount,
  reportedCalls,
  reportedCost,
  type Usage,
} from '../../../canonical/usage.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import type { WrittenConsumption, WrittenTier, WrittenUsage } from '../wire.ts'

/** Calls of hosted tools in one answer, each counted once however often it is told of. */
export type HostedCalls = {
  /** An item as it is when it is done. Returns whether it is a call that counts. */
  add(item: Json, index: number): boolean
  /** The items of the last event, which are the whole answer: where it repeats calls, only those count. */
  replace(output: readonly unknown[]): void
  counts(): Record<string, number>
}

/** Items that a vendor of this dialect bills by the call, by the gateway's names for the tools. */
const BILLED_ITEMS: Readonly<Record<string, string>> = {
  web_search_call: 'web_search',
  file_search_call: 'file_search',
  code_interpreter_call: 'code_interpreter',
  image_generation_call: 'image_generation',
  x_search_call: 'x_search',
  shell_call: 'container',
}

/** More calls than this in one answer are not remembered one by one. */
const MOST_CALLS = 10_000

export function openHostedCalls(): HostedCalls {
  let calls = new Map<string, string>()
  return {
    add(item, index) {
      const call = callOf(item, index)
      if (call === undefined || calls.size >= MOST_CALLS) return false
      calls.set(call.key, call.tool)
      return true
    },
    replace(output) {
      const repeated = output.flatMap((item, index) => (isObject(item) ? (callOf(item, index) ?? []) : []))
      if (repeated.length > 0) calls = new Map(repeated.slice(0, MOST_CALLS).map(({ key, tool }) => [key, tool]))
    },
    counts() {
      const counts: Record<string, number> = {}
      for (const tool of calls.values()) counts[tool] = (counts[tool] ?? 0) + 1
      return counts
    },
  }
}

/** `key`: what is billed once. Containers are billed by the session, so all calls in one of them are one. */
function callOf(item: Json, index: number): { tool: string; key: string } | undefined {
  const { type, id, action, environment } = item
  const tool = typeof type === 'string' && Object.hasOwn(BILLED_ITEMS, type) ? BILLED_ITEMS[type] : undefined
  if (tool === undefined || item.status === 'failed') return undefined
  // Pages that are opened or looked through after a search are not billed again.
  const isFollowUp = isObject(action) && action.type !== undefined && action.type !== 'search'
  if (tool === 'web_search' && isFollowUp) return undefined
  const place = isObject(environment) ? environment : item
  const container = typeof place.container_id === 'string' ? place.container_id : undefined
  // A shell on the caller's own machine costs nothing.
  if (tool === 'container' && container === undefined) return undefined
  return { tool, key: container ?? (typeof id === 'string' && id !== '' ? id : `${type} ${index}`) }
}

/** Undefined when neither figures nor calls are known. */
export function decodeUsage(response: unknown, calls: HostedCalls | undefined): Usage | undefined {
  const holder = isObject(response) ? response : {}
  const value = isObject(holder.usage) ? holder.usage : {}
  const inputDetails = isObject(value.input_tokens_details) ? value.input_tokens_details : {}
  const outputDetails = isObject(value.output_tokens_details) ? value.output_tokens_details : {}
  const input = readCount(value.input_tokens ?? value.prompt_tokens)
  const output = readCount(value.output_tokens ?? value.completion_tokens)
  const reasoning = readCount(outputDetails.reasoning_tokens)
  const toolCalls = toolCallsOf(holder, value, calls)
  if (input === undefined && output === undefined && Object.keys(toolCalls).length === 0) return undefined
  return checkedUsage({
    input,
    output: wholeOutput(value.total_tokens, input, output, reasoning),
    cachedInput: readCount(inputDetails.cached_tokens),
    cacheWrite: readCount(inputDetails.cache_write_tokens),
    reasoning,
    audioInput: readCount(inputDetails.audio_tokens),
    imageInput: readCount(inputDetails.image_tokens),
    audioOutput: readCount(outputDetails.audio_tokens),
    imageOutput: readCount(outputDetails.image_tokens),
    toolCalls,
    tier: holder.service_tier,
    upstreamCost: reportedCost(value),
  })
}

/** Hosted tool calls that were seen, unless the vendor reports a count. */
function toolCallsOf(holder: Json, usage: Json, seen: HostedCalls | undefined): Record<string, Figure> {
  const calls: Record<string, Figure> = seen?.counts() ?? {}
  const { tool_usage: tools } = holder
  // What the vendor itself counts as searches, beside the usage.
  const search = isObject(tools) ? tools.web_search : undefined
  const searches = isObject(search) ? readCount(search.num_requests) : undefined
  if (searches !== undefined) calls.web_search = searches
  const { server_side_tool_usage_details: details } = usage
  if (details === undefined) return calls
  const reported = reportedCalls(details)
  // A service that counts them all tells zero of those that it counts otherwise: that does not unsay what was seen.
  for (const tool in reported) if (reported[tool] !== 0) calls[tool] = reported[tool]
  return calls
}

/** Some services leave reasoning out of the output; their total gives it away. */
function wholeOutput(total: unknown, input: Figure, output: Figure, reasoning: Figure): Figure {
  if (typeof input !== 'number' || typeof output !== 'number' || typeof reasoning !== 'number') return output
  return input + output + reasoning === total ? output + reasoning : output
}

/** Figures that the upstream did not report are estimates; details have no word for unknown. */
function writtenFigures(usage: Usage | undefined, outputBytes: number, answering: ReplyContext): WrittenUsage {
  const isKnown = usage?.input !== undefined && usage.output !== undefined
  const estimate = isKnown ? undefined : answering.estimate(outputBytes)
  const input = usage?.input ?? estimate?.input ?? 0
  const output = usage?.output ?? estimate?.output ?? 0
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage?.cachedInput ?? 0, cache_write_tokens: usage?.cacheWrite ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0 },
    total_tokens: input + output,
  }
}

/** The usage of a Response object, and beside it the tier that it was served at and how often it was searched for. */
export function encodeUsage(
  usage: Usage | undefined,
  outputBytes: number,
  answering: ReplyContext,
): WrittenConsumption {
  const word = usage?.tier === 'standard' ? 'default' : usage?.tier
  const tier = TIERS.find((known) => known === word)
  const searches = usage?.toolCalls?.web_search
  return {
    usage: writtenFigures(usage, outputBytes, answering),
    ...(tier === undefined ? {} : { service_tier: tier }),
    ...(searches === undefined ? {} : { tool_usage: { image_gen: NO_IMAGES, web_search: { num_requests: searches } } }),
  }
}

const NO_TOKENS = { image_tokens: 0, text_tokens: 0 }
/** Clients demand it beside the searches. Tokens of images that were made are in the usage. */
const NO_IMAGES = {
  input_tokens: 0,
  input_tokens_details: NO_TOKENS,
  output_tokens: 0,
  output_tokens_details: NO_TOKENS,
  total_tokens: 0,
}

const TIERS: readonly WrittenTier[] = ['default', 'flex', 'scale', 'priority']
