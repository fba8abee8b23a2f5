// Where the files of an archive are.
import { StoreDown } from '../errors.ts'

/** As the media store has it (media/blobs.ts). */
export type PartStore = {
  write(name: string, content: AsyncIterable<Uint8Array>): Promise<number>
  read(name: string, start: number, end: number): AsyncIterable<Uint8Array>
  delete(name: string): Promise<void>
}

/** Archived rows cannot be read now. Retry later. */
export class ArchiveUnavailable extends StoreDown {}

/** Throws ArchiveUnavailable if the file is missing, too short, or its store does not answer. */
export async function readRange(store: PartStore, name: string, start: number, end: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of store.read(name, start, end)) pieces.push(piece)
  } catch (error) {
    throw new ArchiveUnavailable(`the file ${name} of the archive cannot be read: ${String(error)}`)
  }
  const bytes = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
  if (bytes.length !== end - start)
    throw new ArchiveUnavailable(`the file ${name} of the archive has ended after ${start + bytes.length} bytes`)
  return bytes
}
