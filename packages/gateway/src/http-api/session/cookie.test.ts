import { describe, expect, test } from 'bun:test'
import { testHeaders } from '../../../../http/test-support/serve.ts'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from './cookie.ts'

const PLAIN = { tls: undefined, publicUrl: undefined }
const PROXIED = { tls: undefined, publicUrl: 'https://gw.example.com' }
const OWN_TLS = { tls: { certFile: 'a', keyFile: 'b' }, publicUrl: undefined }
const OTHER = 'y'.repeat(43)
const TOKEN = 'A-Za-z0-9_'.padEnd(43, 'x')

const read = (cookie: string | null, server: Parameters<typeof readSessionCookie>[1] = PLAIN) =>
  readSessionCookie({ getAll: (name) => (name === 'cookie' && cookie !== null ? cookie.split('\n') : []) }, server)

describe('a cookie is read', () => {
  test.each<[string, string | null, string | undefined]>([
    ['alone', `trivium_session=${TOKEN}`, TOKEN],
    ['among others', `a=b; trivium_session=${TOKEN}; c=d`, TOKEN],
    ['without spaces', `a=b;trivium_session=${TOKEN}`, TOKEN],
    ['in a line of its own', `a=b\ntrivium_session=${TOKEN}`, TOKEN],
    ['none behind a comma', `theme=x,trivium_session=${TOKEN}`, undefined],
    ['none behind a comma and a space', `theme=x, trivium_session=${TOKEN}`, undefined],
    ['beside one behind a comma', `theme=x,trivium_session=${OTHER}; trivium_session=${TOKEN}`, TOKEN],
    ['none of two', `trivium_session=${TOKEN}; trivium_session=${OTHER}`, undefined],
    ['none of two in two lines', `trivium_session=${TOKEN}\ntrivium_session=${OTHER}`, undefined],
    ['none of two, one of which is no token', `trivium_session=x; trivium_session=${TOKEN}`, undefined],
    ['none', null, undefined],
    ['empty', '', undefined],
    ['without a value', 'trivium_session', undefined],
    ['an empty value', 'trivium_session=', undefined],
    ['a short value', 'trivium_session=abc', undefined],
    ['a long value', `trivium_session=${TOKEN}x`, undefined],
    ['a value in quotes', `trivium_session="${TOKEN}"`, undefined],
    ['other characters', `trivium_session=${'é'.repeat(43)}`, undefined],
    ['a longer name', `xtrivium_session=${TOKEN}`, undefined],
    ['another case', `Trivium_Session=${TOKEN}`, undefined],
    ['separators only', ';;,,==;', undefined],
    ['nonsense of the largest size', 'a=;'.repeat(5_000), undefined],
  ])('%s', (_, cookie, expected) => {
    expect(read(cookie)).toBe(expected)
  })

  test('behind TLS only under the name that no other host can set', () => {
    for (const server of [PROXIED, OWN_TLS]) {
      expect(read(`trivium_session=${TOKEN}`, server)).toBeUndefined()
      expect(read(`__Host-trivium_session=${TOKEN}`, server)).toBe(TOKEN)
    }
    expect(read(`__Host-trivium_session=${TOKEN}`)).toBeUndefined()
  })
})

test.each([
  ['plain HTTP', PLAIN, `trivium_session=${TOKEN}; Max-Age=60; Path=/; HttpOnly; SameSite=Lax`],
  ['a proxy', PROXIED, `__Host-trivium_session=${TOKEN}; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure`],
  ['TLS', OWN_TLS, `__Host-trivium_session=${TOKEN}; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure`],
])('the cookie for %s', (_, server, expected) => {
  const headers = testHeaders()
  setSessionCookie(headers, server, TOKEN, 60_999)
  expect(headers.getAll('set-cookie')).toEqual([expected])
  const cleared = testHeaders()
  clearSessionCookie(cleared, server)
  expect(cleared.get('set-cookie')).toBe(expected.replace(TOKEN, '').replace('=60', '=0'))
})
