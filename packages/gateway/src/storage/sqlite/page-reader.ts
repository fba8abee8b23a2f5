// Reads pages of lists on a thread of their own: what scans many rows, or returns long ones, delays no other request. The thread is started at
// first use, and ended when nothing has been read for a while.
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statements.ts'
import { StoreDown } from '../storage.ts'
import type { FromReader, ToReader } from './reader-thread.ts'

export type PageReader = {
  /** Rejects with StoreDown. */
  read(statement: Statement): Promise<Row[]>
  close(): Promise<void>
}

type Waiting = { resolve(rows: Row[][]): void; reject(error: Error): void }
type Thread = { worker: Worker; waiting: Waiting[]; idle: ReturnType<typeof setTimeout> | undefined }

const IDLE_MS = 10_000

/** `start`: a worker that runs reader-thread.ts. */
export function createPageReader(file: string, start: () => Promise<Worker>, idleMs = IDLE_MS): PageReader {
  let thread: Promise<Thread> | undefined
  let isClosed = false

  async function startThread(): Promise<Thread> {
    const worker = await start()
    const started: Thread = { worker, waiting: [], idle: undefined }
    worker.onmessage = ({ data }: MessageEvent<FromReader>) => {
      if ('done' in data) return
      const first = started.waiting.shift()
      if ('failure' in data) first?.reject(new StoreDown(data.message))
      else first?.resolve(data)
    }
    worker.onerror = ({ message }) => {
      thread = undefined
      worker.terminate()
      for (const { reject } of started.waiting.splice(0)) reject(new StoreDown(message))
    }
    return started
  }

  /** Responses come in the order of the messages. */
  function ask({ worker, waiting }: Thread, message: ToReader): Promise<Row[][]> {
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      worker.postMessage(message)
    })
  }

  async function end(): Promise<void> {
    const ending = thread
    thread = undefined
    const running = await ending?.catch(() => undefined)
    if (!running) return
    clearTimeout(running.idle)
    // The file is closed before the thread ends: its log could not be removed otherwise.
    await ask(running, 'close').catch(() => undefined)
    running.worker.terminate()
  }

  return {
    async read(statement) {
      if (isClosed) throw new StoreDown(`${file} is closed`)
      thread ??= startThread().catch((error) => {
        thread = undefined
        throw new StoreDown(String(error))
      })
      const running = await thread
      clearTimeout(running.idle)
      const [rows = []] = await ask(running, { file, statements: [statement], staysOpen: true })
      clearTimeout(running.idle)
      running.idle = setTimeout(() => void end(), idleMs)
      running.idle.unref()
      return rows
    },
    async close() {
      isClosed = true
      await end()
    },
  }
}
