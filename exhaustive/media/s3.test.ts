// Contents in S3: what every store does, wrong keys, and a large video piece by piece, never whole in memory.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { describeBlobs, noise, OBJECT, thrownBy } from '../../packages/gateway/contract/blobs.ts'
import { createMediaStore } from '../../packages/gateway/src/media/media-store.ts'
import { createS3Blobs } from '../../packages/gateway/src/media/s3.ts'
import { Failure } from '../../packages/gateway/src/request/failure.ts'
import { MOST_ABOVE_IDLE, memoryOfStoring } from '../../packages/gateway/test-support/media/memory.ts'
import { memoryRecords } from '../../packages/gateway/test-support/media/records.ts'
import { startS3 } from '../support/s3.ts'

let s3: Awaited<ReturnType<typeof startS3>>
beforeAll(async () => {
  s3 = await startS3()
})
afterAll(() => s3.stop())

describeBlobs(
  'S3',
  () => createS3Blobs(s3.config),
  () => s3.folder,
)

test('a wrong S3 key, or a store that does not answer, is a 503', async () => {
  const down = { ...s3.config, endpoint: 'http://127.0.0.1:1' }
  for (const config of [{ ...s3.config, secretKey: 'guessed' }, down]) {
    const { media, rows } = memoryRecords(Date.now)
    const error = await thrownBy(createMediaStore(media, createS3Blobs(config)).put(noise(10), OBJECT))
    expect(error).toBeInstanceOf(Failure)
    expect((error as Failure).info).toMatchObject({ code: 'service_unavailable', retryAfter: 2 })
    // Whether there is a content is not known: the record stays for the sweep.
    expect(rows.size).toBe(1)
  }
})

test('a large video', async () => {
  // Less than on disk, since the server of the test is slow.
  const bytes = 128 * 1024 * 1024
  const { size, above } = await memoryOfStoring('s3', JSON.stringify(s3.config), bytes)
  expect(size).toBe(bytes)
  expect(above).toBeLessThan(MOST_ABOVE_IDLE)
})
