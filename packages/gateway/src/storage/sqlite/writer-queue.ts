// The main thread's side of the writer: verbs that arrive during a commit form the next batch.
import type { Result, Verb } from '../../money/ledger.ts'
import { type Upgrade, WrongSchema } from '../migrations/migrations.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statements.ts'
import { type Completion, StoreDown } from '../storage.ts'
import {
  type FromWriter,
  LARGEST_BATCH,
  newShared,
  receiveResults,
  saysPending,
  sendVerbs,
  type ToWriter,
} from './messages.ts'
import type { VerbResult, WriteFailure } from './transactions.ts'

/**
 * Under concurrent load a commit waits this long for more verbs. A commit costs as much as the statements of about ten requests,
 * so larger batches save much work. A request without concurrent ones does not wait.
 */
const GATHER_MS = 1

type Batch = { verbs: Verb[]; completions: Completion<Result>[]; statements?: undefined }
type Write = { statements: readonly Statement[]; completions: [Completion<Row[][] | undefined>] }
type Job = Batch | Write

export type WriterQueue = {
  submit(verb: Verb, completion: Completion<Result>): void
  write(statements: readonly Statement[]): Promise<Row[][] | undefined>
  /** Whether rows may lack the changes of confirmed verbs. */
  isBehind(): boolean
  /** Resolves when the rows show the changes of all verbs confirmed so far. */
  writeRows(): Promise<void>
  /** Resolves when all earlier calls are done and the thread has ended; later calls are rejected. */
  close(): Promise<void>
}

export type QueueOptions = {
  clock: () => number
  busyTimeoutMs: number
  mayChange: boolean
  deferFrom: number | undefined
  onUpgrade?: ((upgrade: Upgrade) => void) | undefined
}

export async function startWriterQueue(worker: Worker, file: string, options: QueueOptions): Promise<WriterQueue> {
  const { clock, busyTimeoutMs, mayChange, deferFrom, onUpgrade } = options
  const shared = newShared()
  let queued: Job[] = []
  /** The last of `queued`, if verbs can still join it. */
  let open: Batch | undefined
  let running: Job | undefined
  let busy = true
  let pumpIsDue = false
  /** The last batch had several verbs. */
  let isConcurrent = false
  let isBehind = false
  /** Set once: why nothing is accepted any more. */
  let closedBy: StoreDown | undefined
  const opening = Promise.withResolvers<void>()
  const closing = Promise.withResolvers<void>()

  const post = (message: ToWriter): void => worker.postMessage(message)

  function pump(): void {
    pumpIsDue = false
    if (busy) return
    running = queued.shift()
    if (running === open) open = undefined
    if (!running) {
      if (closedBy) {
        busy = true
        post({ type: 'close' })
      }
      return
    }
    busy = true
    if (running.statements) post({ type: 'write', statements: running.statements })
    else {
      isConcurrent = running.completions.length > 1
      postVerbs(running)
    }
  }

  function postVerbs(batch: Batch): void {
    try {
      post(sendVerbs(shared, batch.verbs, clock()))
    } catch (error) {
      // A value of a wrong type that sql/guard.ts did not find. Without this all other verbs would wait forever.
      running = undefined
      busy = false
      rejectAll(batch, error instanceof Error ? error : new Error(String(error)))
      pumpSoon()
    }
  }

  /** Later, so that verbs of the same turn of the event loop share the commit, which costs more than they do. */
  function pumpSoon(): void {
    if (busy || pumpIsDue) return
    pumpIsDue = true
    if (isConcurrent) setTimeout(pump, GATHER_MS)
    else setImmediate(pump)
  }

  function failAll(error: Error): void {
    const failed = running ? [running, ...queued] : queued
    running = undefined
    queued = []
    open = undefined
    for (const job of failed) rejectAll(job, error)
  }

  function finish(message: FromWriter): void {
    const done = running
    running = undefined
    busy = false
    if (typeof message === 'string') {
      isBehind = saysPending(message)
      if (done && !done.statements) settleBatch(done, receiveResults(shared, message, done.completions.length))
    } else
      switch (message.type) {
        case 'opened':
          if (message.upgrade) onUpgrade?.(message.upgrade)
          opening.resolve()
          break
        case 'write':
          // If the list was rolled back, so were the rows written before it.
          if (message.result && !('failure' in message.result)) isBehind = false
          if (done?.statements) settleWrite(done, message.result)
          break
        case 'failed':
          // The class of an error does not cross threads.
          opening.reject(new (message.isWrongSchema ? WrongSchema : Error)(message.message))
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
    // The thread has died: whether the running batch was committed is unknown.
    closedBy = new StoreDown(`the writer of ${file} failed: ${event.message}`)
    busy = true
    opening.reject(closedBy)
    closing.resolve()
    failAll(closedBy)
  }
  // The failure has already been reported to the callers.
  closing.promise.catch(() => undefined)
  post({ type: 'open', file, busyTimeoutMs, mayChange, deferFrom, memory: shared.memory })
  await opening.promise

  function openBatch(): Batch {
    const batch: Batch = { verbs: [], completions: [] }
    queued.push(batch)
    pumpSoon()
    return batch
  }
  function write(statements: readonly Statement[]): Promise<Row[][] | undefined> {
    if (closedBy) return Promise.reject(closedBy)
    return new Promise((resolve, reject) => {
      // Later verbs must stay after it.
      open = undefined
      queued.push({ statements, completions: [{ resolve, reject }] })
      pumpSoon()
    })
  }
  return {
    submit(verb, completion) {
      if (closedBy) {
        completion.reject(closedBy)
        return
      }
      if (!open || open.completions.length === LARGEST_BATCH) open = openBatch()
      open.verbs.push(verb)
      open.completions.push(completion)
    },
    write,
    isBehind: () => isBehind,
    async writeRows() {
      await write([])
    },
    close() {
      closedBy ??= new StoreDown(`${file} is closed`)
      pumpSoon()
      return closing.promise
    },
  }
}

function settleBatch({ completions }: Batch, results: readonly VerbResult[]): void {
  let index = 0
  for (const completion of completions) {
    const result = results[index++]
    if (!result) completion.reject(new StoreDown('the writer gave no result'))
    else if ('failure' in result) completion.reject(toError(result))
    else completion.resolve(result)
  }
}

function settleWrite({ completions: [completion] }: Write, result: Row[][] | undefined | WriteFailure): void {
  if (result && 'failure' in result) completion.reject(toError(result))
  else completion.resolve(result)
}

function rejectAll({ completions }: Job, error: Error): void {
  for (const completion of completions) completion.reject(error)
}

const toError = ({ failure, message }: WriteFailure): Error =>
  failure === 'store' ? new StoreDown(message) : new Error(message)
