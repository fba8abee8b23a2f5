// The main thread's side of the writer: whatever arrives while a commit runs forms the next batch.
import type { Result, Verb } from '../../money/ledger.ts'
import type { Statement } from '../sql/queries.ts'
import type { Row } from '../sql/rows.ts'
import { StoreDown } from '../storage.ts'
import { answerAt, type Flat, type FromWriter, flattenVerb, type ToWriter } from './messages.ts'
import type { Answer, Failure } from './transactions.ts'

/** Enough to make a commit cheap per verb, few enough that nobody waits long behind it. */
const LARGEST_BATCH = 500

/**
 * While requests come in company, a commit waits this long for more of them. A commit costs as much as the statements of
 * some ten requests, so twice the batch is much less work in all; a request that comes alone does not wait.
 */
const GATHER_MS = 1

type Settle<T> = { resolve(value: T): void; reject(error: Error): void }
type Waiting =
  | ({ verb: Verb; statements?: undefined } & Settle<Result>)
  | ({ verb?: undefined; statements: readonly Statement[] } & Settle<Row[][] | undefined>)

export type WriterQueue = {
  apply(verb: Verb): Promise<Result>
  write(statements: readonly Statement[]): Promise<Row[][] | undefined>
  /** Resolves when all that was asked before is done and the thread has ended; later calls are refused. */
  close(): Promise<void>
}

export async function startWriterQueue(worker: Worker, file: string, options: QueueOptions): Promise<WriterQueue> {
  const { clock, busyTimeoutMs } = options
  let waiting: Waiting[] = []
  let running: Waiting[] = []
  let busy = true
  let pumpIsDue = false
  /** The last batch held several verbs. */
  let inCompany = false
  /** Set once, for good: why nothing is accepted any more. */
  let refusal: StoreDown | undefined
  const opening = Promise.withResolvers<void>()
  const closing = Promise.withResolvers<void>()

  const post = (message: ToWriter): void => worker.postMessage(message)

  function pump(): void {
    pumpIsDue = false
    if (busy) return
    const [first] = waiting
    if (!first) {
      if (refusal) {
        busy = true
        post({ type: 'close' })
      }
      return
    }
    busy = true
    if (first.statements) {
      running = waiting.splice(0, 1)
      post({ type: 'write', statements: first.statements })
      return
    }
    const verbs: Flat = []
    let count = 0
    for (const { verb } of waiting) {
      if (!verb || count === LARGEST_BATCH) break
      flattenVerb(verbs, verb)
      count += 1
    }
    running = count === waiting.length ? waiting : waiting.slice(0, count)
    waiting = count === waiting.length ? [] : waiting.slice(count)
    inCompany = count > 1
    post({ type: 'verbs', now: clock(), verbs })
  }

  /** Not at once: neighbours that arrive in the same turn of the loop shall share the commit, which costs more than they do. */
  function pumpSoon(): void {
    if (busy || pumpIsDue) return
    pumpIsDue = true
    if (inCompany) setTimeout(pump, GATHER_MS)
    else setImmediate(pump)
  }

  function fail(error: Error): void {
    const failed = [...running, ...waiting]
    running = []
    waiting = []
    for (const { reject } of failed) reject(error)
  }

  function finish(message: FromWriter): void {
    const done = running
    running = []
    busy = false
    switch (message.type) {
      case 'opened':
        opening.resolve()
        break
      case 'verbs':
        for (const [index, each] of done.entries()) settleVerb(each, answerAt(message.answers, index))
        break
      case 'write':
        for (const each of done) settleWrite(each, message.answer)
        break
      case 'failed':
        opening.reject(new Error(message.message))
        closing.reject(toError(message))
        for (const { reject } of done) reject(toError(message))
        break
      case 'closed':
        busy = true
        closing.resolve()
    }
    pumpSoon()
  }

  worker.onmessage = ({ data }: MessageEvent<FromWriter>) => finish(data)
  worker.onerror = (event) => {
    // The thread is gone, and with it the answer whether the running batch was committed.
    refusal = new StoreDown(`the writer of ${file} failed: ${event.message}`)
    busy = true
    opening.reject(refusal)
    closing.resolve()
    fail(refusal)
  }
  // A failure may come when nobody closes: it has been told to those who waited.
  closing.promise.catch(() => undefined)
  post({ type: 'open', file, busyTimeoutMs, now: clock() })
  await opening.promise

  const enqueue = <T>(put: (settle: Settle<T>) => Waiting): Promise<T> =>
    new Promise((resolve, reject) => {
      if (refusal) return reject(refusal)
      waiting.push(put({ resolve, reject }))
      pumpSoon()
    })
  return {
    apply: (verb) => enqueue((settle) => ({ verb, ...settle })),
    write: (statements) => enqueue((settle) => ({ statements, ...settle })),
    close() {
      refusal ??= new StoreDown(`${file} is closed`)
      pumpSoon()
      return closing.promise
    },
  }
}

export type QueueOptions = { clock: () => number; busyTimeoutMs: number }

function settleVerb(waiting: Waiting, answer: Answer | undefined): void {
  if (waiting.statements) return
  if (!answer) waiting.reject(new StoreDown('the writer gave no answer'))
  else if ('failure' in answer) waiting.reject(toError(answer))
  else waiting.resolve(answer)
}

function settleWrite(waiting: Waiting, answer: Row[][] | undefined | Failure): void {
  if (!waiting.statements) return
  if (answer && 'failure' in answer) waiting.reject(toError(answer))
  else waiting.resolve(answer)
}

const toError = ({ failure, message }: Failure): Error =>
  failure === 'store' ? new StoreDown(message) : new Error(message)
