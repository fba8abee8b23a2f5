// For tests: how much memory it takes to store one large stream, in a process of its own.
import { join } from 'node:path'

const MIB = 1024 * 1024
export const MOST_ABOVE_IDLE = 100 * MIB

/** `where`: the folder, or the settings of S3 as JSON. */
export async function memoryOfStoring(kind: 'disk' | 's3', where: string, bytes: number) {
  const command = [process.execPath, join(import.meta.dir, 'store-process.ts'), kind, where, String(bytes)]
  // As in production.
  const child = Bun.spawn(command, { stdout: 'pipe', env: { ...process.env, MIMALLOC_PURGE_HOLES: '0' } })
  const stored = (await new Response(child.stdout).json()) as { size: number; above: number }
  console.log(`${kind}: ${stored.size / MIB} MiB stored with at most ${Math.round(stored.above / MIB)} MiB above idle`)
  return stored
}
