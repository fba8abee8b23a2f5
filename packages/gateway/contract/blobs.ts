// What every store of contents does, on disk and elsewhere: the same behaviour, and nothing left behind by a crash at any moment.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlobMissing, type BlobStore, createMediaStore } from '../src/media/media-store.ts'
import { memoryRecords } from '../test-support/media/records.ts'

export const OBJECT = { owner: 7n, contentType: 'image/png', keepMs: 60_000 }
export const noise = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 255)
export const thrownBy = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

export async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(pieces))
}

const bytesIn = (where: string) =>
  readdirSync(where, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

/** `folderOf`: where the bytes are in the end, with the parts of unfinished uploads. */
export function describeBlobs(name: string, blobsOf: () => BlobStore, folderOf: () => string): void {
  describe(name, () => {
    let folder = ''
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'trivium-uploads-'))
    })
    afterAll(() => rmSync(folder, { recursive: true }))
    const storedBytes = () => bytesIn(folderOf())

    const open = (now = Date.now()) => {
      const state = { now }
      const records = memoryRecords(() => state.now)
      return { ...records, state, store: createMediaStore(records.media, blobsOf()) }
    }

    test('bytes, a file and a stream are stored, and read whole and in ranges', async () => {
      const { store } = open()
      const content = noise(700_000)
      const path = join(folder, 'upload')
      writeFileSync(path, content)
      async function* stream() {
        for (let at = 0; at < content.length; at += 99_999) yield content.subarray(at, at + 99_999)
      }
      for (const source of [content, { path }, stream(), new Blob([content]).stream()]) {
        const object = await store.put(source, OBJECT)
        expect(object).toMatchObject({ account: 7n, contentType: 'image/png', size: content.length })
        expect(object.id).toMatch(/^[0-9a-f]{32}$/)
        expect((await joined(store.read(object))).equals(content)).toBe(true)
        for (const [start, end] of [
          [0, 1],
          [100, 100_000],
          [699_999, 700_000],
        ] as const)
          expect((await joined(store.read(object, { start, end }))).equals(content.subarray(start, end))).toBe(true)
        expect(await store.find(object.id)).toEqual(object)
      }
      rmSync(path)
    })

    test('a content of several parts, and an empty one', async () => {
      const { store } = open()
      const content = Buffer.alloc(20 * 1024 * 1024, 'abc')
      const object = await store.put(new Blob([content]).stream(), OBJECT)
      expect((await joined(store.read(object))).equals(content)).toBe(true)
      const empty = await store.put(new Uint8Array(0), OBJECT)
      expect([empty.size, (await joined(store.read(empty))).length]).toEqual([0, 0])
    })

    test('a removed object is gone, and removing it again is harmless', async () => {
      const { store, rows } = open()
      const object = await store.put(noise(10), OBJECT)
      await store.remove(object.id)
      await store.remove(object.id)
      expect([await store.find(object.id), rows.size]).toEqual([undefined, 0])
      expect(await thrownBy(joined(store.read(object)))).toBeInstanceOf(BlobMissing)
    })

    test('the sweep deletes what has expired, and only that', async () => {
      const { store, state, rows } = open()
      const old = await store.put(noise(10), { ...OBJECT, keepMs: 1_000 })
      const young = await store.put(noise(10), OBJECT)
      expect(await store.sweep(10)).toBe(0)
      state.now += 1_000
      expect([await store.find(old.id), await store.sweep(10), rows.size]).toEqual([undefined, 1, 1])
      expect(await thrownBy(joined(store.read(old)))).toBeInstanceOf(BlobMissing)
      expect((await joined(store.read(young))).length).toBe(10)
    })

    test('if the source fails, its error is thrown and nothing is left', async () => {
      const { store, rows } = open()
      const error = new Error('the upstream failed')
      const contents: string[] = []
      const blobs = blobsOf()
      async function* broken() {
        yield noise(100_000)
        throw error
      }
      const watching = createMediaStore(memoryRecords(Date.now).media, {
        ...blobs,
        write: (id, content) => {
          contents.push(id)
          return blobs.write(id, content)
        },
      })
      expect(await thrownBy(store.put(broken(), OBJECT))).toBe(error)
      expect(await thrownBy(watching.put(broken(), OBJECT))).toBe(error)
      expect(rows.size).toBe(0)
      for (const id of contents) expect(await thrownBy(joined(blobs.read(id, 0, 10)))).toBeInstanceOf(BlobMissing)
    })

    test('the record of a stream exists before its first byte is read', async () => {
      const { store, rows } = open()
      const seen: unknown[] = []
      async function* watching() {
        seen.push([...rows.values()].map(({ contentType, size }) => ({ contentType, size })))
        yield noise(10)
      }
      const { id } = await store.put(watching(), { ...OBJECT, contentType: 'video/mp4' })
      expect(seen).toEqual([[{ contentType: 'video/mp4', size: undefined }]])
      expect(rows.get(id)?.size).toBe(10)
    })

    test('if a large stream fails after several parts, nothing of it is left', async () => {
      const { store, rows } = open()
      const before = storedBytes()
      const error = new Error('the download broke off')
      async function* broken() {
        const piece = noise(1024 * 1024)
        for (let sent = 0; sent < 20; sent++) yield piece
        // The parts are stored by now.
        expect(storedBytes()).toBeGreaterThan(before + 8 * 1024 * 1024)
        throw error
      }
      expect(await thrownBy(store.put(broken(), OBJECT))).toBe(error)
      expect(rows.size).toBe(0)
      expect(storedBytes()).toBe(before)
    })

    // A crash is a call that never returns: what comes after it does not happen.
    const MOMENTS = ['begin', 'write', 'complete', 'expire', 'delete', 'forget'] as const
    const CRASHES = MOMENTS.flatMap((moment) => [[moment, 'before'] as const, [moment, 'after'] as const])
    test.each(
      CRASHES,
    )('a crash at %s, %s it takes effect: no object without content is served, no content outlives the sweep', async (moment, when) => {
      const state = { now: Date.now() }
      const { media, rows } = memoryRecords(() => state.now)
      const blobs = blobsOf()
      const written: string[] = []
      let isArmed = false
      const reached = Promise.withResolvers<void>()
      const crashing =
        <Args extends unknown[], Result>(name: string, call: (...args: Args) => Promise<Result>) =>
        async (...args: Args): Promise<Result> => {
          if (isArmed && name === moment) {
            if (when === 'after') await call(...args)
            reached.resolve()
            return new Promise<Result>(() => {})
          }
          return call(...args)
        }
      const wrapped = createMediaStore(
        {
          ...media,
          begin: crashing('begin', media.begin),
          complete: crashing('complete', media.complete),
          expire: crashing('expire', media.expire),
          forget: crashing('forget', media.forget),
        },
        {
          ...blobs,
          write: crashing('write', (id, content) => {
            written.push(id)
            return blobs.write(id, content)
          }),
          delete: crashing('delete', blobs.delete),
        },
      )
      const isPut = ['begin', 'write', 'complete'].includes(moment)
      const object = isPut ? undefined : await wrapped.put(noise(10), OBJECT)
      isArmed = true
      void (object ? wrapped.remove(object.id) : wrapped.put(noise(10), OBJECT))
      await reached.promise

      // The next process.
      const store = createMediaStore(media, blobs)
      for (const id of [...rows.keys(), ...written]) {
        const found = await store.find(id)
        if (found) expect((await joined(store.read(found))).length).toBe(10)
      }
      await media.expireUnfinished()
      state.now += 60_000
      await store.sweep(10)
      expect(rows.size).toBe(0)
      for (const id of written) expect(await thrownBy(joined(blobs.read(id, 0, 10)))).toBeInstanceOf(BlobMissing)
    })
  })
}
