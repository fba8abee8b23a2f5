// Contents in an S3-compatible store. Objects are never listed: the records know what exists.
import { S3Client, type S3File } from 'bun'
import type { S3Config } from '../config/types.ts'
import { BlobMissing, type BlobStore } from './media-store.ts'

const MIB = 1024 * 1024
/** Contents up to this size are one request. One part is in memory at a time. The least that S3 takes: each has to be answered in time. */
const PART_BYTES = 5 * MIB
/** A content is read in ranges of this size: a response stream would be buffered while the client is slow. */
const READ_BYTES = 2 * MIB
const RETRIES = 2

const keyOf = (id: string): string => `media/${id}`

export function createS3Blobs({ endpoint, bucket, region, accessKey, secretKey }: S3Config): BlobStore {
  const client = new S3Client({ endpoint, bucket, region, accessKeyId: accessKey, secretAccessKey: secretKey })
  return {
    async write(id, content) {
      const file = client.file(keyOf(id))
      const writer = file.writer({ partSize: PART_BYTES, queueSize: 1, retry: RETRIES })
      let size = 0
      try {
        for await (const bytes of content) {
          writer.write(bytes)
          size += bytes.length
          await writer.flush()
        }
      } catch (error) {
        // Ends the upload without an object; what it throws is the error itself.
        await Promise.resolve(writer.end(asError(error))).catch(() => {})
        throw error
      }
      await writer.end()
      return size
    },
    async replace(id, content) {
      await client.write(keyOf(id), content, { retry: RETRIES })
    },
    async *read(id, start, end) {
      const file = client.file(keyOf(id))
      for (let at = start; at < end; at += READ_BYTES) {
        const stop = Math.min(end, at + READ_BYTES)
        yield* pieces(file.slice(at, stop), stop - at)
      }
    },
    async delete(id) {
      await client.delete(keyOf(id)).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
    },
  }
}

/** Rejects if the bucket cannot be reached, or not with these keys. */
export async function checkS3({ endpoint, bucket, region, accessKey, secretKey }: S3Config): Promise<void> {
  const client = new S3Client({ endpoint, bucket, region, accessKeyId: accessKey, secretAccessKey: secretKey })
  // That it does not exist is an answer, too.
  await client.file(keyOf('doctor')).exists()
}

/** Some servers answer certain ranges, such as 0-0, with the whole content. A reader that stops closes the connection. */
async function* pieces(range: S3File, length: number): AsyncGenerator<Uint8Array> {
  let left = length
  try {
    for await (const bytes of range.stream()) {
      yield bytes.length > left ? bytes.subarray(0, left) : bytes
      left -= bytes.length
      if (left <= 0) return
    }
  } catch (error) {
    rejectMissing(error)
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === 'NoSuchKey'

function rejectMissing(error: unknown): never {
  throw isMissing(error) ? new BlobMissing('no such key') : error
}
