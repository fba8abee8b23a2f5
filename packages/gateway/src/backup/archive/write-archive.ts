// Writes an archive to FILE.part, and gives it its name when all of it is on disk.
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BLOCK, encodeHeader, paddingOf } from './header.ts'

export type Written = { bytes: number; sha256: string }
export type ArchiveWriter = {
  /** Reads `content` no faster than it is written. */
  add(name: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Written>
  /** Resolves with its size. */
  finish(): Promise<number>
  /** Removes what was written. */
  abandon(): Promise<void>
}

export async function createArchive(file: string): Promise<ArchiveWriter> {
  const part = `${file}.part`
  await rm(part, { force: true })
  const handle = await open(part, 'wx', 0o600)
  const seconds = Math.floor(Date.now() / 1000)
  let end = 0

  async function append(bytes: Uint8Array): Promise<void> {
    await writeAll(handle, bytes, end)
    end += bytes.length
  }

  return {
    async add(name, content) {
      const start = end
      const hash = new Bun.CryptoHasher('sha256')
      let bytes = 0
      await append(new Uint8Array(BLOCK))
      for await (const piece of content) {
        hash.update(piece)
        bytes += piece.length
        await append(piece)
      }
      await append(new Uint8Array(paddingOf(bytes)))
      // The size is known only now.
      await writeAll(handle, encodeHeader({ name, size: bytes }, seconds), start)
      return { bytes, sha256: hash.digest('hex') }
    },
    async finish() {
      await append(new Uint8Array(2 * BLOCK))
      await handle.sync()
      await handle.close()
      await rename(part, file)
      const folder = await open(dirname(file), 'r')
      await folder.sync().finally(() => folder.close())
      return end
    },
    async abandon() {
      await handle.close().catch(() => undefined)
      await rm(part, { force: true })
    },
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}
