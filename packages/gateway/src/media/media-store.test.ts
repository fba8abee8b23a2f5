// Contents on disk: what every store does, and what only files have.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeBlobs, joined, noise, OBJECT, thrownBy } from '../../contract/blobs.ts'
import { memoryRecords } from '../../test-support/media/records.ts'
import { createDiskBlobs } from './disk.ts'
import { createMediaStore } from './media-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'trivium-media-'))
afterAll(() => rmSync(folder, { recursive: true }))

const files = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

describeBlobs(
  'disk',
  () => createDiskBlobs(join(folder, 'media')),
  () => folder,
)

test('files on disk are private, and ids that are none never become paths', async () => {
  const blobs = createDiskBlobs(join(folder, 'private'))
  const store = createMediaStore(memoryRecords(Date.now).media, blobs)
  const { id } = await store.put(noise(3), OBJECT)
  const path = join(folder, 'private', id.slice(0, 2), id)
  expect([statSync(path).mode & 0o777, statSync(join(folder, 'private')).mode & 0o777]).toEqual([0o600, 0o700])
  for (const wrong of ['../../etc/passwd', '', `${id}/..`, id.toUpperCase().replace(/^./, 'G')]) {
    expect(await store.find(wrong)).toBeUndefined()
    expect(await thrownBy(joined(blobs.read(wrong, 0, 1)))).toBeInstanceOf(TypeError)
  }
  expect(files()).toContain(id)
})

test('one object that cannot be deleted does not keep the sweep from the others', async () => {
  const state = { now: Date.now() }
  const { media, rows } = memoryRecords(() => state.now)
  const blobs = createDiskBlobs(join(folder, 'stuck'))
  const store = createMediaStore(media, blobs)
  const [stuck, other] = [await store.put(noise(1), OBJECT), await store.put(noise(1), OBJECT)]
  state.now += 60_000
  const failing = {
    ...blobs,
    delete: async (id: string) => (id === stuck.id ? Promise.reject(new Error('busy')) : blobs.delete(id)),
  }
  expect(String(await thrownBy(createMediaStore(media, failing).sweep(10)))).toBe('Error: busy')
  expect([...rows.keys()]).toEqual([stuck.id])
  expect(files()).not.toContain(other.id)
})
