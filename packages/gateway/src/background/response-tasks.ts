// Background responses as a type of task: who runs them, and how each of them ends.
//
// A run is a text request of its node from its beginning on, so what the ledger says of that request decides: while it is held, the task
// runs; once it is not, the task has ended, whoever finds that out. A process that died before has nothing sent: the task is run again.

import { ERRORS } from '@trivium/protocol/canonical/error.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import { failureCode } from '@trivium/protocol/dialects/responses/error.ts'
import { admit } from '../access/authenticate.ts'
import { HELD } from '../money/ledger.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'
import { closeTask, keepMsOf } from '../tasks/steps/close.ts'
import { endWith } from '../tasks/steps/poll.ts'
import { changeTask, decodeTaskRow, type TaskEnd } from '../tasks/task.ts'
import type { OwnTaskType } from '../tasks/task-type.ts'
import { TASK_TIMING } from '../tasks/timing.ts'
import type { ResponseTaskDependencies } from './dependencies.ts'
import { ownerOf, type ResponseTask, type ResponseTaskData } from './response-task.ts'
import { NotOurs, runResponse } from './run.ts'
import { RunClient, readRequest } from './stored-request.ts'

/** Before another try of what could not begin. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000]
const MOST_TRIES = 5

type End = NonNullable<TaskEnd['error']>

export const responseTasks = (deps: ResponseTaskDependencies): OwnTaskType<ResponseTask> => ({
  run: (task) => run(task, deps),
  lookAfter: (task) => lookAfter(task, deps),
  cancel: (task) => cancelResponse(task, deps),
})

async function run(task: ResponseTask, deps: ResponseTaskDependencies): Promise<ResponseTask | undefined> {
  const { tasks, keys } = deps.store
  const request = await readRequest(task, deps)
  if (!request) return changeTask(tasks, task, endWith({ state: 'failed', error: GONE }))
  const lookUp = async (): Promise<Caller> => {
    const caller = admit((await keys.findCaller(request.keyHash)) ?? 'unknown', deps.clock)
    return request.group === undefined ? caller : { ...caller, group: request.group }
  }
  const client = new RunClient(request)
  let hasBegun = false
  let watch: Timer | undefined
  deps.runningResponses.set(task.id, client)
  try {
    const begun = async () => {
      hasBegun = true
      if (!(await noteBegun(task, deps))) client.disconnect()
      watch = setInterval(
        () => void endIfUnwanted(task.id, client, lookUp, deps).catch(() => {}),
        TASK_TIMING.runWatchMs,
      )
    }
    const caller = await lookUp()
    const error = await runResponse({ task, client, caller, keepMs: keepMsOf(task, deps), begun }, deps)
    return await finish(task.id, error, deps)
  } catch (error) {
    if (error instanceof NotOurs) return changeTask(tasks, task, { state: 'running', dueInMs: 0 })
    if (hasBegun) return await finish(task.id, errorOf(error), deps)
    return await notBegun(task, error, deps)
  } finally {
    clearInterval(watch)
    deps.runningResponses.delete(task.id)
    deps.responseNews.tell(task.id)
  }
}

/** Nothing was sent. What may pass later is tried again; a key or an account that is not usable any more cancels the response. */
function notBegun(
  task: ResponseTask,
  error: unknown,
  { store: { tasks } }: ResponseTaskDependencies,
): Promise<ResponseTask | undefined> {
  if (!(error instanceof Failure) && !(error instanceof RequestError)) throw error
  const { status, retry } = ERRORS[error.info.code]
  if (status === 401 || error.info.code === 'account_disabled')
    return changeTask(tasks, task, endWith({ state: 'cancelled', error: errorOf(error) }))
  if (!retry) return changeTask(tasks, task, endWith({ state: 'failed', error: errorOf(error) }))
  const { tries = 0 } = task.data
  const dueInMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries)
  return changeTask(tasks, task, { dueInMs, data: { tries: tries + 1 } })
}

/** false: it was cancelled meanwhile. */
async function noteBegun(task: ResponseTask, deps: ResponseTaskDependencies): Promise<boolean> {
  let current: ResponseTask | undefined = task
  for (let tries = 0; current?.state === 'queued' && tries < MOST_TRIES; tries++) {
    if (await changeTask(deps.store.tasks, current, { state: 'running', dueInMs: TASK_TIMING.runCheckMs })) return true
    current = await find(task.id, deps)
  }
  return false
}

