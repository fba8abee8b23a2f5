import { describe, expect, test } from 'bun:test'
import { RejectedHead, RequestHead } from './request-head.ts'

/** As it comes over the wire: a character for each byte, without the empty line. */
const read = (text: string) =>
  new RequestHead({ bytes: Buffer.from(`\r\n${text}: body`, 'latin1'), start: 2, end: text.length + 2 })
const head = (first: string, ...lines: string[]) => read([first, 'Host: a', ...lines].join('\r\n'))
const post = (...lines: string[]) => head('POST /v1/messages HTTP/1.1', ...lines)

function statusOf(text: string): number {
  try {
    read(text)
    return 200
  } catch (error) {
    if (error instanceof RejectedHead) return error.status
    throw error
  }
}

describe('what is asked for', () => {
  test.each([
    ['/v1/models', '/v1/models'],
    ['/v1/models?limit=2', '/v1/models?limit=2'],
    ['/', '/'],
    ['*', '*'],
    ['//v1/models', '//v1/models'],
    ['/v1/../v1/models', '/v1/../v1/models'],
    ['/a%2Fb%00', '/a%2Fb%00'],
    ['http://a', '/'],
    ['http://a/v1/models?x=1', '/v1/models?x=1'],
    ['HTTPS://user@a:8443/v1', '/v1'],
    ['http://a?x=/y', '/?x=/y'],
    ['example.org:443', 'example.org:443'],
    ['/v1/models/\xc3\xa4', '/v1/models/%C3%A4'],
    ['/v1/models/\xff', '/v1/models/%EF%BF%BD'],
    [`/${'a'.repeat(60_000)}`, `/${'a'.repeat(60_000)}`],
  ])('%.40s', (sent, target) => expect(head(`GET ${sent} HTTP/1.1`).target).toBe(target))

  test.each(['GET', 'POST', 'OPTIONS', 'CONNECT', 'M-SEARCH', "a!#$%&'*+-.^_`|~9"])('%s', (method) => {
    expect(head(`${method} / HTTP/1.1`).method).toBe(method)
  })
})

describe('first lines that are none', () => {
  test.each([
    ['', 400],
    ['GET', 400],
    ['GET /', 400],
    ['GET  / HTTP/1.1', 400],
    ['GET / HTTP/1.1 ', 400],
    ['GET\t/ HTTP/1.1', 400],
    [' GET / HTTP/1.1', 400],
    ['GET / a HTTP/1.1', 400],
    ['GET /\x00 HTTP/1.1', 400],
    ['GET /\x7f HTTP/1.1', 400],
    ['G(T / HTTP/1.1', 400],
    ['G\xe4T / HTTP/1.1', 400],
    [`${'G'.repeat(33)} / HTTP/1.1`, 400],
    ['GET / http/1.1', 400],
    ['GET / HTTP/1.1x', 400],
    ['GET / HTTP/11', 400],
    ['\x16\x03\x01', 400],
    ['GET / HTTP/1.2', 505],
    ['GET / HTTP/0.9', 505],
    ['GET / HTTP/2.0', 505],
    ['PRI * HTTP/2.0', 505],
    ['GET / HTTP/3', 505],
  ])('%j: %d', (first, status) => expect(statusOf(`${first}\r\nHost: a`)).toBe(status))

  test('another version is looked for nowhere else', () => {
    expect(statusOf('GET /\r\nHost: a\r\nUser-Agent: b HTTP/2.0')).toBe(400)
  })
})

