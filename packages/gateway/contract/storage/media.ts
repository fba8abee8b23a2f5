// The records of images and videos: found only while there is a content, and known as long as there may be one.
import { expect, test } from 'bun:test'
import { UNFINISHED_MS } from '../../src/storage/media.ts'
import { thrownBy, type Use } from './harness.ts'

const id = (digit: string) => digit.repeat(32)
const A = { id: id('a'), account: 7n, contentType: 'image/png' }
const B = { id: id('b'), account: 8n, contentType: 'video/mp4' }

export function mediaContract(use: Use): void {
  test('an object is found from its completion until it expires, and known until it is forgotten', async () => {
    const { storage, now, elapse } = use()
    const { media } = storage
    expect(await media.find(A.id)).toBeUndefined()
    await media.begin(A)
    expect([await media.find(A.id), await media.expired(10)]).toEqual([undefined, []])
    const createdAt = now()
    await elapse(5)
    const record = { ...A, size: 3_000_000_000, createdAt, expiresAt: createdAt + 1_005 }
    expect(await media.complete(A.id, 3_000_000_000, 1_000)).toEqual(record)
    expect(await media.find(A.id)).toEqual(record)
    await elapse(999)
    expect([await media.find(A.id), await media.expired(10)]).toEqual([record, []])
    await elapse(1)
    expect([await media.find(A.id), await media.expired(10)]).toEqual([undefined, [A.id]])
    await media.forget(A.id)
    expect(await media.expired(10)).toEqual([])
  })

  test('an object that was never completed expires, and cannot be completed then', async () => {
    const { storage, elapse } = use()
    const { media } = storage
    await media.begin(A)
    await elapse(UNFINISHED_MS)
    expect(await media.expired(10)).toEqual([A.id])
    expect(await media.complete(A.id, 1, 1_000)).toBeUndefined()
    await media.forget(A.id)
    expect(await media.complete(A.id, 1, 1_000)).toBeUndefined()
  })

  test('a complete object is not completed again, nor forgotten before it expires', async () => {
    const { media } = use().storage
    await media.begin(A)
    await media.complete(A.id, 1, 1_000)
    expect(await media.complete(A.id, 2, 9_000)).toBeUndefined()
    await media.forget(A.id)
    expect(await media.find(A.id)).toMatchObject({ size: 1 })
    expect(await thrownBy(media.begin(A))).toBeInstanceOf(Error)
  })

  test('objects can be expired early, alone or all that are unfinished; the oldest come first', async () => {
    const { storage, elapse } = use()
    const { media } = storage
    for (const object of [A, B]) await media.begin(object)
    await media.complete(B.id, 1, 60_000)
    await media.expireUnfinished()
    expect([await media.expired(10), (await media.find(B.id))?.id]).toEqual([[A.id], B.id])
    await elapse(1)
    await media.expire(B.id)
    expect([await media.find(B.id), await media.expired(1), await media.expired(10)]).toEqual([
      undefined,
      [A.id],
      [A.id, B.id],
    ])
  })

  test('records outlive the process', async () => {
    const { storage, reopen } = use()
    await storage.media.begin(A)
    await storage.media.begin(B)
    await storage.media.complete(B.id, 5, 60_000)
    const { media } = await reopen()
    expect(await media.find(B.id)).toMatchObject({ ...B, size: 5 })
    expect(await media.complete(A.id, 6, 60_000)).toMatchObject({ ...A, size: 6 })
  })
}
