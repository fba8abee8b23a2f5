import { describe, expect, test } from 'bun:test'
import { requestHead, requestTarget } from './request-head.ts'

const textOf = ({ bytes }: { bytes: Uint8Array }): string => Buffer.from(bytes).toString('latin1')

test('heads of GET and POST', () => {
  const headers = { authorization: 'Bearer k', accept: 'é' }
  const lines = 'host: 127.0.0.1:8080\r\nauthorization: Bearer k\r\naccept: é\r\n'
  for (const path of ['/a', '/b']) {
    const [post, get] = [12, undefined].map((n) => requestHead('http://127.0.0.1:8080/deep/v1/', path, headers, n))
    if (!post || !get) throw new Error('no head')
    expect([post.origin, get.origin]).toEqual(['http://127.0.0.1:8080', 'http://127.0.0.1:8080'])
    expect(textOf(post)).toBe(`POST /deep/v1${path} HTTP/1.1\r\n${lines}content-length: 12\r\n\r\n`)
    expect(textOf(get)).toBe(`GET /deep/v1${path} HTTP/1.1\r\n${lines}\r\n`)
  }
  const short = requestHead('http://[::1]', '/a', {}, undefined)
  expect(short.origin).toBe('http://[::1]')
  expect(textOf(short)).toBe('GET /a HTTP/1.1\r\nhost: [::1]\r\n\r\n')
})

describe('a value that would add a header is rejected, and not shown', () => {
  for (const value of ['a\r\nx: y', 'a\nb', 'a\0', 'ключ']) {
    test(JSON.stringify(value), () => {
      expect(() => requestHead('http://h/v1', '/a', { authorization: value }, 0)).toThrow(
        /^The header authorization contains a/,
      )
    })
  }
})

test('header values that clients may send are passed on: rejecting them here would count as a failure of the upstream', () => {
  const value = 'a\tb\u007f\u00e9'
  expect(textOf(requestHead('http://h', '/a', { 'openai-beta': value }, undefined))).toContain(
    `\r\nopenai-beta: ${value}\r\n`,
  )
})

describe('a path is written as a browser would', () => {
  const cases: [path: string, target: string][] = [
    ['/chat/completions', '/v1/chat/completions'],
    ['/models/gemini-2.5-pro:streamGenerateContent?alt=sse', '/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse'],
    ['/models/a b', '/v1/models/a%20b'],
    ['/models/ä', '/v1/models/%C3%A4'],
    ['/models/x HTTP/1.1\r\nx: y', '/v1/models/x%20HTTP/1.1x:%20y'],
    ['/models/../../admin', '/admin'],
    ['/models/.', '/v1/models/'],
    ['/models/a..b', '/v1/models/a..b'],
    ['/models/x#y', '/v1/models/x'],
  ]
  for (const [path, target] of cases) test(JSON.stringify(path), () => expect(requestTarget('/v1', path)).toBe(target))
})
