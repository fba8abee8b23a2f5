// Decodes compressed request bodies piece by piece and stops at the first byte over the limit: a few kilobytes may decompress
// to gigabytes.
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

export type Encoding = 'gzip' | 'deflate' | 'br' | 'zstd'

const DECODERS: Record<Encoding, () => Transform> = {
  gzip: () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  // A frame of a few bytes may request a window of 128 MiB; HTTP allows 8 MiB (RFC 9659).
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
}

// The zstd stream of node:zlib ends a truncated body without an error. So a frame of our own is appended: only if the body
// ended at the end of a frame, the content of ours is decoded last. It is one byte repeated 72 times in a run-length block
// (magic number, no options, 1 KiB window, "last block, 72 times", the byte), so the frame does not contain its content.
const END_MARK = Buffer.alloc(72, 0x1e)
const END_MARK_FRAME = Uint8Array.of(
  0x28,
  0xb5,
  0x2f,
  0xfd,
  0x00,
  0x00,
  ((72 << 3) & 0xff) | 0b011,
  72 >> 5,
  0x00,
  0x1e,
)

export type Decoded = Uint8Array | 'too_large' | 'no_memory' | 'corrupt'

export type Decoder = {
  /** Resolves when the piece has been decoded; false: decoding has ended, and more input is ignored. */
  write(piece: Uint8Array): Promise<boolean>
  end(): Promise<Decoded>
  /** Frees the memory of the decoder when the body will not be completed. */
  discard(): void
}

/** `reserve` is called with the decoded size so far, and returns false when memory is exhausted. */
export function openDecoder(
  encoding: Encoding,
  limitBytes: number,
  reserve: (bytes: number) => boolean = () => true,
): Decoder {
  const stream = DECODERS[encoding]()
  const isZstd = encoding === 'zstd'
  const limit = limitBytes + (isZstd ? END_MARK.length : 0)
  const finished = Promise.withResolvers<Decoded>()
  const parts: Uint8Array[] = []
  let size = 0
  let isOver = false
  const finish = (result: Decoded) => {
    isOver = true
    finished.resolve(result)
    stream.destroy()
  }
  stream.on('data', (part: Uint8Array) => {
    size += part.length
    parts.push(part)
    if (size > limit) finish('too_large')
    else if (!reserve(size)) finish('no_memory')
  })
  stream.on('end', () => {
    const whole = Buffer.concat(parts, size)
    if (!isZstd) return finish(whole)
    finish(whole.subarray(-END_MARK.length).equals(END_MARK) ? whole.subarray(0, -END_MARK.length) : 'corrupt')
  })
  stream.on('error', () => finish('corrupt'))

  const write = async (piece: Uint8Array) => {
    if (isOver) return false
    // After an error or at the limit the callback may never be called.
    await Promise.race([new Promise<void>((resolve) => stream.write(piece, () => resolve())), finished.promise])
    return !isOver
  }
  return {
    write,
    async end() {
      // In two pieces: libzstd, one byte short of a frame header, would take a whole frame that follows for that frame.
      if (isZstd && (await write(END_MARK_FRAME.subarray(0, 1)))) await write(END_MARK_FRAME.subarray(1))
      if (!isOver) stream.end()
      return finished.promise
    },
    discard: () => finish('corrupt'),
  }
}
