import { describe, expect, test } from 'bun:test'
import { targetOf, writeFixedHead } from './write-head.ts'

test('what all requests to an upstream have in common', () => {
  expect(writeFixedHead('http://127.0.0.1:8080/deep/v1', { authorization: 'Bearer k', accept: 'é' })).toEqual({
    origin: 'http://127.0.0.1:8080',
    base: '/deep/v1',
    lines: 'host: 127.0.0.1:8080\r\nauthorization: Bearer k\r\naccept: é\r\n',
  })
  expect(writeFixedHead('http://[::1]', {})).toEqual({ origin: 'http://[::1]', base: '', lines: 'host: [::1]\r\n' })
})

describe('a value that would be more than one header is refused, without being shown', () => {
  for (const value of ['a\r\nx: y', 'a\nb', 'a\0', 'ключ']) {
    test(JSON.stringify(value), () => {
      expect(() => writeFixedHead('http://h/v1', { authorization: value })).toThrow(/^The header authorization has a/)
    })
  }
})

test('what a client may send within a header goes on: refusing it here would be held against the upstream', () => {
  const value = 'a\tb\u007f\u00e9'
  expect(writeFixedHead('http://h', { 'openai-beta': value }).lines).toBe(`host: h\r\nopenai-beta: ${value}\r\n`)
})

describe('an address is written as a browser would', () => {
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
  for (const [path, target] of cases) test(JSON.stringify(path), () => expect(targetOf('/v1', path)).toBe(target))
})
