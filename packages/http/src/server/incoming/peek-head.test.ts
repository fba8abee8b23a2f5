import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { headEnd } from '../../framing/head-end.ts'
import { pathOfWholePost } from './peek-head.ts'
import { RequestHead } from './request-head.ts'

const glance = (text: string) => pathOfWholePost(Buffer.from(text, 'latin1'))
const post = (lines: readonly string[], body = '{}', first = 'POST /v1/messages HTTP/1.1') =>
  `${[first, ...lines].join('\r\n')}\r\n\r\n${body}`

describe('recognized', () => {
  test.each([
    ['the minimum', ['Host: a', 'Content-Length: 2']],
    ['in lowercase', ['host: a', 'content-length: 2']],
    ['without whitespace, or with a lot', ['Host:a', 'Content-Length: \t 2 \t']],
    ['keep-alive', ['Host: a', 'Connection: Keep-Alive', 'Content-Length: 2']],
    [
      'as an SDK writes it',
      [
        'Authorization: Bearer sk-1',
        'Host: 127.0.0.1:8080',
        'User-Agent: OpenAI/JS 6.49.0',
        'Accept: */*',
        'Content-Type: application/json',
        'x-stainless-retry-count: 0',
        'Accept-Encoding: gzip, deflate, br',
        'Connection: keep-alive',
        'Content-Length: 2',
      ],
    ],
    // These have the same length as the names that matter.
    [
      'other names',
      ['date: x', 'Host: a', 'accept: close', 'x-is-close: close', 'x-another-name: 9', 'Content-Length: 2'],
    ],
  ])('%s', (_, lines) => expect(glance(post(lines))).toBe('/v1/messages'))

  test.each([
    ['/', '/'],
    ['/v1/messages?beta=true&a=?', '/v1/messages'],
    ['/v1beta/models/a%2Fb:generateContent?alt=sse', '/v1beta/models/a%2Fb:generateContent'],
  ])('%s', (target, path) => {
    expect(glance(post(['Host: a', 'Content-Length: 2'], '{}', `POST ${target} HTTP/1.1`))).toBe(path)
  })

  test('without a body, if the head says so', () => {
    expect(glance(post(['Host: a', 'Content-Length: 0'], ''))).toBe('/v1/messages')
  })
})

describe('left to the full parser', () => {
  const whole = post(['Host: a', 'Content-Length: 2'])
  test.each([
    ['nothing', ''],
    ['another method', whole.replace('POST', 'PUT ')],
    ['another version', whole.replace('1.1', '1.0')],
    ['an absolute URL', whole.replace('/v1', 'http://a/v1')],
    ['non-ASCII letters', whole.replace('/v1', '/\xe4')],
    ['a line end before it', `\r\n${whole}`],
    ['an incomplete body', whole.slice(0, -1)],
    ['more than one request', whole + whole],
    ['a line end after it', `${whole}\r\n`],
    ['no length', post(['Host: a'], '')],
    ['two lengths', post(['Host: a', 'Content-Length: 2', 'Content-Length: 2'])],
    ['two lengths, one of them invalid', post(['Host: a', 'Content-Length: +2', 'Content-Length: 2'])],
    ['a length with a sign', post(['Host: a', 'Content-Length: +2'])],
    ['a list of lengths', post(['Host: a', 'Content-Length: 2, 2'])],
    ['an empty length', post(['Host: a', 'Content-Length:'], '')],
    ['an endless length', post(['Host: a', `Content-Length: ${'0'.repeat(16)}2`])],
    ['chunks', post(['Host: a', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
    ['chunks and a length', post(['Host: a', 'Content-Length: 2', 'transfer-encoding: identity'])],
    ['no host', post(['Content-Length: 2'])],
    ['two hosts', post(['Host: a', 'Host: b', 'Content-Length: 2'])],
    ['two hosts in one', post(['Host: a, b', 'Content-Length: 2'])],
    ['Connection: close', post(['Host: a', 'Connection: close', 'Content-Length: 2'])],
    ['Connection: upgrade', post(['Host: a', 'Connection: upgrade', 'Content-Length: 2'])],
    ['Expect: 100-continue', post(['Host: a', 'Expect: 100-continue', 'Content-Length: 2'])],
    ['a folded header', post(['Host: a', ' b', 'Content-Length: 2'])],
    ['whitespace after a name', post(['Host: a', 'Content-Length : 2'])],
    ['bare line ends', whole.replaceAll('\r\n', '\n')],
  ])('%s', (_, text) => expect(glance(text)).toBeUndefined())

  test.each(Array.from({ length: whole.length }, (_, length) => length))('its first %d bytes', (length) => {
    expect(glance(whole.slice(0, length))).toBeUndefined()
  })
})

/** It must agree with the full parser: otherwise the bytes of one request could be taken for another. */
test('agrees with the full parser', () => {
  const line = fc.constantFrom(
    ...['Host: a', 'host:a,b', 'Content-Length: 2', 'content-length:02', 'Content-Length: 1', 'CONTENT-LENGTH: 0x2'],
    ...[
      'Transfer-Encoding: chunked',
      'transfer-encodinG:x',
      'Expect: 100-continue',
      'Connection: close',
      'connection: a',
    ],
    ...[
      'Connection: keep-alive',
      'X: y',
      ': y',
      'x y: z',
      ' folded',
      'Content-Encoding: gzip',
      'a: \x00',
      'b: \xff',
      '',
    ],
  )
  const first = fc.constantFrom(
    'POST /a?b HTTP/1.1',
    'POST /a HTTP/1.1',
    'POST /a HTTP/1.0',
    'GET /a HTTP/1.1',
    'POST a',
  )
  const body = fc.constantFrom('{}', '', 'x', '\r\n', '{}GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const lineEnd = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r')
  const lines = fc.array(fc.tuple(line, lineEnd), { maxLength: 6 })
  let seen = 0
  const property = fc.property(first, lines, body, (first, lines, body) => {
    const usual = ['Host: a\r\n', 'Content-Length: 2\r\n'].slice(lines.length % 3)
    const text = `${first}\r\n${usual.join('')}${lines.map(([line, end]) => line + end).join('')}\r\n${body}`
    const bytes = Buffer.from(text, 'latin1')
    const path = pathOfWholePost(bytes)
    if (path === undefined) return
    seen++
    const end = headEnd(bytes, 0)
    const head = new RequestHead({ bytes, start: 0, end })
    const { method, target, length, keepsAlive: staysOpen, expectsContinue: waitsToSend, isHttp11: isCurrent } = head
    expect([method, target.split('?')[0], length, staysOpen, waitsToSend, isCurrent]).toEqual([
      'POST',
      path,
      bytes.length - end - 4,
      true,
      false,
      true,
    ])
  })
  fc.assert(property, { numRuns: 20_000, seed: 7 })
  expect(seen).toBeGreaterThan(200)
})
