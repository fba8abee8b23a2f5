// One attempt to submit a video, and the next candidate after one that certainly has not taken it.

import { readAtMost } from '@trivium/http/client/read-response.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import { VIDEO_SERVICES } from '@trivium/protocol/dialects/video-services.ts'
import { codec } from '../../bytes/codec.ts'
import type { CandidateOf, OfferOf } from '../../catalogue/catalogue.ts'
import { errorText } from '../../observe/log.ts'
import type { CallAttempt, Kind, PaidRequest, Routed } from '../../paid-call/paid-request.ts'
import { Failure } from '../../request/failure.ts'
import type { FailedAttempt } from '../../routing/failed-attempt.ts'
import { findNext } from '../../routing/next-attempt.ts'
import { failedByError, failedByOther, failedByReply, failedByThrow } from '../../routing/upstream-errors.ts'
import { placeOf, type TaskHold } from '../../tasks/reserve.ts'
import type { Submitted } from '../../tasks/submit.ts'
import { changeTask } from '../../tasks/task.ts'
import { TASK_TIMING } from '../../tasks/timing.ts'
import type { VideoDependencies } from '../dependencies.ts'
import type { VideoTask } from '../task.ts'
import { type Prepared, prepare, type Submission } from './prepare.ts'
import type { ReadVideoRequest } from './read.ts'
import { dataOf } from './task-data.ts'

export interface VideoKind extends Kind {
  endpoint: undefined
  request: ReadVideoRequest
  offer: OfferOf<'video'>
  routed: Routed<OfferOf<'video'>, CandidateOf<'video'>>
  prepared: Prepared
  hold: TaskHold<VideoTask>
  attempt: CallAttempt & { offer: OfferOf<'video'>; candidate: CandidateOf<'video'> }
  own: { submission: Submission; task: VideoTask }
}

export type VideoSubmit = PaidRequest<VideoKind>

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
  'upstream_unknown_url',
  'upstream_no_credit',
])

export async function attempt(call: VideoSubmit, deps: VideoDependencies): Promise<Submitted> {
  const { attempt, upstreamCall, prepared } = call
  const { upstream, key, route } = attempt.candidate
  const { path, body = [] } = prepared.call
  try {
    attempt.health.sent(performance.now())
    const origin = { record: call.record, model: route.model }
    const outgoing = { path, dialect: prepared.dialect, body, stream: false, headers: {}, key, origin }
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

/** Another candidate, if there is one whose video costs no more than is held. */
export async function moveOn(call: VideoSubmit, failed: FailedAttempt, deps: VideoDependencies): Promise<boolean> {
  const { caller, attempt } = call
  const { wanted } = call.routed
  const { submission, task } = call.own
  type Step = { offer: OfferOf<'video'>; candidate: CandidateOf<'video'> }
  const last = { caller, wanted, offer: attempt.offer, candidate: attempt.candidate }
  const steps = {
    prepare: (offer: OfferOf<'video'>, candidate: CandidateOf<'video'>): Step => ({ offer, candidate }),
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
  const { offer, candidate } = next.prepared
  call.prepared = next.coverage
  const { prepared } = call
  const warnings = [...call.ownWarnings, ...prepared.warnings]
  call.attempt = { offer, candidate, dialect: prepared.dialect, health: next.health, warnings }
  const { held, ...data } = dataOf({ submission, offer, candidate, prepared, warnings })
  // The intent is durable before it is sent.
  const { failedAttempts = [] } = call
  const change = { ...placeOf(candidate), data: { ...data, failedAttempts } }
  const moving = { state: 'submitting' as const, dueInMs: TASK_TIMING.submitClaimMs, ...change }
  let moved: VideoTask | undefined
  try {
    moved = await changeTask(deps.store.tasks, task, moving)
  } finally {
    if (!moved) next.health.end(deps.ticker.now())
  }
  if (!moved) throw failed.failure
  call.own.task = moved
  return true
}
