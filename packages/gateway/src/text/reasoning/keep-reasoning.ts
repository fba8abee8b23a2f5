// Keeps the reasoning of a response that its client cannot send back.

import type { TextCallDependencies } from '../dependencies.ts'
import type { TextCall } from '../text-call.ts'
import { keepReasoning as keep } from './kept-reasoning.ts'

/**
 * Called before the settlement and awaited after it, so that neither waits for the other; the last byte waits for both, since the
 * client's next request needs it.
 */
export function keepReasoning({ attempt, caller }: TextCall, deps: TextCallDependencies): Promise<void> | undefined {
  const { collector } = attempt.answerer
  if (!collector) return undefined
  const calls = collector.calls()
  if (calls.length === 0) return undefined
  return keep(caller.account, attempt.candidate.upstream.id, calls, collector.keepMs, deps)
}
