// The end of a task: its hold is settled or voided, once, under the task's lease in the ledger.

import { formatUsd } from '../../money/amount.ts'
import { HELD, type Result as LedgerResult, taskLease, taskOwner } from '../../money/ledger.ts'
import type { Outcome } from '../../paid-call/outcome.ts'
import { type OtherIds, type ReceiptError, type ReceiptedCall, receiptOf } from '../../paid-call/receipts/receipt.ts'
import type { TaskWorkDependencies } from '../dependencies.ts'
import { changeTask, formatTaskId, storeNow, type Task, type TaskEnd } from '../task.ts'
import { LONGEST_LEASE_MS } from '../timing.ts'

const LEASE_MS = 10_000
/** Another process has the lease, or acquired it meanwhile: it is closing the task. */
const BUSY_MS = 5_000

/** For a task in `closing`. undefined: another process has changed it. */
export async function closeTask(task: Task, deps: TaskWorkDependencies): Promise<Task | undefined> {
  const { tasks, leases } = deps.store
  const lease = taskLease(task.id)
  const epoch = await leases.acquire(lease, deps.taskHolder, LEASE_MS, LONGEST_LEASE_MS)
  if (epoch === undefined) return changeTask(tasks, task, { dueInMs: BUSY_MS })
  const { end = { state: 'failed' } } = task.data
  const result = await settle(task, end, epoch, deps)
  if (result.verdict === 'not_open' && !(await hasEnded(task, deps)))
    return changeTask(tasks, task, { dueInMs: BUSY_MS })
  await leases.release(lease, epoch)
  // The ledger has the last word: a hold that was voided at its deadline cannot be charged any more.
  const isLate = BigInt(end.cost ?? 0) > 0n && result.verdict !== 'done' && result.amount === 0n
  if (isLate) deps.log.error('task ended after its hold', { task: formatTaskId(task.id) })
  if (end.state === 'rejected') {
    await tasks.remove(task.id, task.version)
    return undefined
  }
  const state = isLate ? 'expired' : end.state
  return changeTask(tasks, task, { state, dueInMs: undefined, keepMs: keepMsOf(task, deps) })
}

/** A task that a node has begun is settled by that node. */
async function hasEnded({ account, id }: Task, { store }: TaskWorkDependencies): Promise<boolean> {
  const request = await store.ledger.findRequest(account, id)
  return request !== undefined && request.state !== HELD
}

/** How long its row is kept once it has ended. */
export function keepMsOf({ type }: Task, { catalogue }: Pick<TaskWorkDependencies, 'catalogue'>): number {
  const { tasks, responses } = catalogue().config.retention
  return type === 'response' && responses !== 'off' ? responses : tasks
}

function settle(task: Task, end: TaskEnd, epoch: number, { store }: TaskWorkDependencies): Promise<LedgerResult> {
  const owner = taskOwner(task.id, epoch)
  const outcome = OUTCOMES[end.state]
  const receipt = receiptOfTask(task, end, outcome)
  if (end.cost === undefined) return store.ledger.apply({ verb: 'void', ...owner, outcome, receipt })
  const { upstream } = task
  const { model } = task.data.price
  const cost = BigInt(end.cost)
  return store.ledger.apply({ verb: 'settle', ...owner, cost, tokens: 0, outcome, receipt, model, upstream })
}

const OUTCOMES: Readonly<Record<TaskEnd['state'], Outcome>> = {
  succeeded: 'completed',
  failed: 'failed',
  rejected: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
}

function receiptOfTask(task: Task, end: TaskEnd, outcome: Outcome): string {
  const { cost, units = '', figures = '' } = end
  const { price, upstreamModel, warnings, failedAttempts, held, budgets } = task.data
  const call: ReceiptedCall = {
    attempt: {
      offer: {
        group: price.group,
        priceVersion: price.version,
        configuration: price.configuration,
        model: { id: price.model },
        rate: { multiplierMillionths: BigInt(price.multiplierMillionths) },
      },
      candidate: { route: { model: upstreamModel }, upstream: { id: task.upstream } },
      warnings,
    },
    failedAttempts,
    firstOutputAt: undefined,
    startedAt: 0,
    budgetsText: budgets,
  }
  const charges = cost === undefined ? [] : [{ cost: BigInt(cost), units, figures }]
  const details = detailsOf(end, held)
  const result = { outcome, charges, sawOutput: cost !== undefined, ...(details === '' ? {} : { details }) }
  return receiptOf(call, result, storeNow(task) - task.createdAt, errorOf(task, end), idsOf(task))
}

/** An upstream that does not name requests names tasks. */
function idsOf({ upstreamTask, data: { clientRequestId, parent, upstreamRequestId } }: Task): OtherIds | undefined {
  const [client, upstream] = [clientRequestId ?? parent?.traceId, upstreamRequestId ?? upstreamTask]
  return client === undefined && upstream === undefined ? undefined : { client, upstream }
}

/** As the task shows it. */
function errorOf({ data }: Task, { state, error, facts }: TaskEnd): ReceiptError | undefined {
  if (!error || state === 'succeeded' || state === 'cancelled') return undefined
  // Only of a submit that was rejected it is known which call failed.
  const requestId = facts && data.upstreamRequestId
  return { code: error.code, requestId, message: error.message, ...facts }
}

function detailsOf({ details = '', mayBeBilled }: TaskEnd, held: string): string {
  return mayBeBilled ? `${details},"possible_upstream_cost":"${formatUsd(BigInt(held))}"` : details
}
