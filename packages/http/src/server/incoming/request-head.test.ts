import { describe, expect, test } from 'bun:test'
import { RejectedHead, RequestHead } from './request-head.ts'

// Rejected heads are in the conformance suite: packages/http/test-support/conformance-requests.ts.

/** latin1, without the empty line. */
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

describe('the target and the method', () => {
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

  test('may be encoded', () => {
    expect(post().isEncoded).toBeFalse()
    expect(post('content-encoding: gzip').isEncoded).toBeTrue()
  })

  test('may be sent after 100 Continue', () => {
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
])('HTTP/%s, Connection: %j keeps the connection alive: %p', (version, connection, stays) => {
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

  test('the values of repeated lines are joined in order: a client cannot overrule a proxy', () => {
    const forwarded = ['X-Forwarded-For: 6.6.6.6', 'A: b', 'x-forwarded-for: 203.0.113.7, 10.0.0.1', 'X-FORWARDED-FOR:']
    expect(post(...forwarded).get('x-forwarded-for')).toBe('6.6.6.6, 203.0.113.7, 10.0.0.1, ')
  })
})
