// Sends a task to upstreams, one after the other, until one takes it. Never twice to one that may have taken it: only an upstream
// that certainly has not lets the next be asked.

import { readAtMost } from '@trivium/http/client/read-response.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import type { UpstreamVideoTask } from '@trivium/protocol/canonical/video.ts'
import { VIDEO_SERVICES } from '@trivium/protocol/dialects/video-services.ts'
import { codec } from '../../bytes/codec.ts'
import type { CandidateOf, OfferOf } from '../../catalogue/catalogue.ts'
import { errorText } from '../../observe/log.ts'
import type { HeldCall } from '../../paid-call/journey.ts'
import type { CallAttempt } from '../../paid-call/paid-call.ts'
import { Failure } from '../../request/failure.ts'
import type { FailedAttempt } from '../../routing/failed-attempt.ts'
import { endAttempt, findNext, type NextAttemptDependencies } from '../../routing/next-attempt.ts'
import {
  failedByError,
  failedByOther,
  failedByReply,
  failedByThrow,
  type UpstreamErrorDependencies,
} from '../../routing/upstream-errors.ts'
import type { Send } from '../../upstreams/send.ts'
import { type CloseDependencies, closeTask } from '../steps/close.ts'
import { endWith, pollInterval } from '../steps/poll.ts'
import { type Change, changeTask, decodeTaskRow, formatTaskId, type Task } from '../task.ts'
import { TASK_TIMING } from '../timing.ts'
import { type PrepareDependencies, type Prepared, prepare, type Submission } from './prepare.ts'
import { dataOf, placeOf, type TaskHold } from './reserve.ts'

export type SubmitDependencies = NextAttemptDependencies &
  UpstreamErrorDependencies &
  PrepareDependencies &
  CloseDependencies & { send: Send; random(): number }

/** One submit, over all its attempts. */
export type SubmitCall = HeldCall<TaskHold> & {
  submission: Submission
  wanted: OfferOf<'video'>
  attempt: CallAttempt & { offer: OfferOf<'video'>; candidate: CandidateOf<'video'> }
  isStream: false
  tried: readonly CandidateOf<'video'>[]
  prepared: Prepared
  task: Task
}

/** `rejected`: no task was made. `unknown`: one may have been. */
type Submitted =
  | { is: 'taken'; record: UpstreamVideoTask }
  | { is: 'unknown'; failed: FailedAttempt }
  | { is: 'rejected'; failed: FailedAttempt }

/** An upstream may have begun, and the message does not tell. Proxies in between have statuses of their own, such as 524. */
const isAmbiguous = (status: number): boolean => status === 408 || (status >= 500 && !NOT_BEGUN.includes(status))
/** Not implemented, and two words for overloaded. */
const NOT_BEGUN: readonly number[] = [501, 503, 529]
const LARGEST_ANSWER = 1024 * 1024
const LONGEST_ID = 1_024
const DEFINITE: ReadonlySet<string> = new Set([
  'bad_request',
  'content_policy_violation',
  'rate_limit_exceeded',
  'upstream_auth_error',
  'upstream_model_not_found',
])

/** Resolves once the task is with an upstream, or may be. Throws Failure if none takes it; the hold is voided then. */
export async function submit(call: SubmitCall, deps: SubmitDependencies): Promise<void> {
  const { tasks } = deps.store
  const renewal = setInterval(
    () => void tasks.renew(call.task.id, call.task.version, TASK_TIMING.submitClaimMs).catch(() => {}),
    TASK_TIMING.submitClaimMs / 3,
  )
  try {
    for (;;) {
      const submitted = await attempt(call, deps)
      if (submitted.is === 'taken') return await taken(call, submitted.record, deps)
      endAttempt(call, submitted.failed, deps)
      if (submitted.is === 'unknown')
        return await record(call, { state: 'unknown', dueInMs: TASK_TIMING.firstSearchMs }, deps)
      if (!(await moveOn(call, submitted.failed, deps))) {
        await reject(call, deps)
        throw submitted.failed.failure
      }
    }
  } finally {
    clearInterval(renewal)
  }
}

async function attempt(call: SubmitCall, deps: SubmitDependencies): Promise<Submitted> {
  const { attempt, upstreamCall, prepared } = call
  const { upstream, key } = attempt.candidate
  const { path, body = [] } = prepared.call
  try {
    attempt.health.sent(performance.now())
    const outgoing = { path, dialect: prepared.dialect, body, stream: false, headers: {}, key }
    const reply = await deps.send(upstream, { ...outgoing, isOnce: true, cancel: upstreamCall.cancellation })
    upstreamCall.headersArrived()
    const { status } = reply
    if (status < 200 || status >= 300) {
      const { failed } = await failedByReply(call, reply, deps)
      if (isAmbiguous(status)) return { is: 'unknown', failed }
      return { is: 'rejected', failed: { ...failed, unbilled: true } }
    }
    const answer = await readAtMost(reply, LARGEST_ANSWER)
    const decoded = answer && VIDEO_SERVICES[prepared.dialect].decodeSubmitted(answer, codec)
    if (decoded?.ok && decoded.value.id.length <= LONGEST_ID) return { is: 'taken', record: decoded.value }
    // An error in place of a task is a rejection, whatever the status, if its meaning is known.
    if (decoded?.ok === false && DEFINITE.has(decoded.error.code))
      return { is: 'rejected', failed: { ...failedByError(call, decoded.error, deps), unbilled: true } }
    return { is: 'unknown', failed: failedByOther('The upstream answered without the id of a task.') }
  } catch (error) {
    const failed = failedByThrow(call, error, deps)
    return { is: failed.unbilled ? 'rejected' : 'unknown', failed }
  }
}

