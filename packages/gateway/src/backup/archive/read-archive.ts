// Reads an archive: its list of members first, then any of them in pieces.
import { open } from 'node:fs/promises'
import { BLOCK, decodeHeader, paddingOf } from './header.ts'

export type Member = { name: string; at: number; size: number }
export type ArchiveReader = {
  members: ReadonlyMap<string, Member>
  read(name: string): AsyncGenerator<Uint8Array>
  /** The whole of a small member. */
  text(name: string): Promise<string>
  close(): Promise<void>
}

const READ_BYTES = 1024 * 1024
/** Only the list of members grows with their number, which is that of stored images and videos. */
const LONGEST_TEXT = 256 * 1024 * 1024

/** Throws if the file is not a complete archive. */
export async function openArchive(file: string): Promise<ArchiveReader> {
  const handle = await open(file, 'r')
  const members = new Map<string, Member>()

  async function readAt(at: number, length: number): Promise<Uint8Array> {
    const buffer = Buffer.allocUnsafe(length)
    for (let done = 0; done < length; ) {
      const { bytesRead } = await handle.read(buffer, done, length - done, at + done)
      if (bytesRead === 0) throw new Error('it ends too early')
      done += bytesRead
    }
    return buffer
  }

  async function* read(name: string): AsyncGenerator<Uint8Array> {
    const member = members.get(name)
    if (!member) throw new Error(`${name} is missing`)
    for (let done = 0; done < member.size; ) {
      const piece = await readAt(member.at + done, Math.min(READ_BYTES, member.size - done))
      done += piece.length
      yield piece
    }
  }

  try {
    for (let at = 0; ; ) {
      const header = decodeHeader(await readAt(at, BLOCK))
      if (!header) break
      if (members.has(header.name)) throw new Error(`${header.name} is there twice`)
      members.set(header.name, { ...header, at: at + BLOCK })
      at += BLOCK + header.size + paddingOf(header.size)
    }
  } catch (error) {
    await handle.close()
    throw error
  }
  return {
    members,
    read,
    async text(name) {
      if ((members.get(name)?.size ?? 0) > LONGEST_TEXT) throw new Error(`${name} is too long`)
      const pieces: Uint8Array[] = []
      for await (const piece of read(name)) pieces.push(piece)
      return Buffer.concat(pieces).toString('utf8')
    },
    close: () => handle.close(),
  }
}
