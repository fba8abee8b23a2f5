// Tells folders of living processes from those of dead ones. The lock is the operating system's (a transaction held open on
// a tiny database): it ends with the process, and other containers that share the disk see it, which is not true of pids.
import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'

export type FolderLock = { release(): void }

/** undefined: another process, or another lock of this one, has it. */
export function acquireLock(file: string): FolderLock | undefined {
  let lock: Database | undefined
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600))
    lock = new Database(file, { readwrite: true })
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('PRAGMA journal_mode = MEMORY')
    lock.run('BEGIN EXCLUSIVE')
  } catch {
    lock?.close()
    return undefined
  }
  const held = lock
  // Another process may have removed the file between its creation and its lock: no other process would see this lock.
  if (!existsSync(file)) {
    held.close()
    return undefined
  }
  return {
    release() {
      rmSync(file, { force: true })
      held.close()
    },
  }
}
