// A task before it is sent: its row, then the hold, which belongs to the task and not to this process. A crash at any moment
// leaves a row, by which another process finds the hold and voids it. It does so under the task's lease, so that a hold that
// this process places late is rejected.

import type { Candidate } from '../catalogue/catalogue.ts'
import { type Result, TASK_NODE, taskLease } from '../money/ledger.ts'
import { budgetsText } from '../paid-call/budgets/on-receipts.ts'
import { type HeldFor, holdVerb } from '../paid-call/hold.ts'
import { unavailable } from '../paid-call/hold-errors.ts'
import type { HeldFunds, RejectedHold } from '../storage/node/settler.ts'
import type { TaskRow } from '../storage/tasks.ts'
import type { TaskWorkDependencies } from './dependencies.ts'
import { decodeTaskRow, type Task, type TaskData } from './task.ts'
import { LONGEST_LEASE_MS, TASK_TIMING } from './timing.ts'
import { hashOfKey } from './upstream.ts'

const HOLD_LEASE_MS = 15_000
/** The task ends its hold itself. The ledger ends it only if all processes failed to, so long after the deadline. */
const COPY_TIME_MS = 48 * 3_600_000

/** A task that is to be: what its row says at first. */
export type NewTask<D extends TaskData> = Pick<TaskRow, 'model' | 'serviceTier'> & {
  candidate: Candidate
  data: D
  deadlineInMs: number
}

/** The hold of a task that is in `accepted`. */
export type TaskHold<T extends Task = Task> = { task: T } & Pick<
  HeldFunds,
  'granted' | 'grantedTokens' | 'budgetsLeft' | 'void'
>

export async function reserveTask<D extends TaskData>(
  request: HeldFor,
  { model, serviceTier, candidate, data, deadlineInMs }: NewTask<D>,
  deps: TaskWorkDependencies,
): Promise<{ verdict: 'open'; request: TaskHold<Task<D>> } | RejectedHold> {
  const { id, caller } = request
  const { tasks, leases, ledger } = deps.store
  const verb = holdVerb(request, deps, { nodeId: TASK_NODE, epoch: 0 })
  const lease = taskLease(id)
  const epoch = await leases.acquire(lease, deps.taskHolder, HOLD_LEASE_MS, LONGEST_LEASE_MS)
  if (epoch === undefined) throw unavailable()
  const row = await tasks.insert({
    id,
    account: caller.account,
    key: caller.key,
    type: data.type,
    model,
    state: 'accepted',
    status: 'queued',
    upstreamTask: undefined,
    serviceTier,
    ...placeOf(candidate),
    data: JSON.stringify(data),
    deadlineInMs,
    dueInMs: TASK_TIMING.submitClaimMs,
  })
  const held = await ledger.apply({ ...verb, epoch, deadline: row.deadline + COPY_TIME_MS })
  await leases.release(lease, epoch)
  if (held.verdict === 'done' || held.verdict === 'repeated') {
    const task = decodeTaskRow<D>(row)
    // Stored with the next transition.
    if (request.budgets) task.data.budgets = budgetsText(request.budgets, held.budgetsLeft)
    return { verdict: 'open', request: { task, ...grantedBy(held), void: abandon } }
  }
  await tasks.remove(id, row.version)
  const { verdict, amount: available, budget } = held
  return { verdict, available, ...(budget && { budget }) }
}

const grantedBy = ({ amount, tokens, budgetsLeft }: Result) => ({ granted: amount, grantedTokens: tokens, budgetsLeft })

/** Nothing was sent. The row stays, and by it the worker voids the hold. */
const abandon = async () => ({ charged: 0n, spooled: false })

/** What the task says about where it is. */
export const placeOf = ({ upstream, key }: Candidate): Pick<Task, 'upstream' | 'upstreamKey'> => ({
  upstream: upstream.id,
  upstreamKey: hashOfKey(key),
})
