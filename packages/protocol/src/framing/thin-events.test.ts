import { expect, test } from 'bun:test'
import { bufferCodec, bytesOf, textOfPieces } from '../../fixtures/buffer-codec.ts'
import { wholeJson } from './json/thin-json.ts'
import { openThinEvents } from './thin-events.ts'

const LONG = 'iVBORw0K'.repeat(5_000)
const STREAM =
  `: keep-alive\n\nevent: image.partial\ndata: {"a":"${LONG}"}\n\ndata:{"b":1}\n\n\n` +
  `event: two\ndata: {"a":\ndata: 2}\nid: 7\n\nevent: none\n\ndata: [DONE]\n\ndata: {"last":true}`
const EVENTS = [
  ['image.partial', `{"a":"${LONG}"}`],
  [undefined, '{"b":1}'],
  ['two', '{"a":\n2}'],
  [undefined, '[DONE]'],
  [undefined, '{"last":true}'],
]

function read(bytes: Uint8Array, size: number, limit?: number) {
  const events: [string | undefined, string][] = []
  const reader = openThinEvents(
    ({ event, data }) => events.push([event, textOfPieces(wholeJson(data, 0, data.bytes.length))]),
    bufferCodec,
    limit,
  )
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.slice(at, at + size))
  reader.end()
  return events
}

for (const [name, line] of [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const) {
  test.each([1, 2, 5, 977, 1e6])(`lines that end in ${name}, in pieces of %i bytes`, (size) => {
    expect(read(bytesOf(STREAM.replaceAll('\n', line)), size) as unknown).toEqual(EVENTS)
  })
}

test('a byte order mark is no part of the first event', () => {
  expect(read(bytesOf('\ufeffdata: {"a":1}\n\n'), 3)).toEqual([[undefined, ' {"a":1}']])
})

test('an event over the limit is an error, and so is an endless line of something else', () => {
  expect(() => read(bytesOf(STREAM), 1e6, 1_000)).toThrow('longer than 1000 bytes')
  expect(() => read(bytesOf(`:${'x'.repeat(70_000)}`), 1e6)).toThrow('line of an event stream')
})
