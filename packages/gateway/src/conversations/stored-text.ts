// The plain form of what is stored of a response: JSON text from which long images are cut out, behind a header that says where they
// belong. `split` is the length of the input's items, which come first in a turn.
//
//   4 bytes: length of the header | header, JSON | text

import { codec } from '../bytes/codec.ts'

/** An image that is stored by itself. */
export type StoredImage = {
  /** The id of the media object. */
  id: string
  /** The size of the media object, in bytes. */
  size: number
  /** The length of its base64, in bytes. */
  length: number
}

/** `at`: how many bytes of the text come before it. */
export type CutImage = StoredImage & { at: number }
export type StoredText = { text: Uint8Array; images: readonly CutImage[] }

type Header = { split?: number; images?: readonly CutImage[] }

const LENGTH_BYTES = 4

export function packed({ text, images }: StoredText, split?: number): Uint8Array {
  const header: Header = { ...(split === undefined ? {} : { split }), ...(images.length === 0 ? {} : { images }) }
  const head = codec.encode(JSON.stringify(header))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(head.length)
  return Buffer.concat([length, head, text])
}

export function unpacked(plain: Uint8Array): StoredText & { split: number } {
  const start = LENGTH_BYTES + new DataView(plain.buffer, plain.byteOffset).getUint32(0)
  const { split = 0, images = [] } = JSON.parse(codec.decode(plain, LENGTH_BYTES, start)) as Header
  return { text: plain.subarray(start), images, split }
}

/** Cuts the ids out that stand in the text in place of images, in this order. */
export function cutOut(text: string, images: readonly StoredImage[]): StoredText {
  const pieces: Uint8Array[] = []
  const cut: CutImage[] = []
  let [from, at] = [0, 0]
  for (const image of images) {
    const found = text.indexOf(image.id, from)
    if (found < 0) throw new Error('an image is not in the text that it belongs to')
    const piece = codec.encode(text.slice(from, found))
    pieces.push(piece)
    at += piece.length
    cut.push({ ...image, at })
    from = found + image.id.length
  }
  return { text: Buffer.concat([...pieces, codec.encode(text.slice(from))]), images: cut }
}

/** Puts the images, in base64, back to where they were. */
export function putBack({ text, images }: StoredText, base64: readonly Uint8Array[]): Uint8Array {
  if (images.length === 0) return text
  let from = 0
  const pieces = images.flatMap(({ at }, index) => {
    const before = text.subarray(from, at)
    from = at
    return [before, base64[index] ?? new Uint8Array(0)]
  })
  return Buffer.concat([...pieces, text.subarray(from)])
}

/** One after the other, with a comma between. */
export function joined(one: StoredText, other: StoredText): StoredText {
  if (one.text.length === 0) return other
  if (other.text.length === 0) return one
  const shift = one.text.length + 1
  return {
    text: Buffer.concat([one.text, COMMA, other.text]),
    images: [...one.images, ...other.images.map((image) => ({ ...image, at: image.at + shift }))],
  }
}

const COMMA = Uint8Array.of(0x2c)

/** The input's items alone, of a turn. */
export function inputOf({ text, images, split }: ReturnType<typeof unpacked>): StoredText {
  return { text: text.subarray(0, split), images: images.filter(({ at }) => at < split) }
}
