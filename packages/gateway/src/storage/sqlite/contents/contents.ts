// Contents in a SQLite file beside the ledger's, written by a thread of its own. Both are created at first use: a
// gateway that stores nothing in it has neither.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { threadCode } from '@trivium/http/system/thread-code.ts'
import type { ContentDialect } from '../../sql/contents.ts'
import { contentNounsOver } from '../../sql/nouns.ts'
import type { Row } from '../../sql/rows.ts'
import { tasksOver } from '../../sql/tasks.ts'
import { StoreDown } from '../../storage.ts'
import { createPrivateFile } from '../owner-lock.ts'
import type { ContentsStatement, FromContents, ToContents } from './contents-thread.ts'
import { unpackRows } from './packed-rows.ts'
import { markDamaged } from './set-aside.ts'

export const CONTENTS_FILE = 'contents.db'

type Queued = { statement: ContentsStatement; isLarge: boolean; resolve(rows: Row[]): void; reject(error: Error): void }

const DIALECT: ContentDialect = {
  lock: '',
  skipLocked: '',
  list: (parameter) => `SELECT value FROM json_each(${parameter})`,
  listOfBytes: (parameter) => `SELECT unhex(value) FROM json_each(${parameter})`,
  listOf: (column) => `json_group_array(${column})`,
}

const CODE = new URL('./contents-thread.ts', import.meta.url)

export function sqliteContents(dataDir: string, clock: () => number) {
  const file = join(dataDir, CONTENTS_FILE)
  let thread: Promise<Thread> | undefined
  const queued: Queued[] = []
  let isBusy = false
  let isClosed = false
  let closing: Promise<void> | undefined
  void threadCode(CODE)

  /** A file that could not be opened is opened again by the next call: the disk may have space again. */
  function opened(): Promise<Thread> {
    thread ??= startThread(file).catch((error) => {
      thread = undefined
      throw error
    })
    return thread
  }

  /** In order of arrival. One that reads large rows is a batch of its own: its rows are received before others are read. */
  function nextBatch(): Queued[] {
    const large = queued.findIndex(({ isLarge }) => isLarge)
    return queued.splice(0, large === -1 ? queued.length : Math.max(1, large))
  }

  /** Statements that arrive during a commit form the next batch. */
  async function pump(): Promise<void> {
    if (isBusy || queued.length === 0) return
    isBusy = true
    const batch = nextBatch()
    let used: Thread | undefined
    try {
      used = await opened()
      const done = await used.send({ type: 'run', statements: batch.map(({ statement }) => statement) })
      if (done.type !== 'rows') throw new StoreDown(`${file}: unexpected message: ${done.type}`)
      for (const [index, { resolve }] of batch.entries()) {
        const rows = done.rows[index] ?? []
        resolve('buffer' in rows ? unpackRows(rows) : rows)
      }
    } catch (error) {
      if (used?.isDead()) thread = undefined
      for (const { reject } of batch) reject(error instanceof Error ? error : new StoreDown(String(error)))
    }
    isBusy = false
    void pump()
  }

  /** Where nothing has been stored there is nothing to find, change or remove, and only what adds a row creates the file. */
  const isThere = () => thread !== undefined || queued.length > 0 || existsSync(file)

  function run(sql: string, parameters: readonly unknown[], isLarge = false): Promise<Row[]> {
    if (!sql.trimStart().startsWith('INSERT') && !isThere()) return Promise.resolve([])
    if (isClosed) return Promise.reject(new StoreDown(`${file} is closed`))
    return new Promise((resolve, reject) => {
      queued.push({ statement: inSqlite(sql, parameters, clock()), isLarge, resolve, reject })
      // Statements of the same turn of the event loop share the commit.
      setImmediate(() => void pump())
    })
  }

  return {
    ...contentNounsOver(run, DIALECT),
    tasks: tasksOver(run, DIALECT),
    close() {
      closing ??= close()
      return closing
    },
  }

  async function close(): Promise<void> {
    isClosed = true
    while (isBusy || queued.length > 0) await Bun.sleep(1)
    const running = await thread?.catch(() => undefined)
    // If this fails, the rows are in the write-ahead log, which the next start reads.
    await running?.close().catch(() => undefined)
  }
}

/** SQLite's own form of parameters; its clock is the clock of the process that owns the file. */
function inSqlite(sql: string, parameters: readonly unknown[], now: number): ContentsStatement {
  const numbered = sql.replaceAll('$', '?')
  if (!sql.includes('NOW')) return { sql: numbered, parameters }
  return { sql: numbered.replaceAll('NOW', `?${parameters.length + 1}`), parameters: [...parameters, BigInt(now)] }
}

type Thread = { send(message: ToContents): Promise<FromContents>; isDead(): boolean; close(): Promise<void> }

/** One message at a time, which the queue sees to. */
async function startThread(file: string): Promise<Thread> {
  const worker = new Worker(await threadCode(CODE))
  let death: StoreDown | undefined
  const send = (message: ToContents): Promise<FromContents> =>
    new Promise((resolve, reject) => {
      if (death) return reject(death)
      worker.onerror = (event) => {
        death = new StoreDown(`the thread of ${file} failed: ${event.message}`)
        reject(death)
      }
      worker.onmessage = ({ data }: MessageEvent<FromContents>) => {
        if (data.type !== 'failed') return resolve(data)
        if (data.isDamaged) markDamaged(file)
        reject(new StoreDown(`${file}: ${data.message}`))
      }
      worker.postMessage(message)
    })
  try {
    createPrivateFile(file)
    await send({ type: 'open', file })
  } catch (error) {
    worker.terminate()
    throw error instanceof StoreDown ? error : new StoreDown(`${file}: ${String(error)}`)
  }
  return {
    send,
    isDead: () => death !== undefined,
    async close() {
      try {
        await send({ type: 'close' })
      } finally {
        worker.terminate()
      }
    },
  }
}
