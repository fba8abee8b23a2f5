// Contents as files in a folder.
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BlobMissing, type BlobStore, readFile } from './media-store.ts'

const ID = /^[0-9a-f]{32}$/

export function createDiskBlobs(folder: string): BlobStore {
  /** Spread over 256 folders: large folders are slow to read for tools. */
  function pathOf(id: string): string {
    if (!ID.test(id)) throw new TypeError('not the id of an object')
    return join(folder, id.slice(0, 2), id)
  }

  return {
    async write(id, content) {
      const path = pathOf(id)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const file = await open(path, 'wx', 0o600)
      let size = 0
      try {
        for await (const bytes of content) {
          for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten
          size += bytes.length
        }
        // Before the record says that the content is there.
        await file.datasync()
      } finally {
        await file.close()
      }
      return size
    },
    async replace(id, content) {
      const path = pathOf(id)
      const file = await open(`${path}.new`, 'w', 0o600)
      try {
        await file.writeFile(content)
        await file.datasync()
      } finally {
        await file.close()
      }
      await rename(`${path}.new`, path)
    },
    async *read(id, start, end) {
      try {
        yield* readFile(pathOf(id), start, end)
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new BlobMissing(id) : error
      }
    },
    delete: (id) => rm(pathOf(id), { force: true }),
  }
}
