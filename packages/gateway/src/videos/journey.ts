// The journey of a submit: what differs from other paid calls (paid-call/open.ts).
//   read -> authorize -> (claim) -> route -> prepare -> hold, with a durable task -> respond: submit
// What follows it happens outside of any request: see tasks/worker.ts.

import type { HttpResponse } from '@trivium/http/response.ts'
import { encodeSubmitted } from '@trivium/protocol/dialects/video-tasks/task/encode-task.ts'
import { authorize } from '../access/authorize.ts'
import type { RequestRecord } from '../observe/request-record.ts'
import { endClaim } from '../paid-call/claim.ts'
import type { Journey } from '../paid-call/journey.ts'
import { openPaidCall } from '../paid-call/open.ts'
import { showWarnings } from '../paid-call/warnings.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { takeCandidate } from '../routing/take-candidate.ts'
import type { Caller } from '../storage/storage.ts'
import { callerIdsOf } from '../tasks/caller-ids.ts'
import { reserveTask } from '../tasks/reserve.ts'
import { submitTask } from '../tasks/submit.ts'
import { formatTaskId } from '../tasks/task.ts'
import type { VideoDependencies } from './dependencies.ts'
import { prepare, type Submission } from './submitting/prepare.ts'
import { offerFor, readRequest } from './submitting/read.ts'
import { attempt, moveOn, type VideoKind, type VideoSubmit } from './submitting/submit.ts'
import { dataOf, deadlineOf } from './submitting/task-data.ts'
import type { VideoTask } from './task.ts'

export const submitVideo = (incoming: ApiRequest, deps: VideoDependencies): Promise<HttpResponse> =>
  openPaidCall(VIDEOS, incoming, undefined, deps)

const VIDEOS: Journey<VideoKind, VideoDependencies> = {
  dialectOf: () => 'video-tasks',
  read: readRequest,
  authorize: (caller, { video }, catalogue) => authorize(caller, video.model, 'video', catalogue),
  attribution: ({ video }) => video.attribution,
  fingerprint: ({ body }) => ({ endpoint: 'video-tasks', body }),
  resume,
  async route(opening, deps) {
    const { caller, incoming, tooExpensive } = opening
    const { offer: wanted, draft } = await offerFor(opening.request.video, opening, deps)
    opening.request = { ...opening.request, draft }
    return takeCandidate({ wanted, caller, incoming, tooExpensive }, deps)
  },
  prepare: (opening, deps) => prepare(submissionOf(opening), opening.routed.offer, opening.routed.candidate, deps),
  hold(request, deps) {
    const { incoming, routed, prepared } = request
    const { offer, candidate } = routed
    const warnings = [...request.ownWarnings, ...prepared.warnings]
    const reservation = { submission: submissionOf(request), offer, candidate, prepared, warnings }
    const { model } = request.request.video
    const { serviceTier } = prepared
    const { record } = incoming
    const data = { ...dataOf(reservation), ...traceOf(record), ...callerIdsOf(record) }
    const task = { model, serviceTier, candidate, data, deadlineInMs: deadlineOf(reservation) }
    return reserveTask(request, task, deps)
  },
  begin(request) {
    const { prepared, routed } = request
    const { offer, candidate, health } = routed
    const warnings = [...request.ownWarnings, ...prepared.warnings]
    request.attempt = { offer, candidate, dialect: prepared.dialect, health, warnings }
    request.own = { submission: submissionOf(request), task: request.hold.task }
  },
  respond,
}

/** What the task's calls after the submit are traced by. */
function traceOf({ trace }: RequestRecord): Pick<VideoTask['data'], 'trace'> {
  if (!trace?.own?.isSampled) return {}
  const { traceId, spanId } = trace.own
  return { trace: { traceId, spanId } }
}

const submissionOf = ({ request: { video, draft }, incoming, slot }: VideoSubmit): Submission => ({
  request: video,
  draft,
  reference: formatTaskId(incoming.id),
  slot,
})

/** The submit runs to its end whatever the client does: what an upstream has begun is billed. */
async function respond(call: VideoSubmit, deps: VideoDependencies): Promise<HttpResponse> {
  const { claim, headers, record, slot } = call
  const end = (outcome: 'completed' | 'failed', body: Uint8Array | undefined) =>
    claim ? endClaim(claim, { outcome, charged: 0n, headers, body }, deps) : undefined
  slot.setAwaitingUpstream(true)
  try {
    await submitTask(
      call,
      { attempt: (one) => attempt(one, deps), moveOn: (one, failed) => moveOn(one, failed, deps) },
      deps,
    )
  } catch (error) {
    await end('failed', undefined)
    throw error
  }
  showWarnings(call.attempt.warnings, headers)
  headers.set('content-type', 'application/json')
  record.upstream = call.attempt.candidate.upstream.id
  record.outcome = 'submitted'
  const body = Buffer.from(encodeSubmitted(formatTaskId(call.id)))
  await end('completed', body)
  return { status: 200, headers, body }
}

/** A task that exists answers every repetition of its request, whatever became of the process that submitted it. */
async function resume(
  first: bigint,
  { account }: Caller,
  { store }: VideoDependencies,
): Promise<Uint8Array | undefined> {
  const row = await store.tasks.find(first)
  const isThere = row?.account === account && row.state !== 'accepted' && row.state !== 'submitting'
  return isThere ? Buffer.from(encodeSubmitted(formatTaskId(first))) : undefined
}
