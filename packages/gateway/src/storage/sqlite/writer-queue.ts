// The main thread's side of the writer: whatever arrives while a commit runs forms the next batch.
import type { Result, Verb } from '../../money/ledger.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statements.ts'
import { type Completion, StoreDown } from '../storage.ts'
import {
  type FromWriter,
  LARGEST_BATCH,
  newShared,
  receiveAnswers,
  saysPending,
  sendVerbs,
  type ToWriter,
} from './messages.ts'
import type { Answer, Failure } from './transactions.ts'

/**
 * While requests come in company, a commit waits this long for more of them. A commit costs as much as the statements of
 * some ten requests, so twice the batch is much less work in all; a request that comes alone does not wait.
 */
const GATHER_MS = 1

type Batch = { verbs: Verb[]; waiting: Completion<Result>[]; statements?: undefined }
type Write = { statements: readonly Statement[]; waiting: [Completion<Row[][] | undefined>] }
type Turn = Batch | Write

export type WriterQueue = {
  submit(verb: Verb, waiter: Completion<Result>): void
  write(statements: readonly Statement[]): Promise<Row[][] | undefined>
  /** Verbs that were answered may not be in their rows yet. */
  isBehind(): boolean
  /** Resolves when the rows show all that verbs answered so far have changed. */
  writeRows(): Promise<void>
  /** Resolves when all that was asked before is done and the thread has ended; later calls are refused. */
  close(): Promise<void>
}

export type QueueOptions = { clock: () => number; busyTimeoutMs: number; deferFrom: number | undefined }

export async function startWriterQueue(worker: Worker, file: string, options: QueueOptions): Promise<WriterQueue> {
  const { clock, busyTimeoutMs, deferFrom } = options
  const shared = newShared()
  let turns: Turn[] = []
  /** The last of `turns`, if verbs can still join it. */
  let open: Batch | undefined
  let running: Turn | undefined
  let busy = true
  let pumpIsDue = false
  /** The last batch held several verbs. */
  let inCompany = false
  /** Answered verbs may not be in their rows yet. */
  let isBehind = false
  /** Set once, for good: why nothing is accepted any more. */
  let refusal: StoreDown | undefined
  const opening = Promise.withResolvers<void>()
  const closing = Promise.withResolvers<void>()

  const post = (message: ToWriter): void => worker.postMessage(message)

  function pump(): void {
    pumpIsDue = false
    if (busy) return
    running = turns.shift()
    if (running === open) open = undefined
    if (!running) {
      if (refusal) {
        busy = true
        post({ type: 'close' })
      }
      return
    }
    busy = true
    if (running.statements) post({ type: 'write', statements: running.statements })
    else {
      inCompany = running.waiting.length > 1
      postVerbs(running)
    }
  }

  function postVerbs(batch: Batch): void {
    try {
      post(sendVerbs(shared, batch.verbs, clock()))
    } catch (error) {
      // A value of a wrong type, which sql/guard.ts let pass. Without this all others would wait forever.
      running = undefined
      busy = false
      rejectAll(batch, error instanceof Error ? error : new Error(String(error)))
      pumpSoon()
    }
  }

  /** Not at once: neighbours that arrive in the same turn of the loop shall share the commit, which costs more than they do. */
  function pumpSoon(): void {
    if (busy || pumpIsDue) return
    pumpIsDue = true
    if (inCompany) setTimeout(pump, GATHER_MS)
    else setImmediate(pump)
  }

  function failAll(error: Error): void {
    const failed = running ? [running, ...turns] : turns
    running = undefined
    turns = []
    open = undefined
    for (const turn of failed) rejectAll(turn, error)
  }

  function finish(message: FromWriter): void {
    const done = running
    running = undefined
    busy = false
    if (typeof message === 'string') {
      isBehind = saysPending(message)
      if (done && !done.statements) settleBatch(done, receiveAnswers(shared, message, done.waiting.length))
    } else
      switch (message.type) {
        case 'opened':
          opening.resolve()
          break
        case 'write':
          // A list that was undone has taken with it what was written before it.
          if (message.answer && !('failure' in message.answer)) isBehind = false
          if (done?.statements) settleWrite(done, message.answer)
          break
        case 'failed':
          opening.reject(new Error(message.message))
          closing.reject(toError(message))
          if (done) rejectAll(done, toError(message))
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
    failAll(refusal)
  }
  // The failure has already been reported to the waiting callers.
  closing.promise.catch(() => undefined)
  post({ type: 'open', file, busyTimeoutMs, deferFrom, memory: shared.memory })
  await opening.promise

  function openBatch(): Batch {
    const batch: Batch = { verbs: [], waiting: [] }
    turns.push(batch)
    pumpSoon()
    return batch
  }
  function write(statements: readonly Statement[]): Promise<Row[][] | undefined> {
    if (refusal) return Promise.reject(refusal)
    return new Promise((resolve, reject) => {
      // Verbs that come after it stay after it.
      open = undefined
      turns.push({ statements, waiting: [{ resolve, reject }] })
      pumpSoon()
    })
  }
  return {
    submit(verb, waiter) {
      if (refusal) {
        waiter.reject(refusal)
        return
      }
      if (!open || open.waiting.length === LARGEST_BATCH) open = openBatch()
      open.verbs.push(verb)
      open.waiting.push(waiter)
    },
    write,
    isBehind: () => isBehind,
    async writeRows() {
      await write([])
    },
    close() {
      refusal ??= new StoreDown(`${file} is closed`)
      pumpSoon()
      return closing.promise
    },
  }
}

function settleBatch({ waiting }: Batch, answers: readonly Answer[]): void {
  let index = 0
  for (const waiter of waiting) {
    const answer = answers[index++]
    if (!answer) waiter.reject(new StoreDown('the writer gave no answer'))
    else if ('failure' in answer) waiter.reject(toError(answer))
    else waiter.resolve(answer)
  }
}

function settleWrite({ waiting: [waiter] }: Write, answer: Row[][] | undefined | Failure): void {
  if (answer && 'failure' in answer) waiter.reject(toError(answer))
  else waiter.resolve(answer)
}

function rejectAll({ waiting }: Turn, error: Error): void {
  for (const waiter of waiting) waiter.reject(error)
}

const toError = ({ failure, message }: Failure): Error =>
  failure === 'store' ? new StoreDown(message) : new Error(message)
