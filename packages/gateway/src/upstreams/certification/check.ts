// What a certification checks: each check is one call of an upstream, which decides one row of the table or several.
import type { Upstream } from '../../config/types.ts'
import type { ModelType } from '../../modalities/index.ts'
import type { Nanos } from '../../money/amount.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import type { Problem } from '../diagnostics/service-check.ts'
import type { CostAt, TimedResult } from '../diagnostics/timed-request.ts'
import type { Send } from '../send.ts'

/** `not offered`: the server or the model does not have it, which is no failure. `not run`: nothing is known. */
export const RESULTS = ['passed', 'failed', 'not offered', 'not run'] as const
export type Result = (typeof RESULTS)[number]

export type Verdict = { result: Result; reason: string | null }

export type Check = {
  /** A dialect or a type of model; `upstream`: what does not depend on a model. */
  part: string
  rows: readonly [string, ...string[]]
  /** The type of the model that is called; absent: none, and the call is free. */
  type?: ModelType
  /** The most that the call can cost; absent: nothing, by any price. */
  bound?(rate: AnyPrice): Nanos | undefined
  /** Decided without a call. */
  known?: Verdict
  run(send: Send, upstream: Upstream): Promise<Outcome>
}

/** `verdicts`: one for each row. */
export type Outcome = {
  verdicts: readonly Verdict[]
  status: number | null
  latency_ms: number
  costAt?: CostAt
  /** The response is not kept as a recording. */
  isUnfit?: true
}

export const PASSED: Verdict = { result: 'passed', reason: null }

export function verdictOf(problem: Problem): Verdict {
  if (problem === undefined) return PASSED
  return typeof problem === 'string'
    ? { result: 'failed', reason: problem }
    : { result: 'not offered', reason: problem.absent }
}

/** `problems`: of the rows, if the reply could be read. `isOptional`: the server may reject such requests. */
export function outcomeOf(
  { rows }: Pick<Check, 'rows'>,
  { status, latency_ms, problem, costAt }: TimedResult,
  problems: readonly Problem[],
  isOptional = false,
): Outcome {
  const failed = problem === null ? undefined : isOptional && isAbsent(status, problem) ? { absent: problem } : problem
  const verdicts = rows.map((_, index) => verdictOf(failed ?? problems[index]))
  return { verdicts, status, latency_ms, ...(costAt ? { costAt } : {}) }
}

/** Whether a rejection says that something does not exist here. Local servers say so with status 500, too. */
const isAbsent = (status: number | null, problem: string): boolean =>
  status !== null &&
  ([400, 404, 405, 415, 422, 501].includes(status) || /not (?:been )?(?:support|implement)/i.test(problem))
