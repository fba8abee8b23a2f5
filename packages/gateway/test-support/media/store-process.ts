// For tests: a process that stores one large stream, on disk or in S3, and prints its size and the memory that this took.
import { createDiskBlobs } from '../../src/media/disk.ts'
import { createMediaStore } from '../../src/media/media-store.ts'
import { createS3Blobs } from '../../src/media/s3.ts'
import { memoryRecords } from './records.ts'

const PIECE_BYTES = 256 * 1024
const [, , kind, where = '', bytes] = process.argv
const blobs = kind === 'disk' ? createDiskBlobs(where) : createS3Blobs(JSON.parse(where))
const store = createMediaStore(memoryRecords(Date.now).media, blobs)

/** Every piece has its own memory, and arrives by way of the event loop, as those of a download do. */
async function* video(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < Number(bytes); sent += PIECE_BYTES) {
    yield Buffer.alloc(PIECE_BYTES, sent / PIECE_BYTES)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const idle = process.memoryUsage.rss()
let most = idle
const timer = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
}, 5)
const { size } = await store.put(video(), { owner: 7n, contentType: 'video/mp4', keepMs: 60_000 })
clearInterval(timer)
process.stdout.write(JSON.stringify({ size, idle, above: most - idle }))
