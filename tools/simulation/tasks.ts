// Tasks in the simulation: each is durable, and whichever process has its lease works on it. All that a process knows about a task is
// gone with a crash; the next holder of the lease starts from what the store tells it.
import type { Nanos } from '../../packages/gateway/src/money/amount.ts'
import { isDone, type Result, taskLease, taskOwner, type Verb } from '../../packages/gateway/src/money/ledger.ts'
import type { Random } from './random.ts'

export type Task = {
  id: bigint
  account: bigint
  key: bigint
  revision: number
  budgets?: readonly bigint[]
  amount: Nanos
  /** By the store's clock, like the deadline. */
  createdAt: number
  deadline: number
  /** When its result is known, and what it costs; undefined: it fails and is voided. */
  doneAt: number
  cost: Nanos | undefined
  /** No process works on it any more. */
  over: boolean
  /** What the store has confirmed to some process. */
  confirmed: 'settle' | 'void' | undefined
}

type Held = { epoch: number; placed: boolean }
type Ask = (verb: Verb, withinMs: number, hear: (result: Result | undefined) => void) => void

const ANSWER_WITHIN_MS = 2_000
const LEASE_MS = 6_000

/** One process's work on tasks; each call takes the next step of some task. False: there was nothing to do. */
export function createTaskWorker(
  holder: string,
  { tasks, time, random, ask }: { tasks: Map<bigint, Task>; time(): number; random: Random; ask: Ask },
): () => boolean {
  const held = new Map<bigint, Held>()
  const waiting = new Map<bigint, number>()

  function send(task: Task, verb: Verb, hear: (result: Result) => void): void {
    waiting.set(task.id, Number.POSITIVE_INFINITY)
    ask(verb, ANSWER_WITHIN_MS, (result) => {
      waiting.set(task.id, time() + random.below(1_500))
      if (result) hear(result)
    })
  }

  function acquire(task: Task): void {
    send(task, { verb: 'acquire_lease', lease: taskLease(task.id), holder, ttlMs: LEASE_MS }, (result) => {
      if (isDone(result)) held.set(task.id, { epoch: Number(result.amount), placed: false })
    })
  }
  function place(task: Task, mine: Held): void {
    const { id, account, key, revision, amount, deadline, budgets } = task
    const terms = { revision, extensible: false, amount, minimum: 1n, tokens: 3, minimumTokens: 0 }
    const hold = { verb: 'hold', ...taskOwner(id, mine.epoch), account, key, ...terms } as const
    send(task, { ...hold, deadline, budgets, model: 'm', upstream: 'u' }, (result) => {
      // It may have ended: the attempt to end it tells.
      if (isDone(result) || result.verdict === 'not_open') mine.placed = true
      else if (result.verdict === 'lease_lost') held.delete(id)
      else task.over = true
    })
  }
  function end(task: Task, mine: Held): void {
    const { id, cost } = task
    const owner = taskOwner(id, mine.epoch)
    const verb: Verb =
      cost === undefined
        ? { verb: 'void', ...owner, outcome: 'failed', receipt: '' }
        : { verb: 'settle', ...owner, cost, tokens: 5, outcome: 'done', receipt: '' }
    send(task, verb, (result) => {
      if (result.verdict === 'done') task.confirmed = cost === undefined ? 'void' : 'settle'
      if (isDone(result)) task.over = true
      else held.delete(id)
      if (task.over) ask({ verb: 'release_lease', lease: taskLease(id), epoch: mine.epoch }, ANSWER_WITHIN_MS, () => {})
    })
  }
  function renew(task: Task, mine: Held): void {
    const verb = { verb: 'renew_lease', lease: taskLease(task.id), epoch: mine.epoch, ttlMs: LEASE_MS } as const
    send(task, verb, (result) => {
      if (!isDone(result)) held.delete(task.id)
    })
  }

  return () => {
    const ready = [...tasks.values()].filter(({ id, over }) => !over && (waiting.get(id) ?? 0) <= time())
    const task = random.pick(ready)
    if (!task) return false
    const mine = held.get(task.id)
    if (!mine) acquire(task)
    else if (!mine.placed) place(task, mine)
    else if (task.doneAt <= time()) end(task, mine)
    else renew(task, mine)
    return true
  }
}
