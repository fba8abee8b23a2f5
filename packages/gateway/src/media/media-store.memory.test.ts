// A large video is stored piece by piece, never whole in memory.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startS3 } from './test-media.ts'

const MIB = 1024 * 1024
const MOST_ABOVE_IDLE = 100 * MIB

let folder = ''
let s3: Awaited<ReturnType<typeof startS3>>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-video-'))
  s3 = await startS3()
})
afterAll(async () => {
  await s3.stop()
  rmSync(folder, { recursive: true })
})

test.each<[string, () => string, number]>([
  ['disk', () => folder, 256 * MIB],
  // Slower only because of the server of the test.
  ['s3', () => JSON.stringify(s3.config), 128 * MIB],
])(
  'on %s',
  async (kind, where, bytes) => {
    const command = [process.execPath, join(import.meta.dir, 'test-store-process.ts'), kind, where(), String(bytes)]
    // As in production.
    const child = Bun.spawn(command, { stdout: 'pipe', env: { ...process.env, MIMALLOC_PURGE_HOLES: '0' } })
    const { size, above } = (await new Response(child.stdout).json()) as { size: number; above: number }
    console.log(`${kind}: ${size / MIB} MiB stored with at most ${Math.round(above / MIB)} MiB above idle`)
    expect(size).toBe(bytes)
    expect(above).toBeLessThan(MOST_ABOVE_IDLE)
  },
  60_000,
)
