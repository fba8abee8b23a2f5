// A damaged file of contents is moved aside at the start: the ledger does not need it, and a gateway that does not start serves no request.
import type { Database } from 'bun:sqlite'
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { WrongSchema } from '../../migrations/migrations.ts'
import type { Damage } from '../../storage.ts'
import { NotOurs, openContentsFile } from './file.ts'

/** What is in the file. */
const LOST =
  'video tasks that are running, stored responses, kept reasoning, responses to idempotent requests, records of stored images and videos'

/** Up to this size every page is checked, which takes about a second. */
const CHECKED_IN_FULL_BYTES = 256 * 1024 ** 2
/** The tables without long contents, which alone are checked in larger files. */
const SHORT_TABLES = ['task', 'media', 'response_item', 'stored_size', 'media_size', 'reasoning_size']

const DAMAGED: ReadonlySet<unknown> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB'])

/** SQLite's codes may have a suffix: SQLITE_CORRUPT_INDEX. */
export const isDamage = (error: unknown): boolean =>
  DAMAGED.has(String((error as { code?: unknown }).code).replace(/^(SQLITE_[A-Z]+).*/, '$1'))

/** A page of a large file that is found damaged while it is used: the next start checks all of it. */
const markOf = (file: string): string => `${file}.check`
export const markDamaged = (file: string): void => writeFileSync(markOf(file), '', { mode: 0o600 })

/** For the process that owns the folder, before it uses the file. Throws if a damaged file cannot be moved. */
export function setAsideIfDamaged(file: string, now: Date): Damage | undefined {
  const mark = markOf(file)
  const isSmall = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= CHECKED_IN_FULL_BYTES
  const reason = existsSync(file) ? damageOf(file, isSmall || existsSync(mark)) : undefined
  if (reason === undefined) {
    rmSync(mark, { force: true })
    return undefined
  }
  const movedTo = `${file}.damaged-${now.toISOString().replace(/\.\d+|[-:]/g, '')}`
  // The log of the damaged file must not be read into a new one. It goes first: a crash in between leaves the damaged file.
  for (const suffix of ['-wal', '-shm', '']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, movedTo + suffix)
  }
  rmSync(mark, { force: true })
  return { file, movedTo, reason, lost: LOST }
}

function damageOf(file: string, inFull: boolean): string | undefined {
  let db: Database | undefined
  try {
    db = openContentsFile(file)
    const checks = inFull ? ['PRAGMA quick_check(1)'] : SHORT_TABLES.map((table) => `PRAGMA quick_check('${table}')`)
    for (const check of checks) {
      const { quick_check: verdict } = db.query(check).get() as { quick_check: string }
      if (verdict !== 'ok') return verdict.replaceAll('\n', ' ').slice(0, 200)
    }
    return undefined
  } catch (error) {
    // Those of another version are read by another version; a disk that cannot be read is another problem.
    if (error instanceof WrongSchema || !(isDamage(error) || error instanceof NotOurs)) throw error
    return (error as Error).message
  } finally {
    db?.close()
  }
}