/** A revoked key ends what it began, as a cancelled response ends: like a request whose client disconnects. */
async function endIfUnwanted(
  id: bigint,
  client: RunClient,
  lookUp: () => Promise<Caller>,
  deps: ResponseTaskDependencies,
): Promise<void> {
  const task = await find(id, deps)
  if (task?.state !== 'running' || task.data.isCancelled) return client.disconnect()
  await lookUp().catch(async (error: unknown) => {
    if (error instanceof Failure) await cancelResponse(task, deps)
  })
}

/** For one whose request is settled. */
async function finish(
  id: bigint,
  error: End | undefined,
  deps: ResponseTaskDependencies,
): Promise<ResponseTask | undefined> {
  const { responses, tasks } = deps.store
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const task = await find(id, deps)
    if (task?.state === 'closing') return closeTask(task, deps) as Promise<ResponseTask | undefined>
    if (task?.state === 'queued') {
      await changeTask(tasks, task, { state: 'running', dueInMs: TASK_TIMING.runCheckMs })
      continue
    }
    if (task?.state !== 'running') return undefined
    const owner = ownerOf(task)
    const { isCancelled = false } = task.data
    const isStored = isCancelled
      ? (await responses.hide(owner.account, owner.id)) && false
      : (await responses.length(owner.account, owner.id)) !== undefined
    const end = isStored
      ? SUCCEEDED
      : isCancelled
        ? CANCELLED
        : { state: 'failed' as const, error: error ?? NOT_STORED }
    const change = { state: end.state, dueInMs: undefined, keepMs: keepMsOf(task, deps), data: { end } }
    const ended = await changeTask(tasks, task, change)
    if (ended) return ended
  }
  return undefined
}

const SUCCEEDED = { state: 'succeeded' as const }
const CANCELLED = { state: 'cancelled' as const }

async function lookAfter(task: ResponseTask, deps: ResponseTaskDependencies): Promise<ResponseTask | undefined> {
  const { tasks, ledger } = deps.store
  if (task.state === 'queued') return changeTask(tasks, task, endWith({ state: 'failed', error: NOT_BEGUN }))
  const request = await ledger.findRequest(task.account, task.id)
  const isRunning = deps.runningResponses.has(task.id) || request?.state === HELD
  return isRunning ? changeTask(tasks, task, { dueInMs: TASK_TIMING.runCheckMs }) : finish(task.id, LOST, deps)
}

/** A queued response ends at once, a running one soon. false: it has changed meanwhile. */
export async function cancelResponse(task: ResponseTask, deps: ResponseTaskDependencies): Promise<boolean> {
  const { tasks } = deps.store
  if (task.state === 'queued') {
    const closing = await changeTask(tasks, task, endWith(CANCELLED))
    if (closing) await closeTask(closing, deps)
    return closing !== undefined
  }
  if (task.state !== 'running') return true
  const flagged = await changeTask(tasks, task, { dueInMs: TASK_TIMING.runCheckMs, data: { isCancelled: true } })
  if (flagged) deps.runningResponses.get(task.id)?.disconnect()
  return flagged !== undefined
}

async function find(id: bigint, { store }: ResponseTaskDependencies): Promise<ResponseTask | undefined> {
  const row = await store.tasks.find(id)
  return row && decodeTaskRow<ResponseTaskData>(row)
}

function errorOf(error: unknown): End {
  const isTold = error instanceof Failure || error instanceof RequestError
  return isTold ? { code: failureCode(error.info), message: error.info.message } : UNEXPECTED
}

const UNEXPECTED = { code: 'server_error', message: 'The gateway failed on this response.' }
const GONE = { code: 'server_error', message: 'The request is not stored any more. It was not charged.' }
const NOT_BEGUN = { code: 'server_error', message: 'The response could not be begun in time. It was not charged.' }
const NOT_STORED = { code: 'server_error', message: 'The response could not be stored.' }
const LOST = {
  code: 'server_error',
  message: 'The gateway that generated this response was stopped. What it had generated until then was charged.',
}
