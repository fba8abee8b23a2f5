// The events of a background response for a client: those that are stored, then those that come, wherever it is run, until its end.

import type { HttpResponse, Sink } from '@trivium/http/response.ts'
import { withTimeout } from '@trivium/http/ticker.ts'
import { heartbeat } from '@trivium/protocol/dialects/responses/reply/encode-stream.ts'
import { codec } from '../bytes/codec.ts'
import { pieceOf, readPiece } from '../conversations/pieces.ts'
import { setStreamHeaders } from '../paid-call/writing/stream-headers.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { createSharedSlots } from '../sharing/shared-slots.ts'
import type { Caller } from '../storage/storage.ts'
import { isEnded } from '../tasks/states.ts'
import { decodeTaskRow } from '../tasks/task.ts'
import type { BackgroundDependencies } from './dependencies.ts'
import { eventOf } from './record-events.ts'
import { eventPiece, ownerOf, type ResponseTask, type ResponseTaskData } from './response-task.ts'
import { lastEvent } from './view.ts'

/** Clients of this process that read events at the same time, and those of one account. */
export const MOST_FOLLOWERS = 512
export const MOST_FOLLOWERS_OF_ACCOUNT = 32
/** A client that takes nothing for this long is disconnected. */
const STALLED_MS = 60_000
const RETRY_SECONDS = 5

export const createFollowers = (): BackgroundDependencies['followers'] =>
  createSharedSlots<never>({
    limit: MOST_FOLLOWERS,
    // An account that uses the pool alone gets half of it.
    limitOf: () => 2 * MOST_FOLLOWERS_OF_ACCOUNT,
    mostWaiting: 0,
    woken: () => {},
  })

/** `after`: the number of the last event that the client has. */
export type Following = { caller: Caller; incoming: ApiRequest; after: number }

/** The place of a client that reads events. Throws Failure if the account has too many. */
export function takeFollower({ account }: Caller, deps: BackgroundDependencies): () => void {
  const release = deps.followers.take({ account, pools: [`account ${account}`] })
  if (release) return release
  throw new Failure('rate_limit_exceeded', 'Too many clients of this account read events. Poll the response instead.', {
    retryAfter: RETRY_SECONDS,
  })
}

/** `release`: of the place that was taken for it. */
export function followResponse(
  task: ResponseTask,
  following: Following,
  deps: BackgroundDependencies,
  release = takeFollower(following.caller, deps),
): HttpResponse {
  const { responseHeaders: headers } = following.incoming
  setStreamHeaders(headers, 'text/event-stream; charset=utf-8')
  const run = (sink: Sink) => follow(task, following, sink, deps).finally(release)
  return { status: 200, headers, body: { run } }
}

async function follow(
  first: ResponseTask,
  { incoming, after }: Following,
  sink: Sink,
  deps: BackgroundDependencies,
): Promise<Uint8Array> {
  const { http } = incoming
  const owner = ownerOf(first)
  let task: ResponseTask | undefined = first
  let last = -1
  // Without a first byte the client would not even get the headers.
  let wroteAt = Number.NEGATIVE_INFINITY

  async function write(text: string): Promise<void> {
    if (text === '' || http.isDisconnected) return
    wroteAt = deps.ticker.now()
    const written = sink.write(codec.encode(text))
    const inTime = written
      ? await withTimeout(
          deps.ticker,
          STALLED_MS,
          written.then(() => true),
        )
      : true
    if (inTime === undefined) sink.abort?.()
  }

  /** How long until the client needs a sign of life. */
  const silentFor = () => Math.max(0, wroteAt + deps.streamTiming.heartbeatMs - deps.ticker.now())

  for (let index = 0; !http.isDisconnected; ) {
    const hasEnded: boolean = !task || isEnded(task.state)
    const piece = await readPiece(owner, eventPiece(index), deps)
    if (piece) {
      index++
      const events = eventsIn(codec.decode(piece, 0, piece.length))
      last = events.at(-1)?.sequence ?? last
      await write(
        events
          .filter(({ sequence }) => sequence > after)
          .map(({ text }) => text)
          .join(''),
      )
      continue
    }
    if (hasEnded || !task) break
    const { id, version } = task
    const news = deps.responseNews.next(
      { id, version, piece: pieceOf(owner, eventPiece(index)) },
      () => http.isDisconnected,
    )
    while (!(await withTimeout(deps.ticker, silentFor(), news))) await write(heartbeat)
    const row = await deps.store.tasks.find(first.id)
    task = row && decodeTaskRow<ResponseTaskData>(row)
  }
  // Deleted, or the client has even the last event.
  if (http.isDisconnected || !task || last + 1 <= after) return NOTHING
  return codec.encode(eventOf(await lastEvent(task, deps), last + 1))
}

const NOTHING = new Uint8Array(0)

type StoredEvent = { sequence: number; text: string }

const eventsIn = (text: string): StoredEvent[] =>
  text
    .split(/(?<=\n\n)/)
    .filter((event) => event !== '')
    .map((event) => ({ sequence: Number(/"sequence_number":(\d+)/.exec(event)?.[1] ?? -1), text: event }))
