// Runs a queued response: the journey of a text request, with the hold that was placed when it was queued, and a client that stores events.

import { ResponseHeaders } from '@trivium/http/response.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { taskLease } from '../money/ledger.ts'
import { tellAll } from '../observe/request-observer.ts'
import { RequestRecord } from '../observe/request-record.ts'
import { holdVerb } from '../paid-call/hold.ts'
import { unavailable } from '../paid-call/hold-errors.ts'
import { openPaidCall } from '../paid-call/open.ts'
import { formatRequestId } from '../request/ids.ts'
import type { Opened } from '../storage/node/settler.ts'
import type { Caller } from '../storage/storage.ts'
import { noteCallerIds } from '../tasks/caller-ids.ts'
import { LONGEST_LEASE_MS } from '../tasks/timing.ts'
import { TEXT } from '../text/journey.ts'
import type { TextCall, TextDependencies } from '../text/text-call.ts'
import type { ResponseTaskDependencies } from './dependencies.ts'
import { type EventRecorder, recordEvents } from './record-events.ts'
import type { ResponseTask } from './response-task.ts'
import type { RunClient } from './stored-request.ts'

/** Another process has ended the task, or runs it. */
export class NotOurs extends Error {
  override name = 'NotOurs'
}

export type Run = {
  task: ResponseTask
  client: RunClient
  caller: Caller
  keepMs: number
  /** The hold is this node's: from here on the task is a running request. */
  begun(): Promise<void>
}

const LEASE_MS = 15_000

/** Resolves when the response is settled and stored, with what it failed with. Throws what the journey throws, and NotOurs. */
export async function runResponse(run: Run, deps: ResponseTaskDependencies): Promise<EventRecorder['error']> {
  const { task, client, caller } = run
  const id = formatRequestId(task.id)
  const record = new RequestRecord(client.method, client.target, id, performance.now(), 0, 'responses')
  record.account = caller.account
  record.key = caller.key
  noteCallerIds(record, task.data)
  const responseHeaders = new ResponseHeaders(deps.catalogue().headers.authenticated, id)
  const isAttributed = true as const
  const incoming = { http: client, id: task.id, query: '', responseHeaders, record, caller, isAttributed }
  const journey = { ...TEXT, route: routeOf(task), hold: (request) => begin(request, run, deps) } satisfies typeof TEXT
  const events = recordEvents(task, run.keepMs, deps)
  try {
    const response = await openPaidCall(journey, incoming, { dialect: TEXT_DIALECTS.responses }, withoutMemory(deps))
    const { body } = response
    await events.write(body instanceof Uint8Array ? body : await body.run(events))
    record.status = response.status
    return events.error
  } finally {
    await events.close()
    record.totalMs = performance.now() - record.startedAt
    tellAll(deps.observers).ended(record)
  }
}

/** What was rejected a moment ago says nothing of a request that is counted and held. */
function withoutMemory<D extends TextDependencies>(deps: D): D {
  const { rateLimitCache, budgets } = deps
  const lowFunds = { ...rateLimitCache.lowFunds, knows: () => false, find: () => undefined }
  const freeRequests = { take: () => undefined, full: () => undefined, weigh: () => {} }
  const held = { ...budgets, reached: () => undefined }
  return {
    ...deps,
    budgets: held,
    freeRequests,
    rateLimitCache: { ...rateLimitCache, lowFunds, find: () => undefined },
  }
}

/** The response says that it is one of the background, and since when it exists. */
const routeOf = (task: ResponseTask): typeof TEXT.route => {
  const echo = [
    { name: 'background', json: 'true', always: true },
    { name: 'created_at', json: String(Math.floor(task.createdAt / 1_000)), always: true },
  ] as const
  return async (opening, deps) => {
    const routed = await TEXT.route(opening, deps)
    const { conversation } = opening.request
    const isTold = !conversation || conversation.echo.some((field) => field === echo[0])
    if (!isTold)
      opening.request = { ...opening.request, conversation: { ...conversation, echo: [...conversation.echo, ...echo] } }
    return routed
  }
}

async function begin(request: TextCall, { task, begun }: Run, deps: ResponseTaskDependencies): Promise<Opened> {
  request.budgetsText = task.data.budgets
  const { leases } = deps.store
  const lease = taskLease(task.id)
  const verb = holdVerb(request, withoutMemory(deps))
  const epoch = await leases.acquire(lease, deps.taskHolder, LEASE_MS, LONGEST_LEASE_MS)
  if (epoch === undefined) throw unavailable()
  const opened = await deps.settler.begin(verb, epoch)
  await leases.release(lease, epoch)
  if (opened.verdict === 'not_open' || opened.verdict === 'unknown_request') throw new NotOurs('the hold has ended')
  if (opened.verdict === 'open') await begun()
  return opened
}
