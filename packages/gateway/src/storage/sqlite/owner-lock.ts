// One process owns a data folder. The lock is the operating system's (a transaction held open on a tiny database), so
// it ends with the process in any case; the pid beside it is only for messages.
import { Database } from 'bun:sqlite'
import { chmodSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FolderInUse } from '../storage.ts'

/** Owner only. Never opens a file that exists: closing it again would drop every lock this process has on it. */
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Returns the function that releases the folder. */
export function ownFolder(folder: string): () => void {
  const file = join(folder, 'owner.lock')
  const pidFile = join(folder, 'owner.pid')
  createPrivateFile(file)
  const lock = new Database(file, { readwrite: true })
  try {
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('PRAGMA journal_mode = MEMORY')
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close(true)
    if (!isBusy(error)) throw new Error(`${file} cannot be locked: ${(error as Error).message}`)
    throw new FolderInUse(folder, readPid(pidFile))
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  chmodSync(pidFile, 0o600)
  return () => {
    lock.run('ROLLBACK')
    lock.close(true)
  }
}

const isBusy = (error: unknown): boolean => String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')

function readPid(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim() || 'unknown'
  } catch {
    return 'unknown'
  }
}
