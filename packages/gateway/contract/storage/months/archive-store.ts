// A media store in memory, for the tests of archives.
import { BlobMissing, type BlobStore } from '../../../src/media/blobs.ts'

export type MemoryBlobs = Pick<BlobStore, 'write' | 'read' | 'delete'> & {
  files: Map<string, Uint8Array>
  reads: number
}

export function memoryBlobs(): MemoryBlobs {
  const files = new Map<string, Uint8Array>()
  return {
    files,
    reads: 0,
    async write(name, content) {
      const pieces: Uint8Array[] = []
      for await (const piece of content) pieces.push(piece)
      const bytes = Buffer.concat(pieces)
      files.set(name, bytes)
      return bytes.length
    },
    async *read(name, start, end) {
      this.reads += 1
      const bytes = files.get(name)
      if (!bytes) throw new BlobMissing(name)
      yield bytes.subarray(start, end)
    },
    async delete(name) {
      files.delete(name)
    },
  }
}
