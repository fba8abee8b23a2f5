// A store of media that accepts connections and says nothing, and one that trickles.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TCPSocketListener } from 'bun'
import { memoryRecords } from '../../test-support/media/records.ts'
import { Failure } from '../request/failure.ts'
import { LEAST_PACE } from '../upstreams/public/pace.ts'
import { type BlobStore, BlobsSilent } from './blobs.ts'
import { boundBlobs } from './bounded-blobs.ts'
import { createMediaStore } from './media-store.ts'
import { createS3Blobs } from './s3.ts'

const LIMITS = { silenceMs: 40, pace: LEAST_PACE }
const OBJECT = { owner: 7n, contentType: 'image/png', keepMs: 60_000 }
const KEPT = { id: '0'.repeat(32), size: 100 }
const LARGE = Buffer.alloc(12 * 1024 * 1024)

let stalled: TCPSocketListener<undefined>
let connections = 0
beforeAll(() => {
  const open = () => {
    connections += 1
  }
  stalled = Bun.listen<undefined>({ hostname: '127.0.0.1', port: 0, socket: { open, data() {} } })
})
afterAll(() => stalled.stop(true))

const never = <T>() => new Promise<T>(() => {})
const hung: BlobStore = {
  async write(_id, content) {
    for await (const _ of content) await never()
    return never()
  },
  replace: never,
  read: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }),
  delete: never,
}
const STORES: [string, () => BlobStore][] = [
  [
    'S3',
    () =>
      createS3Blobs({
        endpoint: `http://127.0.0.1:${stalled.port}`,
        bucket: 'pictures',
        region: 'us-east-1',
        accessKey: 'a',
        secretKey: 's',
      }),
  ],
  ['a disk', () => hung],
]

const thrownBy = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error)
const textOf = (error: unknown) => (error instanceof Failure ? error.info.message : String(error))

describe.each(STORES)('%s that does not answer', (_, blobsOf) => {
  const open = () => {
    const records = memoryRecords(Date.now)
    const blobs = boundBlobs(blobsOf(), LIMITS)
    return { ...records, blobs, store: createMediaStore(records.media, blobs) }
  }
  type World = ReturnType<typeof open>
  const source = async function* () {
    for (let at = 0; at < LARGE.length; at += 1024 * 1024) yield LARGE.subarray(at, at + 1024 * 1024)
  }
  const STORING = 'The gateway cannot store media. Retry in 2 seconds.'
  const READING = 'The gateway cannot read media. Retry in 2 seconds.'
  const SILENT = 'BlobsSilent: the store of media does not answer'
  const expired = async ({ media, store }: World) => {
    await media.begin({ ...KEPT, account: 7n, contentType: '' })
    await media.expire(KEPT.id)
    await store.sweep(10)
  }
  const CALLS: Record<string, [(world: World) => Promise<unknown>, string]> = {
    'a small content': [({ store }) => store.put(LARGE.subarray(0, 9), OBJECT), STORING],
    'an empty content': [({ store }) => store.put(new Uint8Array(0), OBJECT), STORING],
    'a content of several parts': [({ store }) => store.put(source(), OBJECT), STORING],
    'a read': [({ store }) => Array.fromAsync(store.read(KEPT)), READING],
    'a read of a range': [({ store }) => Array.fromAsync(store.read(KEPT, { start: 5, end: 9 })), READING],
    'a replacement': [({ blobs }) => blobs.replace(KEPT.id, LARGE.subarray(0, 9)), SILENT],
    'a removal': [({ store }) => store.remove(KEPT.id), SILENT],
    'the sweep': [expired, SILENT],
  }
  test.each(Object.entries(CALLS))('%s ends, and says why', async (_call, [call, said]) => {
    expect(textOf(await thrownBy(call(open())))).toBe(said)
  })

  test('what could not be stored is left to the sweep, and its source is closed', async () => {
    const { store, rows } = open()
    let isClosed = false
    async function* watched() {
      try {
        yield* source()
      } finally {
        isClosed = true
      }
    }
    await thrownBy(store.put(watched(), OBJECT))
    expect({ isClosed, left: [...rows.values()].map(({ expiresAt }) => expiresAt <= Date.now()) }).toEqual({
      isClosed: true,
      left: [true],
    })
  })

  test('writes that were given up are bounded: beyond that a write fails before it begins', async () => {
    const { blobs } = open()
    const write = () => thrownBy(blobs.write(KEPT.id, source()))
    await Promise.all(Array.from({ length: 16 }, write))
    const before = connections
    expect(String(await write())).toContain('has not answered for a while')
    expect(connections).toBe(before)
  })
})

test('a slow source and a slow reader are not the fault of the store', async () => {
  const kept: Uint8Array[] = []
  const blobs = boundBlobs(
    {
      ...hung,
      async write(_id, content) {
        for await (const piece of content) kept.push(piece)
        return kept.length
      },
      async *read() {
        yield* kept
      },
    },
    LIMITS,
  )
  async function* slow() {
    for (const piece of [1, 2]) {
      await Bun.sleep(2 * LIMITS.silenceMs)
      yield Uint8Array.of(piece)
    }
  }
  expect(await blobs.write(KEPT.id, slow())).toBe(2)
  for await (const _ of blobs.read(KEPT.id, 0, 2)) await Bun.sleep(2 * LIMITS.silenceMs)
})

test('a store that trickles is given up', async () => {
  const pause = () => Bun.sleep(LIMITS.silenceMs / 4)
  const blobs = boundBlobs(
    {
      ...hung,
      async write(_id, content) {
        for await (const _ of content) await pause()
        return 0
      },
      async *read() {
        for (;;) {
          await pause()
          yield Uint8Array.of(1)
        }
      },
    },
    { ...LIMITS, pace: { freeMs: 20, windowMs: 60_000, bytesPerSecond: 1_000 } },
  )
  async function* trickle() {
    for (;;) yield Uint8Array.of(1)
  }
  // One after the other: nothing would handle the rejection of the one that is not awaited yet.
  for (const work of [() => blobs.write(KEPT.id, trickle()), () => Array.fromAsync(blobs.read(KEPT.id, 0, 9_999))])
    expect(await thrownBy(work())).toMatchObject({ name: 'BlobsSilent', message: 'the store of media is too slow' })
})

test('a write that ends after it was given up leaves no content', async () => {
  const { promise: deleted, resolve } = Promise.withResolvers<string>()
  const late = Promise.withResolvers<number>()
  const blobs = boundBlobs({ ...hung, write: () => late.promise, delete: async (id) => resolve(id) }, LIMITS)
  async function* content() {
    yield Uint8Array.of(1)
  }
  const { write } = blobs
  expect(await thrownBy(write(KEPT.id, content()))).toBeInstanceOf(BlobsSilent)
  late.resolve(1)
  expect(await deleted).toBe(KEPT.id)
})
