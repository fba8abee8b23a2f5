// The journey of a submit, on the core of all paid calls:
//   authenticate -> admit -> read -> authorize -> (claim) -> route -> prepare -> reserve -> submit -> respond
// What follows it happens outside of any request: see worker.ts.

import type { HttpResponse } from '@trivium/http/response.ts'
import { encodeSubmitted } from '@trivium/protocol/dialects/video-tasks/task/encode-task.ts'
import { type AuthenticateDependencies, authenticate } from '../access/authenticate.ts'
import type { Catalogue, OfferOf } from '../catalogue/catalogue.ts'
import { type AdmitDependencies, admit } from '../paid-call/admit.ts'
import { claim, confirmClaim, endClaim, IDEMPOTENCY_KEY, type KeyClaim, releaseClaim } from '../paid-call/claim.ts'
import { unavailable } from '../paid-call/hold-errors.ts'
import { recentRateLimit } from '../paid-call/rate-limit-errors.ts'
import type { SettleDependencies } from '../paid-call/settle.ts'
import { showWarnings } from '../paid-call/writing/show-warnings.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { releaseSlot, type TakeDependencies, takeCandidate } from '../routing/take-candidate.ts'
import type { Node } from '../storage/node/node.ts'
import type { Caller } from '../storage/storage.ts'
import { prepare, type Submission } from './submitting/prepare.ts'
import { offerFor, type ReadTaskDependencies, readRequest } from './submitting/read.ts'
import { type ReserveDependencies, reserve } from './submitting/reserve.ts'
import { type SubmitCall, type SubmitDependencies, submit } from './submitting/submit.ts'
import { changeTask, formatTaskId } from './task.ts'
import { TASK_TIMING } from './timing.ts'

export type TaskDependencies = {
  /** The configuration in force. A request takes it once and keeps it. */
  catalogue(): Catalogue
  node: Node
} & AuthenticateDependencies &
  AdmitDependencies &
  ReadTaskDependencies &
  TakeDependencies &
  ReserveDependencies &
  SubmitDependencies &
  SettleDependencies

export async function submitTask(incoming: ApiRequest, deps: TaskDependencies): Promise<HttpResponse> {
  const caller = await authenticate(incoming, 'video-tasks', deps)
  const catalogue = deps.catalogue()
  const idempotencyKey = incoming.http.headers.get(IDEMPOTENCY_KEY)
  const rateLimited = recentRateLimit(caller, undefined, deps)
  if (rateLimited && idempotencyKey === null) throw rateLimited
  const slot = await admit(incoming, caller, deps)
  let claimed: KeyClaim | undefined
  try {
    const { request, body } = await readRequest(incoming, slot, catalogue, deps)
    const { offer, draft } = await offerFor(request, caller, catalogue, deps)
    const warnings: string[] = []
    if (idempotencyKey !== null) {
      const keyed = { incoming, caller, endpoint: 'video-tasks', body, warnings, idempotencyKey, rateLimited }
      const resume = (first: bigint) => responseOf(first, caller, deps)
      const found = await claim({ ...keyed, resume }, catalogue.config.retention, deps)
      if (found && 'status' in found) {
        incoming.record.outcome = 'replayed'
        return found
      }
      claimed = found
    }
    const submission = { request, draft, reference: formatTaskId(incoming.id), slot }
    const call = await begin({ incoming, catalogue, submission, warnings, claimed }, caller, offer, deps)
    slot.paid()
    slot.setAwaitingUpstream(true)
    deps.retryBudget.addRequest()
    return await respond(call, incoming, claimed, deps)
  } catch (error) {
    if (claimed) await releaseClaim(claimed, deps)
    throw error
  } finally {
    slot.setAwaitingUpstream(false)
    slot.release()
  }
}

/** The submit runs to its end whatever the client does: what an upstream has begun is billed. */
async function respond(
  call: SubmitCall,
  { responseHeaders: headers, record }: ApiRequest,
  claimed: KeyClaim | undefined,
  deps: TaskDependencies,
): Promise<HttpResponse> {
  call.upstreamCall.sent()
  const end = (outcome: 'completed' | 'failed', body: Uint8Array | undefined) =>
    claimed ? endClaim(claimed, { outcome, charged: 0n, headers, body }, deps) : undefined
  try {
    await submit(call, deps)
  } catch (error) {
    await end('failed', undefined)
    throw error
  } finally {
    call.upstreamCall.stop()
  }
  const { warnings } = call.task.data
  showWarnings(warnings, headers)
  headers.set('content-type', 'application/json')
  record.upstream = call.attempt.candidate.upstream.id
  record.outcome = 'submitted'
  const body = Buffer.from(encodeSubmitted(formatTaskId(call.id)))
  await end('completed', body)
  return { status: 200, headers, body }
}

/** A task that exists answers every repetition of its request, whatever became of the process that submitted it. */
async function responseOf(
  first: bigint,
  { account }: Caller,
  { store }: TaskDependencies,
): Promise<Uint8Array | undefined> {
  const row = await store.tasks.find(first)
  const isThere = row?.account === account && row.state !== 'accepted' && row.state !== 'submitting'
  return isThere ? Buffer.from(encodeSubmitted(formatTaskId(first))) : undefined
}

type Context = {
  incoming: ApiRequest
  catalogue: Catalogue
  submission: Submission
  warnings: string[]
  claimed: KeyClaim | undefined
}

/** A key that changes this often between lookup and hold is changed on purpose. */
const MOST_KEY_CHANGES = 3

/** A candidate with its slots, and the task, which is durable and whose cost is held. */
async function begin(
  context: Context,
  caller: Caller,
  offer: OfferOf<'video'>,
  deps: TaskDependencies,
): Promise<SubmitCall> {
  let [current, wanted] = [caller, offer]
  for (let changes = 0; changes < MOST_KEY_CHANGES; changes++) {
    const call = await beginAs(context, current, wanted, deps)
    if (call) return call
    current = await authenticate(context.incoming, 'video-tasks', deps, current)
    wanted = (await offerFor(context.submission.request, current, context.catalogue, deps)).offer
  }
  throw unavailable()
}

/** undefined: the key has changed since it was looked up. */
async function beginAs(
  context: Context,
  caller: Caller,
  wanted: OfferOf<'video'>,
  deps: TaskDependencies,
): Promise<SubmitCall | undefined> {
  const { incoming, submission, warnings, claimed } = context
  const routed = await takeCandidate(wanted, caller, incoming, (upstream) => upstream, deps)
  const { offer, candidate, upstreamCall, health } = routed
  let isBegun = false
  try {
    const prepared = await prepare(submission, offer, candidate, deps)
    const accepted = await reserve({ incoming, submission, offer, candidate, prepared, warnings }, caller, deps)
    if (!accepted) return undefined
    if (claimed) await confirmClaim(claimed, { void: abandon }, () => {})
    // The intent is durable before it is sent.
    const task = await changeTask(deps.store.tasks, accepted, {
      state: 'submitting',
      dueInMs: TASK_TIMING.submitClaimMs,
    })
    if (!task) throw unavailable()
    isBegun = true
    return {
      id: incoming.id,
      caller,
      submission,
      wanted,
      prepared,
      task,
      upstreamCall,
      tried: [],
      failedAttempts: undefined,
      client: incoming.http,
      owner: deps.node.identity(),
      attempt: { offer, candidate, dialect: prepared.dialect, health, warnings },
    }
  } finally {
    if (!isBegun) releaseSlot(routed, deps)
  }
}

/** Nothing was sent. The row stays, and by it the worker voids the hold. */
const abandon = async () => ({ charged: 0n, spooled: false })
