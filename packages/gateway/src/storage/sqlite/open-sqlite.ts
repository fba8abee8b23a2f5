// Storage in one SQLite file that one process owns: all writes on one thread of their own, short reads on this one.
import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { threadCode } from '@trivium/http/system/thread-code.ts'
import type { Result, Verb } from '../../money/ledger.ts'
import { openArchive } from '../archive/archive.ts'
import { ledgerReportsOver } from '../archive/lists.ts'
import { compiler, MONTH_OF, RECEIPT_ERROR, RECEIPT_IDS } from '../archive/sqlite-dialect.ts'
import { leasesOver } from '../leases.ts'
import { tableDifferences } from '../migrations/migrate-sqlite.ts'
import type { Upgrade } from '../migrations/migrations.ts'
import { checkVerb } from '../sql/guard.ts'
import { nounsOver } from '../sql/nouns.ts'
import type { Row } from '../sql/rows.ts'
import { sqliteSizes, toSizes } from '../sql/sizes.ts'
import type { OnStep, Runner, Statement } from '../sql/statements.ts'
import { type Completion, type Damage, NoDatabase, type Storage, StoreDown, type TableSize } from '../storage.ts'
import { CONTENTS_FILE, sqliteContents } from './contents/contents.ts'
import { setAsideIfDamaged } from './contents/set-aside.ts'
import { openForReading } from './database.ts'
import { createFlushBeforeRead } from './flush-before-read.ts'
import { createPrivateFile, ownFolder } from './owner-lock.ts'
import { createPageReader } from './page-reader.ts'
import type { FromReader, ToReader } from './reader-thread.ts'
import { toWriteFailure } from './transactions.ts'
import { startWriterQueue, type WriterQueue } from './writer-queue.ts'

export const SQLITE_FILE = 'ledger.db'

/** The tables of a larger file are not counted one by one, which would read all of it. */
const LARGEST_COUNTED = 4 * 1024 ** 3

export type SqliteOptions = {
  /** Milliseconds since 1970. One process owns the file, so its clock is the store's clock. */
  clock?: () => number
  /** How long the writer waits for the file's lock, which a backup tool or a database shell may hold. */
  busyTimeoutMs?: number
  /** How many verbs a batch must have for its rows to be written later; see sqlite/transactions.ts. */
  deferFrom?: number
  /** The least time between two writes of rows that reads wait for. */
  flushEveryMs?: number
  /** false: rejects with NoDatabase where there is none, and changes nothing. */
  mayCreate?: boolean
  /** Called if contents.db was damaged and has been moved aside. Absent: a damaged file stays, and what needs it fails. */
  onDamage?: ((damage: Damage) => void) | undefined
  /** Called if the tables of an earlier version were upgraded. */
  onUpgrade?: ((upgrade: Upgrade) => void) | undefined
}

