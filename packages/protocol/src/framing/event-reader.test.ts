import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bytesOf, bufferCodec as codec } from '../../fixtures/buffer-codec.ts'
import { openEventReader } from './event-reader.ts'
import { openSseParser, type SseEvent, SseOverflow } from './sse.ts'

function read(pieces: readonly Uint8Array[]): SseEvent[] {
  const events: SseEvent[] = []
  const reader = openEventReader((event) => events.push(event), codec)
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return events
}

const parsed = (text: string): SseEvent[] => {
  const parser = openSseParser()
  return [...parser.push(text), ...parser.end()]
}

const line = fc.constantFrom(
  ...[
    'data: a',
    'data: {"x":"é北🙂"}',
    'data:b',
    'data',
    'event: e',
    'id: 7',
    ': comment',
    'data: ',
    'data: \ufeffz',
    'x',
  ],
)
const ending = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\n\n', '\n\n\n')
const stream = fc.array(fc.tuple(line, ending), { maxLength: 12 }).map((lines) => lines.flat().join(''))

describe('events from bytes', () => {
  test('are those that the text has, however the bytes are cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 200 })), (text, cuts) => {
        const bytes = bytesOf(text)
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index] ?? 0, end))
        expect(read(pieces)).toEqual(parsed(text))
      }),
      { numRuns: 2_000 },
    )
  })

  test('are the same when each comes by itself', () => {
    const pieces = ['data: 1\n\n', 'data: 2\n\n', 'event: e\ndata: 3\n\n', 'data: 4\n', '\n', 'data: 5\n\n', 'data: 6']
    expect(read(pieces.map(bytesOf)).map(({ data }) => data)).toEqual(['1', '2', '3', '4', '5', '6'])
  })

  test('a line without an end is not kept forever', () => {
    const reader = openEventReader(() => {}, codec, 100)
    reader.push(bytesOf('x'.repeat(60)))
    expect(() => reader.push(bytesOf('x'.repeat(60)))).toThrow(SseOverflow)
  })
})
