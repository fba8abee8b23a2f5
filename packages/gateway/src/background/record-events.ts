// The events of a run, stored in pieces as they come, so that clients can read them later and on every node. The first two and the last are
// not the upstream's: the response was queued before, and what it came to is stored apart.

import type { Sink } from '@trivium/http/response.ts'
import { isObject, type Json, parsedJson } from '@trivium/protocol/canonical/reading.ts'
import { formatSse, openSseParser } from '@trivium/protocol/framing/sse.ts'
import { putPiece } from '../conversations/pieces.ts'
import type { BackgroundDependencies } from './dependencies.ts'
import { eventPiece, MOST_EVENT_BYTES, ownerOf, type ResponseTask } from './response-task.ts'

/** What is collected for one piece: for so long, or until it is so large. The longer a response takes, the rarer its pieces. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [200, 2_000, 1.02]
const PIECE_BYTES = 64 * 1024
const LARGEST_EVENT = 48 * 1024 * 1024

const ENDS: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.done',
  'response.incomplete',
  'response.failed',
  'error',
])
const BEGINS: ReadonlySet<unknown> = new Set(['response.created', 'response.queued'])

/** The events of a response that has just been queued. */
export const firstEvents = (response: Json): string =>
  [...BEGINS].map((type, index) => eventOf({ type: String(type), response }, index)).join('')

/** The numbers of the upstream's events, if it has any, do not count those that came before. */
export const eventOf = ({ type, sequence_number: _, ...event }: Json & { type: string }, sequence: number): string =>
  formatSse(JSON.stringify({ type, sequence_number: sequence, ...event }), type)

export type EventRecorder = Sink & {
  /** What the response failed with, by its events. */
  readonly error: { code: string; message: string } | undefined
  /** All that came is stored when this resolves. */
  close(): Promise<void>
}

export function recordEvents(task: ResponseTask, keepMs: number, deps: BackgroundDependencies): EventRecorder {
  const owner = ownerOf(task)
  const parser = openSseParser(LARGEST_EVENT)
  const decoder = new TextDecoder()
  let error: EventRecorder['error']
  let [sequence, index, keptBytes, pauseMs] = [BEGINS.size, 1, 0, FIRST_PAUSE_MS]
  let [pending, pendingBytes]: [string[], number] = [[], 0]
  let timer: Timer | undefined
  let storing: Promise<void> | undefined

  function take(data: string): void {
    const event = parsedJson(data)
    if (!isObject(event) || typeof event.type !== 'string' || BEGINS.has(event.type)) return
    if (ENDS.has(event.type)) {
      noteEnd(event)
      return
    }
    const text = eventOf({ ...event, type: event.type }, sequence++)
    keptBytes += text.length
    if (keptBytes > MOST_EVENT_BYTES) return
    pending.push(text)
    pendingBytes += text.length
  }

  function noteEnd({ response }: Json): void {
    const failed = isObject(response) ? response.error : undefined
    if (isObject(failed)) error = { code: String(failed.code), message: String(failed.message) }
  }

  /** One piece after the other. A stream that brings more meanwhile waits. */
  function store(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const text = pending.join('')
    ;[pending, pendingBytes] = [[], 0]
    if (text === '') return storing ?? Promise.resolve()
    const name = eventPiece(index++)
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH)
    const before = storing
    storing = (async () => {
      await before
      await putPiece(owner, name, Buffer.from(text), keepMs, deps).catch((reason) =>
        deps.log.warn('events of a background response not stored', { response: owner.id, reason: String(reason) }),
      )
      deps.responseNews.tell(task.id)
    })()
    return storing
  }

  return {
    get error() {
      return error
    },
    write(bytes) {
      for (const { data } of parser.push(decoder.decode(bytes, { stream: true }))) take(data)
      if (pendingBytes >= PIECE_BYTES) return store()
      if (pendingBytes > 0) timer ??= setTimeout(() => void store(), pauseMs)
      return undefined
    },
    async close() {
      for (const { data } of parser.end()) take(data)
      await store()
    },
  }
}
