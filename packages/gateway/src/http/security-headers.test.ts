import { expect, test } from 'bun:test'
import { securityHeaders } from './security-headers.ts'

const PLAIN = { tls: undefined, publicUrl: undefined }
const TLS = { certFile: 'cert.pem', keyFile: 'key.pem' }

test('every answer may be neither guessed at, framed, run nor embedded', () => {
  const { open, authenticated } = securityHeaders(PLAIN)
  for (const set of [open, authenticated])
    expect(set).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    })
})

test('what a key unlocked is kept by no cache', () => {
  expect(securityHeaders(PLAIN).authenticated['cache-control']).toBe('private, no-store')
  expect(securityHeaders(PLAIN).open).not.toHaveProperty('cache-control')
})

test.each([
  [PLAIN, false],
  [{ ...PLAIN, publicUrl: 'http://gw.example.com' }, false],
  [{ ...PLAIN, publicUrl: 'https://gw.example.com' }, true],
  [{ ...PLAIN, publicUrl: 'HTTPS://gw.example.com' }, true],
  [{ ...PLAIN, tls: TLS }, true],
])('browsers are told to insist on HTTPS only where it is served: %j', (server, expected) => {
  const { open, authenticated, template } = securityHeaders(server)
  for (const set of [open, authenticated]) expect('strict-transport-security' in set).toBe(expected)
  expect(Object.fromEntries(template)).toEqual(authenticated)
})

test('the sets are made once, can be shared, and are accepted as headers', () => {
  expect(securityHeaders(PLAIN)).toBe(securityHeaders({ ...PLAIN }))
  const { open, authenticated } = securityHeaders({ ...PLAIN, tls: TLS })
  expect([open, authenticated].every(Object.isFrozen)).toBe(true)
  expect(new Response('', { headers: authenticated }).headers.get('cache-control')).toBe('private, no-store')
})
