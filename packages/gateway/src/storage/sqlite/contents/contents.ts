// Contents in a SQLite file beside the ledger's, written by a thread of its own. Both are created at first use: a
// gateway that stores nothing in it has neither.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { threadCode } from '@trivium/http/system/thread-code.ts'
import type { Contents } from '../../contents.ts'
import type { Media } from '../../media.ts'
import type { Reasoning } from '../../reasoning.ts'
import type { Responses } from '../../responses.ts'
import type { SealedRows } from '../../sealed-rows.ts'
import type { Shares } from '../../shares.ts'
import { contentsOver } from '../../sql/contents.ts'
import { mediaOver } from '../../sql/media.ts'
import { reasoningOver } from '../../sql/reasoning.ts'
import { responsesOver } from '../../sql/responses.ts'
import type { Row } from '../../sql/rows.ts'
import { sealedRowsOver } from '../../sql/sealed-rows.ts'
import { sharesOver } from '../../sql/shares/shares.ts'
import { tasksOver } from '../../sql/tasks.ts'
import { StoreDown } from '../../storage.ts'
import type { Tasks } from '../../tasks.ts'
import { createPrivateFile } from '../owner-lock.ts'
import type { ContentsStatement, FromContents, ToContents } from './contents-thread.ts'
import { unpackRows } from './packed-rows.ts'
import { markDamaged } from './set-aside.ts'

export const CONTENTS_FILE = 'contents.db'

export type SqliteContents = Contents & {
  media: Media
  tasks: Tasks
  responses: Responses
  reasoning: Reasoning
  shares: Shares
  sealedRows: SealedRows
  close(): Promise<void>
}
type Queued = { statement: ContentsStatement; isLarge: boolean; resolve(rows: Row[]): void; reject(error: Error): void }

const CODE = new URL('./contents-thread.ts', import.meta.url)

export function sqliteContents(dataDir: string, clock: () => number): SqliteContents {
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

  function run(sql: string, parameters: readonly unknown[], isLarge = false): Promise<Row[]> {
    if (isClosed) return Promise.reject(new StoreDown(`${file} is closed`))
    return new Promise((resolve, reject) => {
      queued.push({ statement: inSqlite(sql, parameters, clock()), isLarge, resolve, reject })
      // Statements of the same turn of the event loop share the commit.
      setImmediate(() => void pump())
    })
  }

  const list = (parameter: string): string => `SELECT value FROM json_each(${parameter})`
  const tasks = tasksOver(run, { skipLocked: '', list })
  const listOf = (column: string): string => `json_group_array(${column})`
  const listOfBytes = (parameter: string): string => `SELECT unhex(value) FROM json_each(${parameter})`
  const { shares, rooms } = sharesOver(run, { list, listOfBytes })
  const contents = contentsOver(run, rooms.stored)
  const media = mediaOver(run, rooms.media)
  const reasoning = reasoningOver(run, { skipLocked: '', listOfBytes })
  const responses = responsesOver(run, { lock: '', skipLocked: '', list, listOf }, rooms.stored)
  const sealedRows = sealedRowsOver(run)
  /** Reading creates no file where nothing has been stored. */
  const isThere = () => thread !== undefined || existsSync(file)
  return {
    ...contents,
    async sweep(limit) {
      return isThere() ? contents.sweep(limit) : 0
    },
    media: {
      ...media,
      find: async (id) => (isThere() ? media.find(id) : undefined),
      expired: async (limit) => (isThere() ? media.expired(limit) : []),
      async expireUnfinished() {
        if (isThere()) await media.expireUnfinished()
      },
    },
    tasks: {
      ...tasks,
      find: async (id) => (isThere() ? tasks.find(id) : undefined),
      existing: async (ids) => (isThere() ? tasks.existing(ids) : []),
      list: async (account, filter, page) => (isThere() ? tasks.list(account, filter, page) : { total: 0, tasks: [] }),
      claimDue: async (limit, claimMs, shares) => (isThere() ? tasks.claimDue(limit, claimMs, shares) : []),
      async releaseClaims() {
        if (isThere()) await tasks.releaseClaims()
      },
      sweep: async (limit) => (isThere() ? tasks.sweep(limit) : 0),
    },
    responses: {
      ...responses,
      find: async (account, id) => (isThere() ? responses.find(account, id) : undefined),
      chain: async (account, id) => (isThere() ? responses.chain(account, id) : []),
      chainLengths: async (account, id, key) => (isThere() ? responses.chainLengths(account, id, key) : []),
      length: async (account, id, key) => (isThere() ? responses.length(account, id, key) : undefined),
      record: async (account, id) => (isThere() ? responses.record(account, id) : undefined),
      several: async (account, ids) => (isThere() ? responses.several(account, ids) : []),
      turn: async (account, id) => (isThere() ? responses.turn(account, id) : undefined),
      withItems: async (account, items, key) => (isThere() ? responses.withItems(account, items, key) : new Map()),
      bytesWithItems: async (account, items, key) => (isThere() ? responses.bytesWithItems(account, items, key) : 0),
      hide: async (account, id, key) => isThere() && responses.hide(account, id, key),
      sweep: async (limit) => (isThere() ? responses.sweep(limit) : 0),
    },
    reasoning: {
      ...reasoning,
      find: async (account, keys) => (isThere() ? reasoning.find(account, keys) : new Map()),
      findWithin: async (account, keys, most) => (isThere() ? reasoning.findWithin(account, keys, most) : new Map()),
      sweep: async (limit, bytes, inAll) => (isThere() ? reasoning.sweep(limit, bytes, inAll) : 0),
    },
    shares: {
      ...shares,
      bytesOf: async (kind, account) => (isThere() ? shares.bytesOf(kind, account) : 0),
      forget: async (account) =>
        isThere() ? shares.forget(account) : { responses: 0, idempotentResponses: 0, reasoning: 0 },
      erase: async (account) =>
        isThere() ? shares.erase(account) : { responses: 0, idempotentResponses: 0, reasoning: 0 },
    },
    sealedRows: {
      ...sealedRows,
      places: async (kind, after, limit) => (isThere() ? sealedRows.places(kind, after, limit) : []),
    },
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