describe('headers with two readings', () => {
  const lines: [name: string, line: string][] = [
    ['a bare line feed', 'A: b\nC: d'],
    ['a bare carriage return', 'A: b\rC: d'],
    ['a carriage return at the end', 'A: b\r'],
    ['a NUL', 'A: b\0c'],
    ['a vertical tab', 'A:\x0bb'],
    ['a form feed', 'Content-Length:\x0c5'],
    ['a DEL', 'A: \x7f'],
    ['a folded line', 'A: b\r\n c'],
    ['a folded line with a tab', 'A: b\r\n\tc'],
    ['a blank before the colon', 'Content-Length : 5'],
    ['a tab before the colon', 'Transfer-Encoding\t: chunked'],
    ['a blank before the name', ' A: b'],
    ['no name', ': b'],
    ['no colon', 'A'],
    ['a name with a bracket', '(A): b'],
    ['a name outside of ASCII', '\xc4: b'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
    ['chunks and a length', 'transfer-encoding: chunked\r\ncontent-length: 5'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6'],
    ['a length twice', 'Content-Length: 5\r\ncontent-length: 5'],
    ['a list of lengths', 'Content-Length: 5, 5'],
    ['a length with a sign', 'Content-Length: +5'],
    ['a negative length', 'Content-Length: -5'],
    ['a length with a fraction', 'Content-Length: 5.0'],
    ['a length in hexadecimal', 'Content-Length: 0x5'],
    ['a length with an exponent', 'Content-Length: 1e3'],
    ['a length with a blank', 'Content-Length: 1 0'],
    ['no length', 'Content-Length:'],
    ['a length beyond all', `Content-Length: ${'9'.repeat(16)}`],
    ['two hosts', 'Host: b'],
    ['two hosts, spelled otherwise', 'hOST: a'],
  ]
  for (const [name, line] of lines) {
    test(name, () => {
      expect(statusOf(`POST / HTTP/1.1\r\nHost: a\r\n${line}`)).toBe(400)
      expect(statusOf(`POST / HTTP/1.1\r\nHost: a\r\n${line}\r\nB: c`)).toBe(400)
    })
  }

  test('no host, which only HTTP/1.0 may leave out', () => {
    expect(statusOf('GET / HTTP/1.1')).toBe(400)
    expect(statusOf('GET / HTTP/1.1\r\nX-Host: a')).toBe(400)
    expect(statusOf('GET / HTTP/1.0')).toBe(200)
    expect(statusOf('GET / HTTP/1.0\r\nHost: a\r\nHost: b')).toBe(400)
  })

  test.each([
    'identity',
    'gzip, chunked',
    'chunked, gzip',
    'chunked, chunked',
    'chunked\r\nTransfer-Encoding: chunked',
    'chunked\r\nTransfer-Encoding: identity',
    'xchunked',
    'chunked;a=b',
    '"chunked"',
    '',
    ',chunked',
  ])('Transfer-Encoding: %j is not understood', (encoding) => {
    expect(statusOf(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${encoding}`)).toBe(501)
  })

  test('chunks in HTTP/1.0, which knows none', () => {
    expect(statusOf('POST / HTTP/1.0\r\nTransfer-Encoding: chunked')).toBe(400)
  })
})

describe('the body', () => {
  test.each([
    [[], 0],
    [['Content-Length: 0'], 0],
    [['Content-Length: 5'], 5],
    [['CONTENT-LENGTH:\t 00005 \t'], 5],
    [['Content-Length: 999999999999999'], 999_999_999_999_999],
    [['Transfer-Encoding: chunked'], 'chunked' as const],
    [['TRANSFER-ENCODING: ChUnKeD '], 'chunked' as const],
    [['X-Content-Length: 5', 'Content-Length-X: 6', 'X: content-length: 7'], 0],
  ])('%j', (lines, length) => expect(post(...lines).length).toBe(length))

  test('is known to be encoded', () => {
    expect(post().isEncoded).toBeFalse()
    expect(post('content-encoding: gzip').isEncoded).toBeTrue()
  })

  test('may be waited for', () => {
    expect(post().expectsContinue).toBeFalse()
    expect(post('Expect: 100-Continue').expectsContinue).toBeTrue()
    expect(head('POST / HTTP/1.0', 'Expect: 100-continue').expectsContinue).toBeFalse()
    expect(statusOf('POST / HTTP/1.1\r\nHost: a\r\nExpect: a miracle')).toBe(417)
  })
})

test.each([
  ['1.1', undefined, true],
  ['1.1', 'close', false],
  ['1.1', 'Close', false],
  ['1.1', 'keep-alive', true],
  ['1.1', 'keep-alive, close', false],
  ['1.1', 'close , te', false],
  ['1.1', 'te\r\nConnection: close', false],
  ['1.1', 'closed', true],
  ['1.1', 'not-close', true],
  ['1.1', 'Upgrade, HTTP2-Settings', true],
  ['1.0', undefined, false],
  ['1.0', 'keep-alive', false],
])('HTTP/%s, Connection: %j stays open: %p', (version, connection, stays) => {
  const lines = connection === undefined ? [] : [`Connection: ${connection}`]
  expect(head(`GET / HTTP/${version}`, ...lines).keepsAlive).toBe(stays)
})

describe('headers are looked up', () => {
  test.each([
    ['a', 'A: b', 'b'],
    ['a', 'a:b', 'b'],
    ['a', 'A: \t b c \t', 'b c'],
    ['a', 'A:', ''],
    ['a', 'X-A: b', null],
    ['a', 'B: a: c', null],
    ['a', 'A: b: c', 'b: c'],
    ['a', 'A: \xe4\xf6', '\xe4\xf6'],
    ['a', 'A: \xc0 B', '\xc0 B'],
    ['a', 'A: \xa0b\xa0', '\xa0b\xa0'],
    ['constructor', 'A: b', null],
  ])('%s in %j', (name, line, value) => expect(post(line).get(name)).toBe(value))

  test('what stands there more than once is joined in order: a caller cannot get in front of a proxy', () => {
    const forwarded = ['X-Forwarded-For: 6.6.6.6', 'A: b', 'x-forwarded-for: 203.0.113.7, 10.0.0.1', 'X-FORWARDED-FOR:']
    expect(post(...forwarded).get('x-forwarded-for')).toBe('6.6.6.6, 203.0.113.7, 10.0.0.1, ')
  })
})
