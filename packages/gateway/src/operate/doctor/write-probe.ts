// Permissions say nothing of a full disk: whether a folder can be written is found by writing.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** More than a block, which a full disk may still have. */
const PROBE_BYTES = 256 * 1024

/** false: the folder does not exist. Throws if it cannot be written. */
export function writeProbe(folder: string): boolean {
  if (!existsSync(folder)) return false
  const file = join(folder, `doctor-${process.pid}.tmp`)
  try {
    writeFileSync(file, new Uint8Array(PROBE_BYTES), { mode: 0o600, flush: true })
    return true
  } finally {
    rmSync(file, { force: true })
  }
}
