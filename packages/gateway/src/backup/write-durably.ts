import { open } from 'node:fs/promises'

/** A file that only its owner can read, complete on disk when this resolves. */
export async function writeDurably(
  path: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for await (const bytes of content)
      for (let done = 0; done < bytes.length; )
        done += (await file.write(bytes, done, bytes.length - done)).bytesWritten
    await file.sync()
  } finally {
    await file.close()
  }
}
