// Token figures, both ways. Output is counted in two figures here, thoughts apart; zeros are often left out.

import { isObject } from '../../../canonical/reading.ts'
import { readCount, type Usage, usageOf } from '../../../canonical/usage.ts'
import type { WireUsage } from '../wire.ts'

type Figure = number | undefined | 'absurd'

/** Undefined: no figure in it, as on chunks that only say under which contract they were served. */
export function readUsage(wire: WireUsage): Usage | undefined {
  const prompt = readCount(wire.promptTokenCount)
  const toolUse = readCount(wire.toolUsePromptTokenCount)
  const candidates = readCount(wire.candidatesTokenCount)
  const thoughts = readCount(wire.thoughtsTokenCount)
  const total = readCount(wire.totalTokenCount)
  const cached = readCount(wire.cachedContentTokenCount)
  if ([prompt, toolUse, candidates, thoughts, total].every((figure) => figure === undefined)) return undefined
  const input = prompt === undefined ? undefined : sum(prompt, toolUse)
  // A model that only thought has no candidates' figure: what is left of the total is its output.
  const output =
    candidates !== undefined ? sum(candidates, thoughts) : (difference(total, input) ?? sum(thoughts, undefined))
  return usageOf({
    input: input ?? difference(total, output),
    output,
    cachedInput: cached,
    cacheWrite: undefined,
    reasoning: thoughts,
  })
}

const FIGURES = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
] as const

/**
 * Reports of one stream are cumulative: the last that was said of each figure counts. One that adds up to its own total
 * stands for itself: it may be that of a second answer, which has no thoughts because it had none.
 */
export function withReport(earlier: WireUsage, report: unknown): WireUsage {
  if (!isObject(report)) return earlier
  const said: WireUsage = {}
  for (const name of FIGURES) {
    const figure = report[name]
    if (figure !== undefined && figure !== null) said[name] = figure as number
  }
  const { promptTokenCount: prompt, candidatesTokenCount: candidates, totalTokenCount: total } = said
  const whole = sum(
    sum(readCount(prompt), readCount(said.toolUsePromptTokenCount)),
    sum(readCount(candidates), readCount(said.thoughtsTokenCount)),
  )
  if (candidates === undefined || prompt === undefined || whole !== total) return { ...earlier, ...said }
  const { cachedContentTokenCount: cached } = earlier
  return prompt === earlier.promptTokenCount && cached !== undefined
    ? { cachedContentTokenCount: cached, ...said }
    : said
}

function sum(one: Figure, other: Figure): Figure {
  if (one === 'absurd' || other === 'absurd') return 'absurd'
  return one === undefined ? other : one + (other ?? 0)
}

function difference(whole: Figure, part: Figure): number | undefined {
  if (typeof whole !== 'number' || typeof part !== 'number' || part > whole) return undefined
  return whole - part
}

/** What is not known is what the books will count, so that clients never see less than they pay for. */
export function writeUsage(usage: Usage | undefined, estimate: () => { input: number; output: number }): WireUsage {
  const isKnown = usage?.input !== undefined && usage.output !== undefined
  const assumed = isKnown ? undefined : estimate()
  const input = usage?.input ?? assumed?.input ?? 0
  const output = usage?.output ?? assumed?.output ?? 0
  const thoughts = Math.min(usage?.reasoning ?? 0, output)
  const cached = usage?.cachedInput ?? 0
  return {
    promptTokenCount: input,
    ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
    candidatesTokenCount: output - thoughts,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    totalTokenCount: input + output,
  }
}
