import type { Codec } from '../../../framing/codec.ts'
import type { Pieces } from '../../../framing/splice.ts'

export type JsonPieces = { text(text: string): void; raw(pieces: Pieces): void; pieces(): Pieces }

/**
 * JSON put together from text, which is encoded, and from bytes, which stay as they are. `one-line`: for the data of an
 * event, where a line break between the tokens of an upstream's JSON would end the line.
 */
export function openJsonPieces(codec: Codec, form: 'any' | 'one-line' = 'any'): JsonPieces {
  const pieces: Uint8Array[] = []
  let pending = ''
  const flush = () => {
    if (pending !== '') pieces.push(codec.encode(pending))
    pending = ''
  }
  return {
    text(text) {
      pending += text
    },
    raw(given) {
      flush()
      for (const piece of given) pieces.push(form === 'any' ? piece : withoutLineBreaks(piece))
    },
    pieces() {
      flush()
      return pieces
    },
  }
}

const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20

function withoutLineBreaks(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(LF) && !bytes.includes(CR)) return bytes
  return bytes.map((byte) => (byte === LF || byte === CR ? SPACE : byte))
}
