import { describe, expect, test } from 'bun:test'
import { Malformed } from '../framing/chunked.ts'
import { ResponseHead } from './response-head.ts'

const read = (text: string) =>
  new ResponseHead({ bytes: Buffer.from(`${text}: body`, 'latin1'), start: 0, end: text.length })
const head = (...lines: string[]) => read(lines.join('\r\n'))

test('a header is found by its whole name in any case', () => {
  const { header } = {
    header: (name: string) => head('HTTP/1.1 200 OK', 'X-Content-Type: no', 'Content-Type:  a/b ').header(name),
  }
  expect(header('content-type')).toBe('a/b')
  expect(header('type')).toBeNull()
  expect(head('HTTP/1.1 200 OK', 'x: \u00c3\u00a0\t').header('x')).toBe('\u00c3\u00a0')
  expect(head('HTTP/1.1 200 OK', 'A: Text of a: b').header('a')).toBe('Text of a: b')
})

test('many headers, and a large one', () => {
  const many = Array.from({ length: 500 }, (_, at) => `a${at}: b`)
  const large = `c: ${'d'.repeat(1024 * 1024)}`
  expect(head('HTTP/1.1 200 OK', ...many, large, 'e: f').header('e')).toBe('f')
})

describe('where the body ends', () => {
  const cases: [name: string, lines: string[], framing: unknown, staysOpen: boolean][] = [
    ['a length', ['HTTP/1.1 200 OK', 'Content-Length: 12'], 12, true],
    ['no length', ['HTTP/1.1 200 OK', 'a: b'], 'until-close', false],
    ['chunks', ['HTTP/1.1 200 OK', 'Transfer-Encoding: Chunked'], 'chunked', true],
    ['nothing to come', ['HTTP/1.1 204 No Content'], 0, false],
    ['not modified', ['HTTP/1.1 304 Not Modified', 'content-length: 5'], 0, false],
    ['closed afterwards', ['HTTP/1.1 200 OK', 'content-length: 0', 'connection: Close'], 0, false],
    [
      'closed afterwards, said last',
      ['HTTP/1.1 200 OK', 'content-length: 0', 'connection: x', 'Connection: close'],
      0,
      false,
    ],
    ['the older version', ['HTTP/1.0 200 OK', 'content-length: 3'], 3, false],
    ['the same length twice', ['HTTP/1.1 200 OK', 'content-length: 3', 'content-length: 3'], 3, true],
    ['no reason', ['HTTP/1.1 200', 'content-length: 3'], 3, true],
  ]
  for (const [name, lines, framing, staysOpen] of cases) {
    test(name, () => {
      const read = head(...lines)
      expect([read.framing, read.staysOpen]).toEqual([framing as never, staysOpen])
    })
  }
})

describe('ambiguous heads are rejected', () => {
  const cases: [name: string, text: string][] = [
    ['not HTTP', 'SSH-2.0-OpenSSH'],
    ['another version', 'HTTP/2 200 OK'],
    ['no status', 'HTTP/1.1 OK'],
    ['a status that goes on', 'HTTP/1.1 2000 OK'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked'],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -3'],
    ['a list of lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 3, 3'],
    ['a length beyond the maximum', 'HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999'],
    ['an encoding that was not requested', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked'],
    ['a bare line feed', 'HTTP/1.1 200 OK\r\na: b\ncontent-length: 3'],
    ['a bare carriage return', 'HTTP/1.1 200 OK\r\na: b\rcontent-length: 3'],
    ['a folded line', 'HTTP/1.1 200 OK\r\na: b\r\n content-length: 3'],
    ['whitespace after a name', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding : chunked'],
    ['a line without a name', 'HTTP/1.1 200 OK\r\n: 3'],
    ['a line that is no header', 'HTTP/1.1 200 OK\r\ncontent-length'],
    ['a length with a no-break space', 'HTTP/1.1 200 OK\r\ncontent-length: 3\u00a0'],
    ['too many headers', `HTTP/1.1 200 OK${'\r\na:'.repeat(1_001)}`],
    ['a NUL', 'HTTP/1.1 200 OK\r\na: b\0'],
  ]
  for (const [name, text] of cases) test(name, () => expect(() => read(text)).toThrow(Malformed))
})
