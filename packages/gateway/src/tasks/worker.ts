// Looks after open tasks: claims those that are due and takes the next step for each. Every node has one; a claim decides which of
// them a task belongs to for the moment. Short steps, copies of results, runs of the gateway's own tasks and callbacks have slots of their own, and in each of them
// accounts and upstreams have shares: what is slow delays nothing but itself.

import { createShares } from '../sharing/fair-share.ts'
import { createSharedSlots, type Share, type SharedSlots } from '../sharing/shared-slots.ts'
import { createCallbacks, dueCallback } from './callbacks/callbacks.ts'
import type { TaskWorkDependencies } from './dependencies.ts'
import { isEnded } from './states.ts'
import { changeTask, decodeTaskRow, formatTaskId, isClaimed, type Task } from './task.ts'
import { type TaskTypes, typeOf, upstreamTypeOf } from './task-type.ts'
import { TASK_TIMING } from './timing.ts'
import { workOn } from './work.ts'

/** Steps at once, of one account and with one upstream. */
const MOST_AT_ONCE = 256
const MOST_OF_ACCOUNT = 64
const MOST_OF_UPSTREAM = 128
/** As many are free before more tasks are claimed: each claim is a statement in the store. No account gets more in one claim. */
const LEAST_ROOM = 32

/** Copies at once: in all, from one upstream, and of results that are in memory as a whole. */
const MOST_COPIES = 16
const MOST_COPIES_OF_UPSTREAM = 8
const MOST_COPIES_IN_MEMORY = 4
const IN_MEMORY = 'memory'
/** Copies that this process remembers to begin. What is not remembered is due again after `slotWaitMs`. */
const MOST_WAITING = 4_096
/** What one account may have of the tasks that this process runs itself. */
const RUNS_OF_ACCOUNT = 1 / 8
const STOP_WITHIN_MS = 2_000

export type TaskWorker = {
  /** Begins work on the tasks that are due. Resolves with 0 if there may be more of them. */
  run(): Promise<number | undefined>
  /** Claims no more, and waits a moment for what is under way. */
  stop(): Promise<void>
}

/** Work that takes long, with the slot that it releases. */
type Long = (task: Task, release: () => void) => Promise<void>

/** A task that waits for a slot, unclaimed. */
export type Waiting = { id: bigint; version: number }

