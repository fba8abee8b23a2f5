import { describe, expect, test } from 'bun:test'
import { fixedHeaders, json, ResponseHeaders } from './response.ts'

const FIXED = fixedHeaders({ 'cache-control': 'private, no-store', 'x-frame-options': 'DENY' })
const ID = 'x-request-id: req_1\r\nrequest-id: req_1\r\n'
const open = () => new ResponseHeaders(FIXED, 'req_1')

describe('the headers of a response', () => {
  test('are the fixed ones, the id and what was set', () => {
    const headers = open()
    headers.set('retry-after', '1')
    headers.set('allow', 'GET')
    const fixed = 'cache-control: private, no-store\r\nx-frame-options: DENY\r\n'
    expect(headers.lines()).toBe(`${fixed}${ID}retry-after: 1\r\nallow: GET\r\n`)
    expect([headers.get('allow'), headers.get('x-frame-options'), headers.get('etag')]).toEqual(['GET', 'DENY', null])
  })

  test('have each name once, with what was set last', () => {
    const headers = open()
    headers.set('allow', 'GET')
    headers.set('cache-control', 'public')
    headers.set('allow', 'POST')
    expect(headers.lines()).toBe(`x-frame-options: DENY\r\n${ID}allow: POST\r\ncache-control: public\r\n`)
    expect([headers.get('allow'), headers.get('cache-control')]).toEqual(['POST', 'public'])
  })

  test('the id, too, if it is set again', () => {
    const headers = open()
    headers.set('x-request-id', 'req_1')
    headers.set('request-id', 'req_1')
    headers.set('idempotent-request-id', 'req_1')
    expect(headers.lines()).toEndWith(`${ID}idempotent-request-id: req_1\r\n`)
    expect(headers.lines().match(/^x-request-id/gm)).toHaveLength(1)
  })

  test('also when it is set to what it was', () => {
    const headers = open()
    headers.set('x-frame-options', 'DENY')
    expect(headers.lines()).toBe(`cache-control: private, no-store\r\n${ID}x-frame-options: DENY\r\n`)
  })

  test('a value may be what is set for another name', () => {
    const headers = open()
    headers.set('allow', 'x-frame-options')
    headers.set('x-frame-options', 'SAMEORIGIN')
    expect(headers.lines()).toBe(
      `cache-control: private, no-store\r\n${ID}allow: x-frame-options\r\nx-frame-options: SAMEORIGIN\r\n`,
    )
  })

  test('append keeps the values that exist, fixed ones included; set replaces all of them', () => {
    const headers = new ResponseHeaders(fixedHeaders({ vary: 'origin' }), 'req_1')
    headers.append('set-cookie', 'a=1; Path=/')
    headers.append('vary', 'accept')
    headers.append('set-cookie', 'b=2')
    expect(headers.lines()).toBe(`vary: origin\r\n${ID}set-cookie: a=1; Path=/\r\nvary: accept\r\nset-cookie: b=2\r\n`)
    expect([headers.getAll('set-cookie'), headers.getAll('vary'), headers.getAll('etag')]).toEqual([
      ['a=1; Path=/', 'b=2'],
      ['origin', 'accept'],
      [],
    ])
    headers.set('set-cookie', 'c=3')
    headers.set('vary', '*')
    expect(headers.lines()).toBe(`${ID}set-cookie: c=3\r\nvary: *\r\n`)
    expect([headers.getAll('set-cookie'), headers.getAll('vary')]).toEqual([['c=3'], ['*']])
  })

  test('remove takes away every value that was added; the fixed one is sent again', () => {
    const headers = open()
    headers.append('set-cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    headers.set('x-frame-options', 'SAMEORIGIN')
    headers.remove('set-cookie')
    headers.remove('x-frame-options')
    expect(headers.lines()).toBe(`cache-control: private, no-store\r\nx-frame-options: DENY\r\n${ID}`)
  })

  test('an appended value is checked like any other', () => {
    expect(() => open().append('set-cookie', 'a\r\nset-cookie: b')).toThrow(TypeError)
  })

  test.each([
    'a\r\nset-cookie: b',
    'a\nb',
    'a\rb',
    '\0',
    '\x7f',
    '\x1b[2J',
    'a\u0100b',
    '\ud83d\ude00',
    '\u560a',
  ])('never contain %j: it would be another header, or other bytes', (value) => {
    const headers = open()
    expect(() => headers.set('a', value)).toThrow(TypeError)
    expect(() => fixedHeaders({ a: value })).toThrow(TypeError)
    expect(headers.lines()).not.toContain('\r\na:')
  })

  test.each(['', 'a b', '\t', '\xe4\xff', '~'])('contain %j', (value) => {
    const headers = open()
    headers.set('a', value)
    expect(headers.lines()).toEndWith(`\r\na: ${value}\r\n`)
  })

  test('have no inherited properties', () => expect(open().get('constructor')).toBeNull())
})

test('json has its type', () => {
  const answer = json(201, open(), { a: 'ä' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8'])
  expect(answer.body).toEqual(Buffer.from('{"a":"ä"}'))
})
