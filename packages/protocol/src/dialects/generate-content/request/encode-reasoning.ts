// How hard an upstream's model is to think, and whether its reasoning is wanted.

import { effortOf, wantsReasoning } from '../../../canonical/encoding/effort.ts'
import type { CanonicalRequest, Effort } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { ModelRules } from './model-rules.ts'

const LEVEL_OF: Record<Effort, string> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}

const BUDGET_OF: Record<Effort, number> = {
  none: 0,
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: -1,
}

export function encodeReasoning(request: CanonicalRequest, rules: ModelRules, warn: Warn): object | undefined {
  const { reasoning } = request
  if (rules.thinking === 'none') {
    const isAsked = (reasoning.mode ?? 'off') !== 'off' || (reasoning.effort ?? 'none') !== 'none'
    if (isAsked || reasoning.budget !== undefined) warn('reasoning', 'dropped')
    return undefined
  }
  const strength = rules.thinking === 'level' ? levelOf(request, rules, warn) : budgetOf(request, rules, warn)
  const config = { ...(wantsReasoning(request) ? { includeThoughts: true } : {}), ...strength }
  return Object.keys(config).length === 0 ? undefined : config
}

function levelOf({ reasoning }: CanonicalRequest, rules: ModelRules, warn: Warn): object {
  const effort = effortOf(reasoning)
  if (effort === undefined) return {}
  const wanted = LEVEL_OF[effort]
  // Rounded up if possible: less reasoning than requested is worse than more. But reasoning that is off stays off.
  const known = rules.levels.includes(wanted) ? wanted : wanted === 'MINIMAL' ? 'LOW' : 'HIGH'
  if (effort === 'none' || known !== wanted) warn('reasoning', 'clipped')
  return { thinkingLevel: known }
}

function budgetOf({ reasoning }: CanonicalRequest, rules: ModelRules, warn: Warn): object {
  const effort = effortOf(reasoning)
  const asked = reasoning.mode === 'off' || effort === undefined ? undefined : reasoning.budget
  const wanted = asked ?? (effort === undefined ? undefined : BUDGET_OF[effort])
  if (wanted === undefined) return reasoning.mode === 'auto' ? { thinkingBudget: -1 } : {}
  if (wanted < 0) return { thinkingBudget: wanted }
  const { least, most } = rules.budget
  const budget = Math.min(Math.max(wanted, least), most)
  // The words for much thinking mean as much as there is; a number that is not heeded was meant as it stood.
  if (budget !== wanted && (asked !== undefined || wanted < least)) warn('reasoning', 'clipped')
  return { thinkingBudget: budget }
}
