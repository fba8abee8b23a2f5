// Contents in S3: what every store does, wrong keys, and a large video piece by piece, never whole in memory.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { describeBlobs, noise, OBJECT, thrownBy } from '../../packages/gateway/contract/blobs.ts'
import { createMediaStore } from '../../packages/gateway/src/media/media-store.ts'
import { createS3Blobs } from '../../packages/gateway/src/media/s3.ts'
import { Failure } from '../../packages/gateway/src/request/failure.ts'
import { firstIdAt } from '../../packages/gateway/src/request/ids.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { MOST_ABOVE_IDLE, memoryOfStoring } from '../../packages/gateway/test-support/media/memory.ts'
import { memoryRecords } from '../../packages/gateway/test-support/media/records.ts'
import { newDataFolder } from '../../test/support/data-folder.ts'
import { fillMonths } from '../support/months.ts'
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

test('files of archived months', async () => {
  const folder = newDataFolder('trivium-s3-archive-')
  const receipts = await fillMonths(folder, 300)
  const storage = await openSqlite(folder)
  storage.archive.attach(async () => createS3Blobs(s3.config))
  await storage.ledger.clearReceipts(firstIdAt(Date.now()), 0n, 5_000)
  for await (const _ of storage.months.seal());
  for await (const _ of storage.archive.archive(1, 0));
  expect((await storage.archive.state()).files).toBeGreaterThan(1)
  expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, archiveMismatches: [] })
  const [oldest = 0n] = receipts
  const { account = 0n } = (await storage.ledger.requestOfAny(oldest)) ?? {}
  const { rows } = await storage.spending.requests(account, { before: oldest + 10n }, 50)
  expect(rows.map(({ request }) => request)).toEqual(receipts.slice(0, 10).reverse())
  await storage.close()
  rmSync(folder, { recursive: true })
})