async function taken(call: SubmitCall, { id, status }: UpstreamVideoTask, deps: SubmitDependencies): Promise<void> {
  const now = deps.ticker.now()
  call.attempt.health.answered(now, undefined)
  call.attempt.health.end(now)
  const state = status === 'running' ? 'running' : 'queued'
  await record(call, { state, upstreamTask: id, dueInMs: pollInterval(0, deps.random) }, deps)
}

/** Another candidate, if there is one whose video costs no more than is held. */
async function moveOn(call: SubmitCall, failed: FailedAttempt, deps: SubmitDependencies): Promise<boolean> {
  const { caller, wanted, attempt, tried, submission, task } = call
  type Step = { offer: OfferOf<'video'>; candidate: CandidateOf<'video'>; tried: readonly CandidateOf<'video'>[] }
  const last = { caller, wanted, offer: attempt.offer, candidate: attempt.candidate, tried }
  const steps = {
    prepare: (
      offer: OfferOf<'video'>,
      candidate: CandidateOf<'video'>,
      tried: readonly CandidateOf<'video'>[],
    ): Step => ({
      offer,
      candidate,
      tried,
    }),
    async cover({ offer, candidate }: Step): Promise<Prepared | undefined> {
      const prepared = await prepare(submission, offer, candidate, deps).catch((error: unknown) => {
        // What this candidate cannot express is no error: another one may take the request.
        if (!(error instanceof RequestError || error instanceof Failure))
          deps.log.error('request not prepared for an upstream', {
            upstream: candidate.upstream.id,
            error: errorText(error),
          })
        return undefined
      })
      return prepared && prepared.bound.amount <= BigInt(task.data.held) ? prepared : undefined
    },
  }
  const next = await findNext(call, failed, last, steps, deps)
  if (!next) return false
  const entry = { upstream: attempt.candidate.upstream.id, model: attempt.offer.model.id, outcome: failed.reason }
  const { offer, candidate } = next.prepared
  call.failedAttempts = [...(call.failedAttempts ?? []), entry]
  call.tried = next.prepared.tried
  call.prepared = next.coverage
  const { prepared } = call
  const warnings = [...call.ownWarnings, ...prepared.warnings]
  call.attempt = { offer, candidate, dialect: prepared.dialect, health: next.health, warnings }
  const { held, ...data } = dataOf({ submission, offer, candidate, prepared, warnings })
  // The intent is durable before it is sent.
  const change = { ...placeOf(candidate), data: { ...data, failedAttempts: call.failedAttempts } }
  const moving = { state: 'submitting' as const, dueInMs: TASK_TIMING.submitClaimMs, ...change }
  let moved: Task | undefined
  try {
    moved = await changeTask(deps.store.tasks, task, moving)
  } finally {
    if (!moved) next.health.end(deps.ticker.now())
  }
  if (!moved) throw failed.failure
  call.task = moved
  return true
}

/** No upstream has the task. */
async function reject(call: SubmitCall, deps: SubmitDependencies): Promise<void> {
  const closing = await changeTask(deps.store.tasks, call.task, endWith({ state: 'rejected' }))
  if (closing) await closeTask(closing, deps)
}

const STORE_PAUSE_MS = 500
const STORE_TRIES = 120

/** The upstream may have the task by now, so what is known of it must not get lost: the store is tried for a minute. */
async function record(call: SubmitCall, change: Change, deps: SubmitDependencies): Promise<void> {
  const { tasks } = deps.store
  for (let tries = 1; ; tries++) {
    try {
      const changed = await changeTask(tasks, call.task, change)
      if (changed) {
        call.task = changed
        return
      }
      // Another process took this one for dead.
      const row = await tasks.find(call.task.id)
      if (!row || row.upstreamTask !== undefined || row.state !== 'unknown' || change.upstreamTask === undefined) return
      call.task = decodeTaskRow(row)
    } catch (error) {
      deps.log.error('submitted video task not recorded', { task: formatTaskId(call.id), error: String(error) })
      if (tries >= STORE_TRIES) return
      await Bun.sleep(STORE_PAUSE_MS)
    }
  }
}