export async function openSqlite(dataDir: string, options: SqliteOptions = {}): Promise<Storage> {
  const { clock = Date.now, busyTimeoutMs = 2_000, deferFrom, flushEveryMs, mayCreate = true } = options
  const { onDamage, onUpgrade } = options
  if (!mayCreate) demandDatabase(dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const disown = ownFolder(dataDir)
  const file = join(dataDir, SQLITE_FILE)
  const worker = new Worker(await threadCode(new URL('./writer-thread.ts', import.meta.url)))
  let queue: WriterQueue
  let reading: Database
  try {
    createPrivateFile(file)
    queue = await startWriterQueue(worker, file, { clock, busyTimeoutMs, mayChange: mayCreate, deferFrom, onUpgrade })
    reading = openForReading(file)
    const damage = onDamage && setAsideIfDamaged(join(dataDir, CONTENTS_FILE), new Date(clock()))
    if (damage) onDamage(damage)
  } catch (error) {
    worker.terminate()
    disown()
    throw error
  }

  const { close: closeContents, ...contents } = sqliteContents(dataDir, clock)
  const flush = createFlushBeforeRead(queue, undefined, flushEveryMs)
  const readers = new Set<Worker>()
  const read = async (statement: Statement): Promise<Row[]> => {
    try {
      return reading.query(statement.sql).all(...(statement.parameters as SQLQueryBindings[])) as Row[]
    } catch (error) {
      throw new StoreDown(toWriteFailure(error).message)
    }
  }
  async function readLedger(statement: Statement): Promise<Row[]> {
    await flush()
    return read(statement)
  }
  async function readSlowly(statements: readonly Statement[], onStep?: OnStep): Promise<Row[][]> {
    await flush()
    return readOnThread(statements, onStep)
  }
  const readerCode = threadCode(new URL('./reader-thread.ts', import.meta.url))
  const pages = createPageReader(file, async () => new Worker(await readerCode))
  async function readPage(statement: Statement): Promise<Row[]> {
    await flush()
    return pages.read(statement)
  }
  const readOnThread = async (statements: readonly Statement[], onStep?: OnStep, path = file): Promise<Row[][]> => {
    const code = await readerCode
    return await new Promise((resolve, reject) => {
      const reader = new Worker(code)
      readers.add(reader)
      const end = (): void => {
        readers.delete(reader)
        reader.terminate()
      }
      reader.onerror = ({ message }) => {
        end()
        reject(new StoreDown(message))
      }
      reader.onmessage = ({ data }: MessageEvent<FromReader>) => {
        if ('done' in data) {
          onStep?.(data.done)
          return
        }
        end()
        if ('failure' in data) reject(new StoreDown(data.message))
        else resolve(data)
      }
      reader.postMessage({ file: path, statements, tellsSteps: onStep !== undefined } satisfies ToReader)
    })
  }

  async function sizesIn(path: string): Promise<TableSize[]> {
    const { size } = statSync(path)
    if (size > LARGEST_COUNTED) return [{ table: basename(path), bytes: size, rows: undefined }]
    const [rows = []] = await readOnThread([sqliteSizes(connection.db)], undefined, path)
    return toSizes(rows)
  }

  function submit(verb: Verb, completion: Completion<Result>): void {
    try {
      checkVerb(verb)
    } catch (error) {
      completion.reject(error)
      return
    }
    queue.submit(verb, completion)
  }

  let closed: Promise<void> | undefined
  async function close(): Promise<void> {
    for (const reader of readers) reader.terminate()
    reading.close(true)
    try {
      await pages.close()
      await closeContents()
      await queue.close()
    } finally {
      worker.terminate()
      disown()
    }
  }

  const runner: Runner = { read, readLedger, readPage, readSlowly, write: queue.write }
  const tables = {
    db: compiler(),
    runner,
    clock,
    receiptError: RECEIPT_ERROR,
    receiptIds: RECEIPT_IDS,
    monthOf: MONTH_OF,
  }
  const connection = { ...tables, archive: openArchive(tables) }
  const apply: Storage['ledger']['apply'] = (verb) =>
    new Promise((resolve, reject) => submit(verb, { resolve, reject }))
  return {
    ...nounsOver(connection),
    ledger: { apply, submit, ...ledgerReportsOver(connection, contents.tasks) },
    leases: leasesOver({ apply }),
    ...contents,
    async sizes() {
      await flush()
      const files = [file, join(dataDir, CONTENTS_FILE)].filter((each) => existsSync(each))
      const all = await Promise.all(files.map(sizesIn))
      return all.flat().sort((one, other) => other.bytes - one.bytes)
    },
    requirements: [],
    async tableDifferences() {
      const contentsFile = join(dataDir, CONTENTS_FILE)
      if (!existsSync(contentsFile)) return tableDifferences(reading, 'ledger')
      using stored = new Database(contentsFile, { readonly: true, safeIntegers: true, strict: true })
      return [...tableDifferences(reading, 'ledger'), ...tableDifferences(stored, 'contents')]
    },
    async ping() {
      // An empty transaction proves that the thread runs and gets the lock for writing.
      await queue.write([])
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** A path that is not a folder gets its own message when it is opened. */
function demandDatabase(dataDir: string): void {
  const folder = statSync(dataDir, { throwIfNoEntry: false })
  if (!folder) throw new NoDatabase(`the folder ${dataDir} does not exist`)
  if (folder.isDirectory() && !existsSync(join(dataDir, SQLITE_FILE)))
    throw new NoDatabase(`there is no database in ${dataDir}`)
}
