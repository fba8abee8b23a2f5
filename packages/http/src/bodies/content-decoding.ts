// Compressed request bodies, decoded piece by piece so that the first byte over the limit ends it: a few kilobytes can
// unfold into gigabytes.
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

export type Encoding = 'gzip' | 'deflate' | 'br' | 'zstd'

const DECODERS: Record<Encoding, () => Transform> = {
  gzip: () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  // A frame of a few bytes may demand a window of 128 MiB; what HTTP allows is 8 MiB (RFC 9659).
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
}

// The zstd stream of node:zlib ends a cut body without an error. So one frame of our own goes in last: only if the body
// ended where a frame ends, its content comes out last. The content is one byte many times over, in one run-length block
// (magic number, no options, 1 KiB window, "last block, 72 times", the byte), so the frame does not contain it as text.
const FULL_STOP = Buffer.alloc(72, 0x1e)
const FULL_STOP_FRAME = Uint8Array.of(
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
  /** Resolves when the piece has been taken in; false: there is no point in sending more. */
  write(piece: Uint8Array): Promise<boolean>
  end(): Promise<Decoded>
  /** Frees what the decoder holds when the body will not be completed. */
  discard(): void
}

/** `mayHold`: asked as it is decoded whether there is memory for so much of it. */
export function openDecoder(
  encoding: Encoding,
  limitBytes: number,
  mayHold: (bytes: number) => boolean = () => true,
): Decoder {
  const stream = DECODERS[encoding]()
  const isZstd = encoding === 'zstd'
  const limit = limitBytes + (isZstd ? FULL_STOP.length : 0)
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
    else if (!mayHold(size)) finish('no_memory')
  })
  stream.on('end', () => {
    const whole = Buffer.concat(parts, size)
    if (!isZstd) return finish(whole)
    finish(whole.subarray(-FULL_STOP.length).equals(FULL_STOP) ? whole.subarray(0, -FULL_STOP.length) : 'corrupt')
  })
  stream.on('error', () => finish('corrupt'))

  const write = async (piece: Uint8Array) => {
    if (isOver) return false
    // On an error or at the limit the callback may never come.
    await Promise.race([new Promise<void>((resolve) => stream.write(piece, () => resolve())), finished.promise])
    return !isOver
  }
  return {
    write,
    async end() {
      // In two pieces: libzstd, one byte short of a frame's header, takes a whole frame that comes next for that frame.
      if (isZstd && (await write(FULL_STOP_FRAME.subarray(0, 1)))) await write(FULL_STOP_FRAME.subarray(1))
      if (!isOver) stream.end()
      return finished.promise
    },
    discard: () => finish('corrupt'),
  }
}
