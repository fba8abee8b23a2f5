// Compressed request bodies, decoded piece by piece so that the first byte over the limit ends it: a few kilobytes can
// unfold into gigabytes.
import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  zstdCompressSync,
} from 'node:zlib'

export type Encoding = 'gzip' | 'deflate' | 'br' | 'zstd'

const DECODERS: Record<Encoding, () => Transform> = {
  gzip: () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  // A frame of a few bytes may demand a window of 128 MiB; what HTTP allows is 8 MiB (RFC 9659).
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
}

// The zstd stream of node:zlib ends a cut body without an error. So one frame of our own goes in last: only if the body
// ended where a frame ends, its content comes out last. (Repeated, so that the frame itself does not contain it.)
const FULL_STOP = Buffer.from('\u0000the end\u0000'.repeat(8))
const FULL_STOP_FRAME = zstdCompressSync(FULL_STOP)

export type Decoded = Uint8Array | 'too_large' | 'corrupt'

export type Decoder = {
  /** Resolves when the piece has been taken in; false: there is no point in sending more. */
  write(piece: Uint8Array): Promise<boolean>
  end(): Promise<Decoded>
  /** Frees what the decoder holds when the body will not be completed. */
  discard(): void
}

export function openDecoder(encoding: Encoding, limitBytes: number): Decoder {
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
      if (!isOver && isZstd) await write(FULL_STOP_FRAME)
      if (!isOver) stream.end()
      return finished.promise
    },
    discard: () => finish('corrupt'),
  }
}
