// POST /v1/responses with `background`: the hold and a task in place of a call to an upstream, and the response as it is queued.

import { parsedJson } from '@trivium/protocol/canonical/reading.ts'
import { hashSecret, readApiKey } from '../access/authenticate.ts'
import { codec } from '../bytes/codec.ts'
import { putPiece } from '../conversations/pieces.ts'
import { endClaim } from '../paid-call/claim.ts'
import { unavailable } from '../paid-call/hold-errors.ts'
import { releaseSlots } from '../paid-call/open.ts'
import { showWarnings } from '../paid-call/warnings.ts'
import { Failure } from '../request/failure.ts'
import type { HeldFunds } from '../storage/node/settler.ts'
import { ShareExceeded } from '../storage/shares.ts'
import { callerIdsOf } from '../tasks/caller-ids.ts'
import { reserveTask, type TaskHold } from '../tasks/reserve.ts'
import { closeTask, keepMsOf } from '../tasks/steps/close.ts'
import { changeTask } from '../tasks/task.ts'
import type { PlannedAttempt } from '../text/request.ts'
import type { Deferral, PreparedElsewhere, TextCall } from '../text/text-call.ts'
import type { BackgroundDependencies } from './dependencies.ts'
import { followResponse, takeFollower } from './follow.ts'
import { firstEvents } from './record-events.ts'
import {
  BEGIN_WITHIN_MS,
  eventPiece,
  MOST_OPEN,
  ownerOf,
  RESPONSE,
  type ResponseTask,
  type ResponseTaskData,
  VIEW_PIECE,
} from './response-task.ts'
import { keptHeaders, putRequest } from './stored-request.ts'
import { queuedResponse, viewOf } from './view.ts'

export const createDeferral =
  (deps: BackgroundDependencies): PreparedElsewhere['defer'] =>
  (planned, { incoming }): Deferral => {
    let task: ResponseTask | undefined
    return {
      async hold(request) {
        checkRoom(1 + (await deps.store.tasks.open(request.caller.account, RESPONSE)))
        const { candidate } = planned
        const { prepared, routed: to } = request
        const data = { ...dataOf(planned, prepared.bound.amount), ...callerIdsOf(incoming.record) }
        const held = await reserveTask(
          request,
          { model: to.wanted.model.id, serviceTier: undefined, candidate, data, deadlineInMs: BEGIN_WITHIN_MS },
          deps,
        )
        if (held.verdict !== 'open') return held
        task = held.request.task
        return { verdict: 'open', request: asHeldFunds(held.request) }
      },
      async respond(call) {
        if (!task) throw new Error('a response was deferred without a hold')
        releaseSlots({ upstreamCall: call.upstreamCall, health: call.attempt.health }, deps)
        return respond(await queue(task, call, deps), call, deps)
      },
    }
  }

function dataOf({ request, offer, candidate, warnings }: PlannedAttempt, amount: bigint): ResponseTaskData {
  const { group, model, rate, priceVersion, configuration } = offer
  return {
    type: RESPONSE,
    dialect: 'responses',
    upstreamModel: candidate.route.model,
    price: {
      group,
      model: model.id,
      version: priceVersion,
      configuration,
      multiplierMillionths: String(rate.multiplierMillionths),
    },
    held: String(amount),
    warnings,
    polls: 0,
    showsEncrypted: request.conversation?.hidesEncrypted === false,
  }
}

/** Nothing is sent under it: whoever runs the task begins it first. */
const asHeldFunds = ({ granted, grantedTokens, budgetsLeft, void: abandon }: TaskHold): HeldFunds => ({
  budgetsLeft,
  granted,
  grantedTokens,
  held: granted,
  heldTokens: grantedTokens,
  output: () => 'stop',
  raise: () => 'stop',
  settle: abandoned,
  void: abandon,
})

const abandoned = () => Promise.reject(new Error('a deferred request is settled by its task'))

/** Throws Failure if the account has so many that are queued or run. */
function checkRoom(open: number): void {
  if (open <= MOST_OPEN) return
  throw new Failure(
    'rate_limit_exceeded',
    `This account has ${MOST_OPEN} background responses that are queued or run. Wait until some have ended.`,
    { retryAfter: RETRY_SECONDS },
  )
}

const RETRY_SECONDS = 5

/** `release`: of the place of the client, if it reads events. */
type Queued = { task: ResponseTask; release: (() => void) | undefined }

/** Once all that it needs is stored, any process may run it. If that fails, its hold is voided and its row removed. */
async function queue(task: ResponseTask, call: TextCall, deps: BackgroundDependencies): Promise<Queued> {
  const { request, incoming, caller } = call
  let release: Queued['release']
  const { headers } = incoming.http
  const body = request.background?.body ?? request.body
  const keepMs = keepMsOf(task, deps)
  const put = (name: string, text: string) => putPiece(ownerOf(task), name, codec.encode(text), keepMs, deps)
  try {
    // Others may have come meanwhile: those that came first stay.
    checkRoom(await deps.store.tasks.open(task.account, RESPONSE, task.id))
    // A client that could not be told of the response would send it again, and pay twice.
    if (request.background?.isStreamed) release = takeFollower(caller, deps)
    const response = queuedResponse(task, Object(parsedJson(codec.decode(body, 0, body.length))))
    const { compatibility } = call.catalogue.config
    const { tokenKey } = caller
    const keyHash = tokenKey ?? hashSecret(readApiKey(headers, incoming.query, request.dialect.id, compatibility))
    const group = tokenKey && caller.group
    await putRequest(task, { keyHash, group, headers: keptHeaders(headers), body }, keepMs, deps)
    await Promise.all([put(VIEW_PIECE, JSON.stringify(response)), put(eventPiece(0), firstEvents(response))])
    const queued = await changeTask(deps.store.tasks, task, { state: 'queued', dueInMs: 0 })
    if (queued) return { task: queued, release }
    throw unavailable()
  } catch (error) {
    release?.()
    await closeTask({ ...task, data: { ...task.data, end: { state: 'rejected' } } }, deps)
    if (call.claim)
      await endClaim(call.claim, { outcome: 'failed', charged: 0n, headers: call.headers, body: undefined }, deps)
    throw error instanceof ShareExceeded ? tooLarge(error) : error
  }
}

const tooLarge = ({ message }: ShareExceeded) =>
  new Failure('request_too_large', `The request cannot be stored: ${message}`)

async function respond({ task, release }: Queued, call: TextCall, deps: BackgroundDependencies) {
  const { caller, incoming, headers, record, claim, slot } = call
  showWarnings(call.attempt.warnings, headers)
  record.outcome = 'submitted'
  record.upstream = call.attempt.candidate.upstream.id
  try {
    const body = release ? undefined : codec.encode(JSON.stringify(await viewOf(task, deps)))
    headers.set('content-type', 'application/json')
    if (claim) await endClaim(claim, { outcome: 'completed', charged: 0n, headers, body }, deps)
    slot.release()
    return body ? { status: 200, headers, body } : followResponse(task, { caller, incoming, after: -1 }, deps, release)
  } catch (error) {
    release?.()
    throw error
  }
}
