// A large video is stored piece by piece, never whole in memory.
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MOST_ABOVE_IDLE, memoryOfStoring } from '../../test-support/media/memory.ts'

test('on disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-video-'))
  const bytes = 256 * 1024 * 1024
  try {
    const { size, above } = await memoryOfStoring('disk', folder, bytes)
    expect(size).toBe(bytes)
    expect(above).toBeLessThan(MOST_ABOVE_IDLE)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
