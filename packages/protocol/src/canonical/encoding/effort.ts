// How hard a model should think: a word in some dialects, a number of tokens in others.

import type { CanonicalRequest, Effort, ReasoningWish } from '../request.ts'

const UP_TO: readonly [tokens: number, effort: Effort][] = [
  [0, 'none'],
  [1_024, 'minimal'],
  [4_096, 'low'],
  [12_288, 'medium'],
  [24_576, 'high'],
]

function effortOfBudget(tokens: number): Effort {
  return UP_TO.find(([most]) => tokens <= most)?.[1] ?? 'max'
}

/** The effort that a wish comes to; undefined: the target's own default. */
export function effortOf({ mode, effort, budget }: ReasoningWish): Effort | undefined {
  if (mode === 'off') return 'none'
  if (effort !== undefined) return effort
  return budget === undefined ? undefined : effortOfBudget(budget)
}

/** The client can be shown reasoning and wants it. */
export function wantsReasoning({ from, reasoning }: Pick<CanonicalRequest, 'from' | 'reasoning'>): boolean {
  const { mode, show } = reasoning
  if (mode === 'off' || effortOf(reasoning) === 'none' || show === 'none') return false
  return show !== undefined || (from.showsReasoning && mode !== undefined)
}
