/** Bytes that arrive in pieces and are wanted in one, later: each byte is copied a bounded number of times. */
export type GrowingBytes = {
  readonly length: number
  /** Large chunks are kept, not copied: they must not change afterwards. */
  append(bytes: Uint8Array): void
  /** The last bytes, at most so many. */
  tail(most: number): Uint8Array
  /** What has arrived, for looking at; valid until the next append. */
  peek(): Uint8Array
  /** What has arrived, for keeping; nothing is left afterwards. */
  take(): Uint8Array
  /** Discards the content. */
  drop(): void
}

const EMPTY = new Uint8Array(0)
/**
 * From here on a copy costs more than a place in a list. And the collector comes when it likes: copies of an endless line,
 * and what they were copied from, would be several times what the line may have.
 */
export const LARGE_BYTES = 16 * 1024
const BLOCK_BYTES = 1024 * 1024

export function growingBytes(): GrowingBytes {
  let pieces: Uint8Array[] = []
  let piecesLength = 0
  /** Behind the pieces: small ones, in a buffer that doubles. */
  let buffer = EMPTY
  let filled = 0

  function intoBuffer(bytes: Uint8Array): void {
    if (filled + bytes.length > buffer.length) {
      const larger = new Uint8Array(Math.max(filled + bytes.length, buffer.length * 2))
      larger.set(buffer.subarray(0, filled))
      buffer = larger
    }
    buffer.set(bytes, filled)
    filled += bytes.length
  }

  function intoPieces(bytes: Uint8Array): void {
    pieces.push(bytes)
    piecesLength += bytes.length
  }

  function closeBuffer(): void {
    if (filled > 0) intoPieces(buffer.subarray(0, filled))
    buffer = EMPTY
    filled = 0
  }

  function drop(): void {
    pieces = []
    piecesLength = 0
    buffer = EMPTY
    filled = 0
  }

  function joined(): Uint8Array {
    if (pieces.length === 0) return buffer.subarray(0, filled)
    closeBuffer()
    const all = pieces
    const whole = new Uint8Array(piecesLength)
    drop()
    buffer = whole
    for (const piece of all) intoBuffer(piece)
    return whole
  }

  return {
    get length() {
      return piecesLength + filled
    },
    append(bytes) {
      if (bytes.length < LARGE_BYTES) intoBuffer(bytes)
      else {
        closeBuffer()
        intoPieces(bytes)
      }
      if (filled >= BLOCK_BYTES) closeBuffer()
    },
    tail(most) {
      let bytes = buffer.subarray(Math.max(0, filled - most), filled)
      for (let at = pieces.length - 1; at >= 0 && bytes.length < most; at--) {
        const piece = pieces[at] ?? EMPTY
        const before = piece.subarray(Math.max(0, piece.length - most + bytes.length))
        bytes = Uint8Array.of(...before, ...bytes)
      }
      return bytes
    },
    peek: joined,
    take() {
      const taken = joined()
      drop()
      return taken
    },
    drop,
  }
}
