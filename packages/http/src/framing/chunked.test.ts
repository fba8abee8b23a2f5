import { describe, expect, test } from 'bun:test'
import { ChunkedDecoder } from './chunked.ts'
import { Malformed } from './malformed.ts'

/** All of the body, with the text given in pieces of this size. */
function read(text: string, size = text.length) {
  const chunked = new ChunkedDecoder()
  const bytes = Buffer.from(text, 'latin1')
  let body = ''
  let at = 0
  while (at < bytes.length && !chunked.done) {
    const piece = Buffer.from(bytes.subarray(at, at + size))
    body += Buffer.from(chunked.push(piece)).toString('latin1')
    at += chunked.used
  }
  return { body, done: chunked.done, over: bytes.length - at }
}

const cases: [name: string, text: string, body: string][] = [
  ['one chunk', '5\r\nhello\r\n0\r\n\r\n', 'hello'],
  ['several', '5\r\nhello\r\n1\r\n \r\nA\r\n0123456789\r\n0\r\n\r\n', 'hello 0123456789'],
  ['nothing', '0\r\n\r\n', ''],
  ['line ends within', '4\r\n\r\n\r\n\r\n0\r\n\r\n', '\r\n\r\n'],
  ['an extension as long as allowed', `5;${'a'.repeat(256)}\r\nhello\r\n0\r\n\r\n`, 'hello'],
  ['extensions', '5;a=b\r\nhello\r\n0;last\r\n\r\n', 'hello'],
  ['blanks behind the size', '5 \r\nhello\r\n0\t\r\n\r\n', 'hello'],
  ['blanks before an extension', '5 \t;a=b\r\nhello\r\n0 ;c\r\n\r\n', 'hello'],
  ['zeros before the size', '0005\r\nhello\r\n000\r\n\r\n', 'hello'],
  ['trailers', '5\r\nhello\r\n0\r\na: b\r\nc: d\r\n\r\n', 'hello'],
]

describe('chunks are taken out, however they are cut', () => {
  for (const [name, text, body] of cases) {
    test(name, () => {
      for (let size = 1; size <= text.length; size++) {
        expect({ size, ...read(text, size) }).toEqual({ size, body, done: true, over: 0 })
      }
    })
  }
})

test('what follows the body is left alone', () => {
  expect(read('2\r\nab\r\n0\r\n\r\nHTTP/1.1 200 OK')).toEqual({ body: 'ab', done: true, over: 15 })
})

test('a body that stops is not done', () => {
  for (const text of ['', '5', '5\r\nhel', '5\r\nhello\r\n', '5\r\nhello\r\n0\r\n', '0\r\na: b\r\n']) {
    expect(read(text).done).toBeFalse()
  }
})

describe('what is no chunk is refused', () => {
  const broken: [name: string, text: string][] = [
    ['no size', '\r\nhello'],
    ['a sign', '-5\r\nhello'],
    ['a prefix', '0x5\r\nhello'],
    ['digits behind a blank', '1 0\r\nhello'],
    ['a word behind a blank', '5 a\r\nhello\r\n0\r\n\r\n'],
    ['blanks without end', `5${' '.repeat(20_000)}`],
    ['a blank before the size', ' 5\r\nhello'],
    ['a plus', '+5\r\nhello'],
    ['a bare carriage return', '5\rhello'],
    ['a bare line feed', '5\nhello'],
    ['a bare line feed in an extension', '5;a\n\r\nhello\r\n0\r\n\r\n'],
    ['a bare line feed in a trailer', '0\r\na: b\nc: d\r\n\r\n'],
    ['a bare line feed for an end', '0\r\n\n\r\n\r\n'],
    ['more than its size', '5\r\nhello!\r\n'],
    ['a size beyond all', 'ffffffffffffff\r\n'],
    ['an extension over 256 bytes', `5;${'a'.repeat(257)}`],
    ['blanks over 256 bytes', `5${' '.repeat(258)}`],
    ['endless trailers', `0\r\n${'a: b\r\n'.repeat(5_000)}`],
  ]
  for (const [name, text] of broken) test(name, () => expect(() => read(text)).toThrow(Malformed))
})

test('a small piece does not keep the read that it came in', () => {
  const chunk = `1;${'a'.repeat(250)}\r\nx\r\n`
  const piece = new ChunkedDecoder().push(Buffer.from(chunk.repeat(4_000), 'latin1'))
  expect(piece.length).toBe(4_000)
  expect(piece.buffer.byteLength).toBeLessThanOrEqual(2 * piece.length)
})
