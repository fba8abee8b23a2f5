// Where tests put databases: in memory where the machine has plenty. Stores flush every commit, and on a busy machine tests would
// mostly wait for its disk. Nothing here survives the machine anyway, only processes that are killed.
import { mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const GIB = 2 ** 30
/** Far more than a run of all tests takes. */
const [LEAST_FREE, LEAST_MEMORY] = [8 * GIB, 16 * GIB]

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= LEAST_FREE && totalmem() >= LEAST_MEMORY
  } catch {
    return false
  }
}

let inMemory: boolean | undefined

export function isInMemory(): boolean {
  inMemory ??= hasRoom()
  return inMemory
}

/** A new folder. `otherwise`: where it is on a machine with less memory. */
export const newDataFolder = (prefix: string, otherwise = tmpdir()): string =>
  mkdtempSync(join(isInMemory() ? MEMORY : otherwise, prefix))
