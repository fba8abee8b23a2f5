import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeBase64, encodeBase64 } from './base64.ts'

const cutAt = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

async function collect(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

const places = fc.array(fc.nat(2_000), { maxLength: 6 })

test('decoding gives the same bytes wherever the text is cut, with or without line breaks and padding', () => {
  const property = fc.asyncProperty(
    fc.uint8Array({ maxLength: 900 }),
    places,
    fc.boolean(),
    async (bytes, cuts, broken) => {
      const padded = Buffer.from(bytes).toString('base64')
      const text = broken ? padded.replace(/.{1,76}/g, '$&\r\n').replaceAll('=', '') : padded
      expect(await collect(decodeBase64(cutAt(Buffer.from(text), cuts)))).toEqual(Buffer.from(bytes))
    },
  )
  return fc.assert(property)
})

test('encoding gives the same text wherever the bytes are cut', () => {
  const property = fc.asyncProperty(fc.uint8Array({ maxLength: 900 }), places, async (bytes, cuts) => {
    const text = (await collect(encodeBase64(cutAt(bytes, cuts)))).toString('latin1')
    expect(text).toBe(Buffer.from(bytes).toString('base64'))
  })
  return fc.assert(property)
})
