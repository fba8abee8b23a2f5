// Writes steps into a body with backpressure, and stops at once when the reader disconnects. The only asynchronous part.

import { nextTurn } from './next-turn.ts'

export type Bytes = Uint8Array<ArrayBuffer>

export type Step =
  | { type: 'write'; bytes: Bytes }
  | { type: 'wait'; ms: number }
  /** Sends nothing more, with the connection open. */
  | { type: 'stall' }
  /** The connection is destroyed. */
  | { type: 'cut' }

/** Resolves after the time, or as soon as the signal aborts; never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const sleepFor: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })

export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A reader in the same process never pauses: the event loop must run in between. */
const WRITES_IN_A_ROW = 16

/** Nothing is produced before it is read: with a high-water mark of 0 every write follows a pull. */
export function bodyOf(steps: Generator<Step>, gone: AbortSignal, sleep: Sleep): ReadableStream<Bytes> {
  const stop = new AbortController()
  const finish = () => {
    gone.removeEventListener('abort', leave)
    stop.abort()
    steps.return(undefined)
  }
  let writes = 0
  let controller: ReadableStreamDefaultController<Bytes> | undefined
  const leave = () => {
    finish()
    // As with fetch, the pending read fails with the abort reason.
    controller?.error(gone.reason)
  }
  return new ReadableStream<Bytes>(
    {
      start(given) {
        controller = given
        if (gone.aborted) leave()
        else gone.addEventListener('abort', leave)
      },
      async pull(given) {
        if (++writes % WRITES_IN_A_ROW === 0) await nextTurn()
        while (!stop.signal.aborted) {
          const { value: step, done } = steps.next()
          if (done) {
            finish()
            return given.close()
          }
          if (step.type === 'write') return given.enqueue(step.bytes)
          if (step.type === 'wait') await sleep(step.ms, stop.signal)
          else if (step.type === 'stall') await whenAborted(stop.signal)
          else {
            finish()
            return given.error(new Error('the sandbox cut the connection, as it was asked to'))
          }
        }
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  )
}
