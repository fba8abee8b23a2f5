import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf } from '../../../fixtures/buffer-codec.ts'
import { SseOverflow } from '../sse.ts'
import { openArrayReader, openArrayWriter } from './json-array.ts'

const LIMIT = 1024

function elementsOf(pieces: Uint8Array[]): string[] {
  const elements: string[] = []
  const reader = openArrayReader((text) => elements.push(text), bufferCodec, LIMIT)
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return elements
}

const CASES: [name: string, text: string, elements: string[]][] = [
  ['two elements', '[{"a":1},\r\n{"b":2}]', ['{"a":1}', '{"b":2}']],
  ['nothing at all', '', []],
  ['an empty array', '[\n]\n', []],
  ['one object without an array', '{"a":{"b":[1,{"c":2}]}}', ['{"a":{"b":[1,{"c":2}]}}']],
  [
    'brackets, quotes and backslashes in text',
    '[{"a":"]}\\"[{\\\\"},{"b":"\\\\\\""}]',
    ['{"a":"]}\\"[{\\\\"}', '{"b":"\\\\\\""}'],
  ],
  ['several lines', '[\n {\n  "a": "北\u{1f680}"\n }\n,\n {}\n]', ['{\n  "a": "北\u{1f680}"\n }', '{}']],
  ['a byte order mark', '\ufeff[{"a":1}]', ['{"a":1}']],
  ['a cut inside an element', '[{"a":1},{"b":', ['{"a":1}', '{"b":']],
  ['something that is no object', '[{"a":1}, oops]', ['{"a":1}', 'oops]']],
]

describe.each(CASES)('%s', (_, text, elements) => {
  test('whole', () => expect(elementsOf([bytesOf(text)])).toEqual(elements))

  test('cut at every byte', () => {
    const bytes = bytesOf(text)
    for (let at = 0; at <= bytes.length; at++) {
      expect(elementsOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(elements)
    }
    expect(elementsOf([...bytes].map((byte) => new Uint8Array([byte])))).toEqual(elements)
  })
})

test('an element beyond the limit is not kept', () => {
  const reader = openArrayReader(() => {}, bufferCodec, LIMIT)
  reader.push(bytesOf('[{"a":"'))
  const piece = bytesOf('x'.repeat(LIMIT / 2))
  reader.push(piece)
  expect(() => reader.push(piece)).toThrow(SseOverflow)
})

test('what is written is one array, also without elements', () => {
  const writer = openArrayWriter()
  expect(writer.end()).toBe('[]')
  const text = writer.element('{"a":1}') + writer.element('{"b":2}') + writer.end()
  expect(text).toBe('[{"a":1},\r\n{"b":2}]')
  expect(elementsOf([bytesOf(text)])).toEqual(['{"a":1}', '{"b":2}'])
})