export function createTaskWorker(types: TaskTypes, deps: TaskWorkDependencies): TaskWorker {
  const { tasks } = deps.store
  const underWay = new Set<Promise<void>>()
  const copying = new Set<Promise<void>>()
  const accounts = createShares<bigint>(MOST_OF_ACCOUNT - LEAST_ROOM)
  const upstreams = createShares<string>(MOST_OF_UPSTREAM - LEAST_ROOM)
  const copies = createSharedSlots<Waiting>({
    limit: MOST_COPIES,
    limitOf: (pool) => (pool === IN_MEMORY ? MOST_COPIES_IN_MEMORY : MOST_COPIES_OF_UPSTREAM),
    mostWaiting: MOST_WAITING,
    woken: (waiting, release) => track(copying, resume(waiting, release, copy)),
  })
  const mostRuns = () => deps.catalogue().config.server.limits.backgroundResponses
  const runs = createSharedSlots<Waiting>({
    limit: mostRuns,
    // An account that uses the pool alone gets half of it.
    limitOf: () => Math.max(2, 2 * Math.floor(mostRuns() * RUNS_OF_ACCOUNT)),
    mostWaiting: MOST_WAITING,
    woken: (waiting, release) => track(copying, resume(waiting, release, run)),
  })
  const callbacks = createCallbacks(types, deps, (waiting, release) =>
    track(underWay, resume(waiting, release, sendFirstCallback)),
  )
  let isStopped = false

  function track(set: Set<Promise<void>>, work: Promise<void>): void {
    const done: Promise<void> = work.finally(() => set.delete(done))
    set.add(done)
  }

  async function work(task: Task): Promise<void> {
    try {
      for (let current: Task | undefined = task; current !== undefined && !isStopped; ) {
        const after: Task | undefined = await step(current)
        current = next(after)
      }
    } catch (error) {
      notAttended(task, error)
    }
  }

  /** The claim of a task that is copied or closed next is kept. */
  function next(after: Task | undefined): Task | undefined {
    if (after) callbacks.changed(after)
    return after && !isEnded(after.state) && isClaimed(after) ? after : undefined
  }

  /** Its claim expires, and the step is taken again. */
  const notAttended = (task: Pick<Task, 'id'>, error: unknown): void =>
    deps.log.warn('step of a task failed', { task: formatTaskId(task.id), error: String(error) })

  /** The claim of a long step is renewed, so that a process that died is noticed soon. A copy does so itself. */
  async function renewed<T>(task: Task, run: () => Promise<T>): Promise<T> {
    const { claimMs } = TASK_TIMING
    const renewal = setInterval(() => void tasks.renew(task.id, task.version, claimMs).catch(() => {}), claimMs / 3)
    try {
      return await run()
    } finally {
      clearInterval(renewal)
    }
  }

  async function step(task: Task): Promise<Task | undefined> {
    const callback = dueCallback(task)
    const sent = callback ? await renewed(task, () => callbacks.send(task, callback)) : 'waiting'
    if (sent !== 'waiting') return sent
    if (task.state === 'copying') return beginCopy(task)
    const type = typeOf(task, types)
    if ('run' in type && task.state === 'queued' && task.now < task.deadline) return beginRun(task)
    return renewed(task, () => workOn(task, type, deps))
  }

  /** undefined: the copy goes on by itself. Without a slot the task waits, unclaimed: another process may have one sooner. */
  async function beginCopy(task: Task): Promise<Task | undefined> {
    const ofUpstream = `upstream ${task.upstream}`
    const isInMemory = upstreamTypeOf(task, types).isCopiedInMemory(task)
    const share = { account: task.account, pools: isInMemory ? [ofUpstream, IN_MEMORY] : [ofUpstream] }
    return beginIn(copies, share, task, copy, TASK_TIMING.slotWaitMs)
  }

  const beginRun = (task: Task): Promise<Task | undefined> =>
    beginIn(runs, { account: task.account, pools: [`account ${task.account}`] }, task, run, TASK_TIMING.runWaitMs)

  async function beginIn(
    slots: SharedSlots<Waiting>,
    share: Share,
    task: Task,
    work: Long,
    waitMs: number,
  ): Promise<Task | undefined> {
    const release = slots.take(share)
    if (release) {
      track(copying, work(task, release))
      return undefined
    }
    const waiting = await changeTask(tasks, task, { dueInMs: waitMs })
    if (waiting) slots.wait(waiting.id, share, waiting)
    return waiting
  }

  const copy: Long = (task, release) => inSlot(task, release, () => upstreamTypeOf(task, types).copy(task))

  const run: Long = (task, release) =>
    inSlot(task, release, async () => {
      const type = typeOf(task, types)
      return 'run' in type ? renewed(task, () => type.run(task)) : undefined
    })

  async function inSlot(task: Task, release: () => void, step: () => Promise<Task | undefined>): Promise<void> {
    let after: Task | undefined
    try {
      after = await step()
    } catch (error) {
      notAttended(task, error)
    } finally {
      release()
    }
    const current = next(after)
    if (current) await work(current)
  }

  async function sendFirstCallback(task: Task, release: () => void): Promise<void> {
    const after = await renewed(task, () => callbacks.sendWaiting(task, release))
    const current = next(after)
    if (current) await work(current)
  }

  /** Claims a task that has waited for a slot, and goes on with it unless it has changed meanwhile. */
  async function resume({ id, version }: Waiting, release: () => void, run: Long): Promise<void> {
    try {
      const isOurs = !isStopped && (await tasks.renew(id, version, TASK_TIMING.claimMs))
      const row = isOurs ? await tasks.find(id) : undefined
      if (row?.version === version) await run(decodeTaskRow(row), release)
    } catch (error) {
      notAttended({ id }, error)
    } finally {
      release()
    }
  }

  return {
    async run() {
      while (underWay.size > MOST_AT_ONCE - LEAST_ROOM) await Promise.race(underWay)
      if (isStopped) return undefined
      const room = MOST_AT_ONCE - underWay.size
      const shares = { mostOfEach: LEAST_ROOM, exceptAccounts: accounts.full(), exceptUpstreams: upstreams.full() }
      const rows = await tasks.claimDue(room, TASK_TIMING.claimMs, shares)
      for (const row of rows) {
        const ends = [accounts.add(row.account), upstreams.add(row.upstream)]
        const end = () => {
          for (const each of ends) each()
        }
        track(underWay, work(decodeTaskRow(row)).finally(end))
      }
      return rows.length >= LEAST_ROOM ? 0 : undefined
    },
    async stop() {
      isStopped = true
      copies.close()
      runs.close()
      callbacks.close()
      await Promise.race([Promise.all([...underWay, ...copying]), Bun.sleep(STOP_WITHIN_MS)])
    },
  }
}
