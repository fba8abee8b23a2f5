// Token figures, both ways. Output is counted in two figures here, reasoning apart; zeros are often omitted.

import { isObject, put } from '../../../canonical/reading.ts'
import { checkedUsage, type Figure, readCount, sum, type Usage } from '../../../canonical/usage.ts'
import type { WireModalities, WireUsage } from '../wire.ts'
import type { GroundedCalls } from './grounding.ts'

/** Undefined: no figure in it, as on chunks that only say under which contract they were served. */
export function decodeUsage(wire: WireUsage, grounded: GroundedCalls | undefined): Usage | undefined {
  const prompt = readCount(wire.promptTokenCount)
  const toolUse = readCount(wire.toolUsePromptTokenCount)
  const candidates = readCount(wire.candidatesTokenCount)
  const reasoning = readCount(wire.thoughtsTokenCount)
  const total = readCount(wire.totalTokenCount)
  const cached = readCount(wire.cachedContentTokenCount)
  const toolCalls = grounded?.counts()
  const known = prompt ?? toolUse ?? candidates ?? reasoning ?? total ?? toolCalls?.web_search ?? toolCalls?.google_maps
  if (known === undefined) return undefined
  const input = prompt === undefined ? undefined : sum(prompt, toolUse)
  // A model that only reasoned has no candidates' figure: what is left of the total is its output.
  const output =
    candidates !== undefined ? sum(candidates, reasoning) : (difference(total, input) ?? sum(reasoning, undefined))
  const given = (modality: string): Figure =>
    sum(ofModality(wire.promptTokensDetails, modality), ofModality(wire.toolUsePromptTokensDetails, modality))
  return checkedUsage({
    input: input ?? difference(total, output),
    output,
    cachedInput: cached,
    cacheWrite: undefined,
    reasoning,
    audioInput: given('AUDIO'),
    imageInput: given('IMAGE'),
    cachedAudioInput: ofModality(wire.cacheTokensDetails, 'AUDIO'),
    audioOutput: ofModality(wire.candidatesTokensDetails, 'AUDIO'),
    imageOutput: ofModality(wire.candidatesTokensDetails, 'IMAGE'),
    toolCalls,
    tier: tierOf(wire.trafficType),
  })
}

/** Undefined where the list does not speak of it; a list may speak of one twice. */
function ofModality(details: unknown, modality: string): Figure {
  let figure: Figure
  for (const entry of Array.isArray(details) ? details : [])
    if (isObject(entry) && entry.modality === modality) figure = sum(readCount(entry.tokenCount), figure)
  return figure
}

/** Kinds of traffic that have a price of their own, by the tier that sells them; plain traffic is the standard one. */
const TRAFFIC: Readonly<Record<string, string>> = {
  ON_DEMAND: 'standard',
  ON_DEMAND_PRIORITY: 'priority',
  ON_DEMAND_FLEX: 'flex',
  ON_DEMAND_OFFPEAK: 'offpeak',
  PROVISIONED_THROUGHPUT: 'provisioned_throughput',
}

const tierOf = (traffic: unknown): string | undefined =>
  typeof traffic === 'string' && Object.hasOwn(TRAFFIC, traffic) ? TRAFFIC[traffic] : undefined

const FIGURES = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
] as const
/** What the figures consist of, and how they were served. */
const BESIDE = [
  'promptTokensDetails',
  'toolUsePromptTokensDetails',
  'cacheTokensDetails',
  'candidatesTokensDetails',
  'trafficType',
] as const

/**
 * Reports of one stream are cumulative: the last that was said of each figure counts. One that adds up to its own total
 * stands for itself: it may be that of a second answer, which has no reasoning because it had none.
 */
export function withReport(earlier: WireUsage, report: unknown): WireUsage {
  if (!isObject(report)) return earlier
  const said: WireUsage = {}
  for (const name of FIGURES) {
    const figure = report[name]
    if (figure !== undefined && figure !== null) said[name] = figure as number
  }
  for (const name of BESIDE) if (report[name] !== undefined) Object.assign(said, { [name]: report[name] })
  const { promptTokenCount: prompt, candidatesTokenCount: candidates, totalTokenCount: total } = said
  const whole = sum(
    sum(readCount(prompt), readCount(said.toolUsePromptTokenCount)),
    sum(readCount(candidates), readCount(said.thoughtsTokenCount)),
  )
  if (candidates === undefined || prompt === undefined || whole !== total) return { ...earlier, ...said }
  if (prompt !== earlier.promptTokenCount) return said
  return { ...ofPrompt(earlier), ...said }
}

/** What is known of a prompt stays true as long as it is the same prompt. */
function ofPrompt(earlier: WireUsage): WireUsage {
  const { cachedContentTokenCount, cacheTokensDetails, promptTokensDetails, trafficType } = earlier
  return {
    ...(cachedContentTokenCount === undefined ? {} : { cachedContentTokenCount }),
    ...(cacheTokensDetails === undefined ? {} : { cacheTokensDetails }),
    ...(promptTokensDetails === undefined ? {} : { promptTokensDetails }),
    ...(trafficType === undefined ? {} : { trafficType }),
  }
}

function difference(whole: Figure, part: Figure): number | undefined {
  if (typeof whole !== 'number' || typeof part !== 'number' || part > whole) return undefined
  return whole - part
}

/** What is not known is what the ledger will count, so that clients never see less than they pay for. */
export function encodeUsage(usage: Usage | undefined, estimate: () => { input: number; output: number }): WireUsage {
  const isKnown = usage?.input !== undefined && usage.output !== undefined
  const assumed = isKnown ? undefined : estimate()
  const input = usage?.input ?? assumed?.input ?? 0
  const output = usage?.output ?? assumed?.output ?? 0
  const reasoning = Math.min(usage?.reasoning ?? 0, output)
  const cached = usage?.cachedInput ?? 0
  const written: WireUsage = { promptTokenCount: input }
  if (cached > 0) written.cachedContentTokenCount = cached
  written.candidatesTokenCount = output - reasoning
  if (reasoning > 0) written.thoughtsTokenCount = reasoning
  written.totalTokenCount = input + output
  put(written, 'promptTokensDetails', details(input, usage?.audioInput, usage?.imageInput))
  put(written, 'cacheTokensDetails', details(cached, usage?.cachedAudioInput, undefined))
  put(written, 'candidatesTokensDetails', details(output - reasoning, usage?.audioOutput, usage?.imageOutput))
  put(written, 'trafficType', writtenTraffic(usage?.tier))
  return written
}

/** Only where there is something else than text. */
function details(whole: number, audio = 0, image = 0): WireModalities | undefined {
  if (audio + image === 0) return undefined
  const parts = [
    { modality: 'TEXT', tokenCount: Math.max(0, whole - audio - image) },
    { modality: 'AUDIO', tokenCount: audio },
    { modality: 'IMAGE', tokenCount: image },
  ]
  return parts.filter(({ tokenCount }) => tokenCount > 0)
}

/** Nothing for the usual tier, of which only one of the vendor's two services speaks. */
function writtenTraffic(tier: string | undefined): string | undefined {
  if (tier === undefined || tier === 'standard') return undefined
  return Object.keys(TRAFFIC).find((name) => TRAFFIC[name] === tier)
}
