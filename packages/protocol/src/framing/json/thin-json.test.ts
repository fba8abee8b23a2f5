import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bufferCodec, bytesOf, textOfPieces } from '../../../fixtures/buffer-codec.ts'
import { thinJsonOf } from '../../../fixtures/thin-json.ts'
import { LONG_STRING, MAX_THIN_BYTES, openThinJson, parseThin, takenString, wholeJson } from './thin-json.ts'

const LONG = 'iVBORw0K'.repeat(LONG_STRING / 8)
const ESCAPED = `a\\/b\\"${'c\\\\'.repeat(2_000)}`
const TEXTS = [
  '{}',
  '{"a":"b\\"c","d":[1,"\\\\"]}',
  `{"data":[{"b64_json":"${LONG}","x":1},{"b64_json":"${LONG}1"}],"z":"é"}`,
  `{"a":"${ESCAPED}","b":"${LONG}"}`,
  `  {"a" : "${LONG}" } `,
]

const cutInto = (bytes: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.slice(index * size, (index + 1) * size))

describe.each(TEXTS.map((text) => [text.slice(0, 40), text]))('%s', (_, text) => {
  test.each([1, 2, 3, 7, 1_000, 20_000, 1e6])('in pieces of %i bytes', (size) => {
    const reader = openThinJson(1e6)
    for (const piece of cutInto(bytesOf(text), size)) reader.push(piece)
    expect(reader.length).toBe(bytesOf(text).length)
    const thin = reader.take()
    expect(thin.bytes.length).toBeLessThan(200)
    expect(textOfPieces(wholeJson(thin, 0, thin.bytes.length))).toBe(text)
    for (const { pieces, length, hasEscapes } of thin.strings) {
      const raw = textOfPieces(pieces)
      expect([raw.length, hasEscapes]).toEqual([length, raw.includes('\\')])
    }
    expect(JSON.stringify(parseThin(thin, bufferCodec), (_key, value) => restored(thin, value))).toBe(
      JSON.stringify(JSON.parse(text)),
    )
    expect(reader.length).toBe(0)
  })
})

function restored(thin: ReturnType<typeof thinJsonOf>, value: unknown): unknown {
  const taken = typeof value === 'string' ? takenString(thin, value) : undefined
  return taken === undefined ? value : JSON.parse(`"${textOfPieces(taken.pieces)}"`)
}

test('a large piece is not copied', () => {
  const bytes = bytesOf(`{"a":"${'x'.repeat(100_000)}"}`)
  const [string] = thinJsonOf(bytes).strings
  expect([string?.pieces.length, string?.pieces[0]?.buffer === bytes.buffer]).toEqual([1, true])
})

test('what is not JSON stays none', () => {
  for (const text of ['', '{"a":"', `{"a":"${LONG}`, '{"a":"b\\', 'nonsense'])
    expect(parseThin(thinJsonOf(bytesOf(text)), bufferCodec)).toBeUndefined()
})

test('limits hold for all of it, and for what is left without long strings', () => {
  expect(() => openThinJson(10).push(bytesOf('{"a":"12345"}'))).toThrow('longer than 10 bytes')
  const many = bytesOf('"a",'.repeat(MAX_THIN_BYTES / 4 + 1))
  expect(() => openThinJson(1e9).push(many)).toThrow('without its long strings')
})

test('a string of a million escapes is read', () => {
  const bytes = bytesOf(`{"a":"${'abcdef\\/'.repeat(1_000_000)}"}`)
  expect(thinJsonOf(bytes).strings[0]?.length).toBe(8_000_000)
})

test('any JSON, cut anywhere, is whole again', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(LONG, `${LONG}"\\\n`, '\\'.repeat(LONG_STRING)),
  )
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      text,
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(text, tie('value')),
    ),
  })).value
  const sizes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(values, sizes, (value, cuts) => {
      const json = JSON.stringify(value)
      const bytes = bytesOf(json)
      const reader = openThinJson(bytes.length)
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = cuts[turn % cuts.length] ?? 1
        reader.push(bytes.slice(at, at + size))
        at += size
      }
      const thin = reader.take()
      expect(textOfPieces(wholeJson(thin, 0, thin.bytes.length))).toBe(json)
      expect(parseThin(thin, bufferCodec)).not.toBeUndefined()
    }),
  )
})
