// How hard an upstream's model is to think, and what that does to the cap on its output.

import { effortOf } from '../../../canonical/encoding/effort.ts'
import { wrong } from '../../../canonical/reading.ts'
import type { CanonicalRequest, Effort, ReasoningWish } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { Target } from '../../text-dialect.ts'
import type { WireEffort, WireThinking } from '../wire.ts'
import type { ModelRules } from './model-rules.ts'
import { origin } from './origin.ts'

export type ReasoningPlan = {
  maxTokens: number
  thinking: WireThinking | undefined
  effort: WireEffort | undefined
  /** Sampling fields are not taken together with it. */
  isOn: boolean
}

const LEAST_BUDGET = 1_024
/** Where neither the caller nor the model's limit says anything: much text, and within the limit of most models. */
const USUAL_CAP = 32_000

const BUDGETS: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
}

export type Obstacles = {
  /** A forced tool call leaves no room for reasoning. */
  forcedTool: boolean
  /** The tool call that is being answered was made without reasoning that this vendor signed. */
  unsignedCall: boolean
}

export function planReasoning(
  request: CanonicalRequest,
  target: Target,
  rules: ModelRules,
  { forcedTool, unsignedCall }: Obstacles,
): ReasoningPlan {
  const cap = request.sampling.maxOutput ?? target.maxOutput ?? USUAL_CAP
  const plain: ReasoningPlan = { maxTokens: cap, thinking: undefined, effort: undefined, isOn: false }
  const off: ReasoningPlan = { ...plain, thinking: { type: 'disabled' } }
  const { reasoning } = request
  if (request.from === origin) return asAsked(reasoning, cap, forcedTool || unsignedCall ? target.warn : undefined)
  const wanted = wish(request)
  if (wanted === undefined) return plain
  if (rules.thinking === 'none') {
    if (wanted !== 'none') target.warn('reasoning', 'dropped')
    return plain
  }
  if (wanted === 'none') return off
  if (forcedTool || unsignedCall) {
    target.warn('reasoning', 'off')
    return off
  }
  if (rules.thinking === 'adaptive') {
    const effort = wanted === 'usual' ? undefined : adaptiveEffort(wanted, rules.efforts)
    return { ...plain, thinking: { type: 'adaptive', ...display(reasoning.show) }, effort, isOn: true }
  }
  const budget = Math.max(LEAST_BUDGET, reasoning.budget ?? BUDGETS[wanted === 'usual' ? 'medium' : wanted])
  const room = roomFor(budget, cap, target.maxOutput)
  if (room === undefined) {
    target.warn('reasoning', 'off')
    return off
  }
  return { ...plain, maxTokens: room.cap, thinking: { type: 'enabled', budget_tokens: room.budget }, isOn: true }
}

/** `usual`: as much as is usual. Undefined: nothing was said. */
function wish({ reasoning }: CanonicalRequest): Effort | 'usual' | undefined {
  const effort = effortOf(reasoning)
  if (effort !== undefined) return effort
  return reasoning.mode === 'on' || reasoning.mode === 'auto' ? 'usual' : undefined
}

/** A caller of this dialect knows its rules: what it asked for is what is sent. `obstructed`: unless it cannot be. */
function asAsked(
  { mode, effort, budget, show }: ReasoningWish,
  cap: number,
  obstructed: Warn | undefined,
): ReasoningPlan {
  const word = effort === undefined || effort === 'none' ? undefined : adaptiveEffort(effort, ALL)
  const plain: ReasoningPlan = { maxTokens: cap, thinking: undefined, effort: word, isOn: false }
  if (mode === undefined) return plain
  if (mode !== 'off') obstructed?.('reasoning', 'off')
  if (mode === 'off' || obstructed !== undefined) return { ...plain, thinking: { type: 'disabled' } }
  if (mode === 'auto') return { ...plain, thinking: { type: 'adaptive', ...display(show) }, isOn: true }
  const tokens = budget ?? LEAST_BUDGET
  if (tokens >= cap) {
    throw wrong('thinking.budget_tokens', 'thinking.budget_tokens must be less than max_tokens')
  }
  return { ...plain, thinking: { type: 'enabled', budget_tokens: tokens, ...display(show) }, isOn: true }
}

const ALL: readonly WireEffort[] = ['low', 'medium', 'high', 'xhigh', 'max']

/** The highest word that the model knows and that asks for no more. */
function adaptiveEffort(effort: Exclude<Effort, 'none'>, efforts: readonly WireEffort[]): WireEffort {
  const most = ALL.indexOf(effort === 'minimal' ? 'low' : effort)
  return efforts.findLast((word) => ALL.indexOf(word) <= most) ?? 'low'
}

function display(show: ReasoningWish['show']): { display?: 'summarized' | 'omitted' } {
  if (show === undefined) return {}
  return { display: show === 'none' ? 'omitted' : 'summarized' }
}

/** Reasoning counts as output here and not elsewhere: the cap grows by it, as far as the model's own limit allows. */
function roomFor(budget: number, cap: number, limit: number | undefined): { cap: number; budget: number } | undefined {
  if (budget < cap) return { cap, budget }
  const raised = limit === undefined ? cap + budget : Math.max(cap, Math.min(cap + budget, limit))
  // Where the limit is tight, reasoning leaves the answer what was asked for it, or half.
  const fitting = Math.min(budget, raised - Math.min(cap, Math.ceil(raised / 2)))
  return fitting < LEAST_BUDGET ? undefined : { cap: raised, budget: fitting }
}

/**
 * Sealed as well, so that it is known again: the vendor rejects reasoning without a signature, and a conversation may
 * move there from a model that signs nothing.
 */
export const UNSIGNED = ''
