// A task before it is sent: its row, then the hold, which belongs to the task and not to this process. A crash at any moment
// leaves a row, by which another process finds the hold and voids it. It does so under the task's lease, so that a hold that
// this process places late is rejected.

import type { CandidateOf, OfferOf } from '../../catalogue/catalogue.ts'
import { TASK_NODE, taskLease } from '../../money/ledger.ts'
import { type HoldDependencies, type HoldRequest, holdVerb } from '../../paid-call/hold.ts'
import { unavailable } from '../../paid-call/hold-errors.ts'
import type { OpenRequest, RejectedHold } from '../../storage/node/settler.ts'
import type { Storage } from '../../storage/storage.ts'
import { freezePrice } from '../frozen-price.ts'
import { decodeTaskRow, type Task, type TaskData } from '../task.ts'
import { LONGEST_LEASE_MS, TASK_TIMING } from '../timing.ts'
import { hashOfKey } from '../upstream.ts'
import type { Prepared, Submission } from './prepare.ts'

export type ReserveDependencies = Omit<HoldDependencies, 'settler'> & {
  store: Pick<Storage, 'tasks' | 'ledger' | 'leases'>
  taskHolder: string
}

const HOLD_LEASE_MS = 15_000
const DEFAULT_DEADLINE_MS = 48 * 3_600_000
/** The task ends its hold itself. The ledger ends it only if all processes failed to, so long after the deadline. */
const COPY_TIME_MS = 48 * 3_600_000

export type Reservation = {
  submission: Submission
  offer: OfferOf<'video'>
  candidate: CandidateOf<'video'>
  prepared: Prepared
  /** All of them. */
  warnings: readonly string[]
}

/** The hold of a task that is in `accepted`. */
export type TaskHold = { task: Task; void: OpenRequest['void'] }

export async function reserve(
  hold: HoldRequest,
  reservation: Reservation,
  deps: ReserveDependencies,
): Promise<{ outcome: 'open'; request: TaskHold } | RejectedHold> {
  const { id, caller } = hold
  const { candidate, prepared } = reservation
  const { tasks, leases, ledger } = deps.store
  const deadlineInMs = deadlineOf(reservation)
  const verb = holdVerb({ ...hold, owner: { nodeId: TASK_NODE, epoch: 0 } }, deps)
  const lease = taskLease(id)
  const epoch = await leases.acquire(lease, deps.taskHolder, HOLD_LEASE_MS, LONGEST_LEASE_MS)
  if (epoch === undefined) throw unavailable()
  const row = await tasks.insert({
    id,
    account: caller.account,
    key: caller.key,
    model: reservation.submission.request.model,
    state: 'accepted',
    status: 'queued',
    upstreamTask: undefined,
    serviceTier: prepared.serviceTier,
    ...placeOf(candidate),
    data: JSON.stringify(dataOf(reservation)),
    deadlineInMs,
    dueInMs: TASK_TIMING.submitClaimMs,
  })
  const held = await ledger.apply({ ...verb, epoch, deadline: row.deadline + COPY_TIME_MS })
  await leases.release(lease, epoch)
  if (held.outcome === 'done' || held.outcome === 'repeated')
    return { outcome: 'open', request: { task: decodeTaskRow(row), void: abandon } }
  await tasks.remove(id, row.version)
  return { outcome: held.outcome, available: held.amount }
}

/** Nothing was sent. The row stays, and by it the worker voids the hold. */
const abandon = async () => ({ charged: 0n, spooled: false })

/** What the task says about where it is. */
export const placeOf = ({ upstream, key }: CandidateOf<'video'>): Pick<Task, 'upstream' | 'upstreamKey'> => ({
  upstream: upstream.id,
  upstreamKey: hashOfKey(key),
})

/** The caller's own, or the operator's, whichever is sooner. */
function deadlineOf({ submission: { request }, candidate: { upstream } }: Reservation): number {
  const wanted = request.expiresAfter === undefined ? DEFAULT_DEADLINE_MS : request.expiresAfter * 1_000
  return Math.min(wanted, upstream.taskDeadlineMs ?? Number.POSITIVE_INFINITY)
}

export function dataOf({ submission, offer, candidate, prepared, warnings }: Reservation): TaskData {
  const { request } = submission
  const { callbackUrl, returnLastFrame, generateAudio, draft, expiresAfter, safetyIdentifier } = request
  const { serviceTier } = prepared
  return {
    dialect: prepared.dialect,
    upstreamModel: candidate.route.model,
    price: freezePrice(offer),
    held: String(prepared.bound.amount),
    warnings,
    polls: 0,
    requested: prepared.requested,
    heldFor: prepared.heldFor,
    shown: {
      settings: { ...shownDefaults(prepared, request.settings), ...request.settings },
      ...(generateAudio === undefined ? {} : { generateAudio }),
      ...(draft === undefined ? {} : { draft }),
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...(expiresAfter === undefined ? {} : { expiresAfter }),
      ...(safetyIdentifier === undefined ? {} : { safetyIdentifier }),
    },
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    ...(returnLastFrame === undefined ? {} : { returnLastFrame }),
  }
}

/** A length in frames has no duration beside it. */
function shownDefaults({ defaults }: Prepared, { frames }: Submission['request']['settings']) {
  const { duration, ...others } = defaults
  return frames === undefined && duration !== undefined ? { ...others, duration } : others
}
