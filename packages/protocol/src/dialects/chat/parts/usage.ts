// Figures of consumption: where services put them, and as this dialect writes them.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { type Figure, readCount, reportedCalls, reportedCost, type Usage, usageOf } from '../../../canonical/usage.ts'
import type { Answering } from '../../text-dialect.ts'
import type { WrittenTier, WrittenUsage } from '../wire.ts'

/** What stands outside the usage object and is priced with it. `searched`: the answer names pages that were found for it. */
export type Beside = { tier: unknown; searched: boolean }

/** Where services of this dialect list what they found, beside the choices. */
export const SOURCE_LISTS = ['citations', 'search_results'] as const

/** In its own place, within the last choice (Moonshot), or within an extension (Groq). */
export function usageOfBody(body: Json, earlier: Beside = NOTHING_YET): Usage | undefined {
  const choices: readonly unknown[] = Array.isArray(body.choices) ? body.choices : []
  const inner = choices.findLast((choice) => isObject(choice) && isObject(choice.usage))
  const places = [body.usage, isObject(inner) && inner.usage, isObject(body.x_groq) && body.x_groq.usage]
  const reports = places.filter(isObject)
  if (reports.length === 0) return undefined
  const beside = { tier: body.service_tier ?? earlier.tier, searched: earlier.searched || namesPages(body) }
  for (const report of reports) {
    const usage = chatUsage(report, beside)
    if (usage !== undefined) return usage
  }
  return undefined
}

const NOTHING_YET: Beside = { tier: undefined, searched: false }

/** Whether an answer or a chunk of one has pages in it that a search found. */
export function namesPages(body: Json): boolean {
  if (SOURCE_LISTS.some((name) => Array.isArray(body[name]) && body[name].length > 0)) return true
  if (!Array.isArray(body.choices)) return false
  return body.choices.some((choice) => {
    const said = isObject(choice) ? (choice.message ?? choice.delta) : undefined
    return isObject(said) && Array.isArray(said.annotations) && said.annotations.some(isPage)
  })
}

const isPage = (annotation: unknown): boolean => isObject(annotation) && isObject(annotation.url_citation)

/** Undefined when the usage object says nothing. */
export function chatUsage(value: unknown, { tier, searched }: Beside = NOTHING_YET): Usage | undefined {
  if (!isObject(value)) return undefined
  const inputDetails = isObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {}
  const outputDetails = isObject(value.completion_tokens_details) ? value.completion_tokens_details : {}
  const cachedDetails = isObject(inputDetails.cached_tokens_details) ? inputDetails.cached_tokens_details : {}
  const input = readCount(value.prompt_tokens)
  const reasoning = readCount(outputDetails.reasoning_tokens)
  let output = readCount(value.completion_tokens)
  // Some services count reasoning beside the output instead of within it; their total gives it away.
  if (typeof input === 'number' && typeof output === 'number' && typeof reasoning === 'number')
    if (reasoning > 0 && value.total_tokens === input + output + reasoning) output += reasoning
  const usage = usageOf({
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
  const calls = reportedCalls(usage.server_side_tool_usage_details)
  if (calls.web_search !== undefined && calls.web_search !== 0) return calls
  const searches = figure ?? (searched && calls.web_search === undefined ? 1 : undefined)
  return searches === undefined ? calls : { ...calls, web_search: searches }
}

/** What the upstream did not report is what the books will count. */
export function writtenUsage(usage: Usage | undefined, outputBytes: number, { estimate }: Answering): WrittenUsage {
  const isKnown = usage?.input !== undefined && usage.output !== undefined
  const counted = isKnown ? { input: 0, output: 0 } : estimate(outputBytes)
  const input = usage?.input ?? counted.input
  const output = usage?.output ?? counted.output
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: usage?.cachedInput ?? 0,
      ...known({
        cache_write_tokens: usage?.cacheWrite,
        audio_tokens: usage?.audioInput,
        image_tokens: usage?.imageInput,
      }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage?.reasoning ?? 0,
      ...known({ audio_tokens: usage?.audioOutput, image_tokens: usage?.imageOutput }),
    },
  }
}

const known = (figures: Readonly<Record<string, number | undefined>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(figures).flatMap(([name, figure]) => (figure === undefined ? [] : [[name, figure]])),
  )

/** The tier that the answer was served at, in a word of this dialect; other vendors' `standard` is its `default`. */
export function writtenTier(usage: Usage | undefined): { service_tier?: WrittenTier } {
  const word = usage?.tier === 'standard' ? 'default' : usage?.tier
  const tier = TIERS.find((known) => known === word)
  return tier === undefined ? {} : { service_tier: tier }
}

const TIERS: readonly WrittenTier[] = ['default', 'flex', 'scale', 'priority']
