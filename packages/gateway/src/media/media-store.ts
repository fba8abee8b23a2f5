// Stores images and videos: a record in the database, the content on disk or in S3.
//
// The record is created before the content and removed after it. So a crash at any moment leaves no content without a
// record, and the sweep finds everything that is left by its record.
import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { countReleased } from '../bytes/free-memory.ts'
import { Failure } from '../request/failure.ts'
import type { MediaRecord } from '../storage/media.ts'
import type { Media } from '../storage/storage.ts'
import { BlobMissing, type BlobStore, BlobsSilent } from './blobs.ts'

export { BlobMissing, type BlobStore }

export type MediaContent = Uint8Array | { path: string } | AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export type MediaStore = {
  /** Resolves once the object can be read. Throws Failure (503) if the content cannot be stored; StoreDown as the storage does. */
  put(content: MediaContent, object: { owner: bigint; contentType: string; keepMs: number }): Promise<MediaRecord>
  /** undefined: it does not exist or has expired. */
  find(id: string): Promise<MediaRecord | undefined>
  /** `start` and `end` (exclusive) default to the whole content. Throws BlobMissing, and Failure (503) if the content cannot be read. */
  read(object: Pick<MediaRecord, 'id' | 'size'>, range?: { start: number; end: number }): AsyncIterable<Uint8Array>
  remove(id: string): Promise<void>
  /** Deletes at most `limit` expired objects; resolves with how many there were. */
  sweep(limit: number): Promise<number>
}

const ID = /^[0-9a-f]{32}$/
const READ_BYTES = 256 * 1024

export function createMediaStore(records: Media, blobs: BlobStore): MediaStore {
  /** The content goes before the record: a crash in between leaves a record that the sweep finds. */
  async function deleteExpired(id: string): Promise<void> {
    await blobs.delete(id)
    await records.forget(id)
  }
  /** Contents beyond the limits go at once: the disk would be full before the sweep comes. What fails is left to the sweep. */
  async function makeRoom(record: MediaRecord): Promise<void> {
    const expired = await records.makeRoom(record).catch(() => [])
    // One after the other, and none after one that failed: the store may be silent, and the caller waits.
    for (const id of expired) if (!(await isDeleted(id))) return
  }
  const isDeleted = (id: string): Promise<boolean> =>
    deleteExpired(id).then(
      () => true,
      () => false,
    )
  async function remove(id: string): Promise<void> {
    await records.expire(id)
    await deleteExpired(id)
  }

  return {
    async put(content, { owner, contentType, keepMs }) {
      const id = randomBytes(16).toString('hex')
      await records.begin({ id, account: owner, contentType })
      try {
        const size = await writeBlob(blobs, id, content)
        const record = await records.complete(id, size, keepMs)
        if (record) {
          await makeRoom(record)
          return record
        }
        throw unavailable('store', 'the upload took too long')
      } catch (error) {
        // If this fails, too, the sweep does it later. A store that was silent is not waited for again.
        await (error instanceof Silent ? records.expire(id) : remove(id)).catch(() => {})
        throw error
      }
    },
    async find(id) {
      return ID.test(id) ? records.find(id) : undefined
    },
    async *read({ id, size }, { start, end } = { start: 0, end: size }) {
      try {
        yield* blobs.read(id, start, end)
      } catch (error) {
        throw error instanceof BlobMissing ? error : unavailable('read', error)
      }
    },
    remove,
    async sweep(limit) {
      const ids = await records.expired(limit)
      const results = await Promise.allSettled(ids.map(deleteExpired))
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
      return ids.length
    },
  }
}

/** An error of the content's own source is thrown as it is, one of the store as a Failure. */
async function writeBlob(blobs: BlobStore, id: string, content: MediaContent): Promise<number> {
  let ofSource: { error: unknown } | undefined
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* piecesOf(content)
    } catch (error) {
      ofSource = { error }
      throw error
    }
  }
  try {
    return await blobs.write(id, watched())
  } catch (error) {
    if (ofSource) throw ofSource.error
    throw unavailable('store', error)
  }
}

/** The store of the contents gave no answer in time. */
class Silent extends Failure {}

function unavailable(what: 'store' | 'read', error: unknown): Failure {
  const Kind = error instanceof BlobsSilent ? Silent : Failure
  return new Kind('service_unavailable', `The gateway cannot ${what} media. Retry in 2 seconds.`, {
    retryAfter: 2,
    detail: String(error),
  })
}

async function* piecesOf(content: MediaContent): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) yield content
  else if ('path' in content) yield* readFile(content.path)
  else yield* content
}

/** The bytes of a file from `start` to before `end`. It stays readable if it is deleted meanwhile. */
export async function* readFile(path: string, start = 0, end = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r')
  try {
    for (let at = start; at < end; ) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, end - at))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
      countReleased(bytesRead)
    }
  } finally {
    await file.close()
  }
}
