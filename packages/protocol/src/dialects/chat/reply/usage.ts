// Figures of consumption: where services put them, and as this dialect writes them.

import { isObject, type Json, put } from '../../../canonical/reading.ts'
import {
  checkedUsage,
  type Figure,
  readCount,
  reportedCalls,
  reportedCost,
  type Usage,
} from '../../../canonical/usage.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import type { WrittenTier, WrittenUsage } from '../wire.ts'

/** What stands outside the usage object and is priced with it. `searched`: the answer names pages that were found for it. */
export type Beside = { tier: unknown; searched: boolean }

/** Where services of this dialect list what they found, beside the choices. */
export const SOURCE_LISTS = ['citations', 'search_results'] as const

/** In its own place, within the last choice (Moonshot), or within an extension (Groq): the first that says something. */
export function usageOfBody(body: Json, earlier: Beside = NOTHING_YET): Usage | undefined {
  const inner = lastWithUsage(body.choices)
  const extension = isObject(body.x_groq) ? body.x_groq.usage : undefined
  if (!isObject(body.usage) && inner === undefined && !isObject(extension)) return undefined
  const beside = { tier: body.service_tier ?? earlier.tier, searched: earlier.searched || namesPages(body) }
  return decodeUsage(body.usage, beside) ?? decodeUsage(inner, beside) ?? decodeUsage(extension, beside)
}

/** The usage of the last choice that has one. */
function lastWithUsage(choices: unknown): Json | undefined {
  if (!Array.isArray(choices)) return undefined
  for (let at = choices.length - 1; at >= 0; at--) {
    const choice: unknown = choices[at]
    if (isObject(choice) && isObject(choice.usage)) return choice.usage
  }
  return undefined
}

const NOTHING_YET: Beside = { tier: undefined, searched: false }

/** Whether an answer or a chunk of one has pages in it that a search found. */
export function namesPages(body: Json): boolean {
  for (const name of SOURCE_LISTS) {
    const list = body[name]
    if (Array.isArray(list) && list.length > 0) return true
  }
  if (!Array.isArray(body.choices)) return false
  for (const choice of body.choices) {
    const said = isObject(choice) ? (choice.message ?? choice.delta) : undefined
    if (isObject(said) && Array.isArray(said.annotations) && said.annotations.some(isPage)) return true
  }
  return false
}

const isPage = (annotation: unknown): boolean => isObject(annotation) && isObject(annotation.url_citation)

const NO_DETAILS: Json = {}

/** Undefined when the usage object says nothing. */
export function decodeUsage(value: unknown, { tier, searched }: Beside = NOTHING_YET): Usage | undefined {
  if (!isObject(value)) return undefined
  const inputDetails = isObject(value.prompt_tokens_details) ? value.prompt_tokens_details : NO_DETAILS
  const outputDetails = isObject(value.completion_tokens_details) ? value.completion_tokens_details : NO_DETAILS
  const cachedDetails = isObject(inputDetails.cached_tokens_details) ? inputDetails.cached_tokens_details : NO_DETAILS
  const input = readCount(value.prompt_tokens)
  const reasoning = readCount(outputDetails.reasoning_tokens)
  let output = readCount(value.completion_tokens)
  // Some services count reasoning beside the output instead of within it; their total gives it away.
  if (typeof input === 'number' && typeof output === 'number' && typeof reasoning === 'number')
    if (reasoning > 0 && value.total_tokens === input + output + reasoning) output += reasoning
  const usage = checkedUsage({
    input,
    output,
    cachedInput: readCount(inputDetails.cached_tokens ?? value.prompt_cache_hit_tokens ?? value.cached_tokens),
    cacheWrite: readCount(inputDetails.cache_write_tokens),
    reasoning,
    audioInput: readCount(inputDetails.audio_tokens),
    imageInput: readCount(inputDetails.image_tokens),
    cachedAudioInput: readCount(cachedDetails.audio_tokens),
    audioOutput: readCount(outputDetails.audio_tokens),
    imageOutput: readCount(outputDetails.image_tokens),
    toolCalls: hostedCalls(value, searched),
    tier,
    upstreamCost: reportedCost(value),
  })
  const saysNothing = usage.input === undefined && usage.output === undefined && !usage.absurd
  return saysNothing ? undefined : usage
}

/**
 * Searches, by the figure that the service bills: xAI's sources, Perplexity's queries. Where there is none, an answer that
 * names the pages it was made of is one search, which is what OpenAI bills for its search models.
 */
function hostedCalls(usage: Json, searched: boolean): Record<string, Figure> | undefined {
  const figure = readCount(usage.num_sources_used) ?? readCount(usage.num_search_queries)
  const details = usage.server_side_tool_usage_details
  if (figure === undefined && !searched && !isObject(details)) return undefined
  const calls = reportedCalls(details)
  if (calls.web_search !== undefined && calls.web_search !== 0) return calls
  const searches = figure ?? (searched && calls.web_search === undefined ? 1 : undefined)
  return searches === undefined ? calls : { ...calls, web_search: searches }
}

/** What the upstream did not report is what the ledger will count. */
export function encodeUsage(usage: Usage | undefined, outputBytes: number, { estimate }: ReplyContext): WrittenUsage {
  const isKnown = usage?.input !== undefined && usage.output !== undefined
  const counted = isKnown ? { input: 0, output: 0 } : estimate(outputBytes)
  const input = usage?.input ?? counted.input
  const output = usage?.output ?? counted.output
  const inputDetails: WrittenUsage['prompt_tokens_details'] = { cached_tokens: usage?.cachedInput ?? 0 }
  put(inputDetails, 'cache_write_tokens', usage?.cacheWrite)
  put(inputDetails, 'audio_tokens', usage?.audioInput)
  put(inputDetails, 'image_tokens', usage?.imageInput)
  const outputDetails: WrittenUsage['completion_tokens_details'] = { reasoning_tokens: usage?.reasoning ?? 0 }
  put(outputDetails, 'audio_tokens', usage?.audioOutput)
  put(outputDetails, 'image_tokens', usage?.imageOutput)
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: inputDetails,
    completion_tokens_details: outputDetails,
  }
}

/** The tier that the answer was served at, in a word of this dialect; other vendors' `standard` is its `default`. */
export function encodeTier(usage: Usage | undefined): WrittenTier | undefined {
  if (usage?.tier === undefined) return undefined
  const word = usage.tier === 'standard' ? 'default' : usage.tier
  return TIERS.find((known) => known === word)
}

const TIERS: readonly WrittenTier[] = ['default', 'flex', 'scale', 'priority']
