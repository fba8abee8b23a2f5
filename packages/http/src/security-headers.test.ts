import { expect, test } from 'bun:test'
import { securityHeaders } from './security-headers.ts'

const PLAIN = { tls: undefined, publicUrl: undefined }
const TLS = { certFile: 'cert.pem', keyFile: 'key.pem' }

test('no response may be sniffed, framed, executed or embedded', () => {
  const { open, authenticated } = securityHeaders(PLAIN)
  for (const set of [open, authenticated])
    expect(set.set).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    })
})

test('responses to requests with a key are not cached', () => {
  expect(securityHeaders(PLAIN).authenticated.set['cache-control']).toBe('private, no-store')
  expect(securityHeaders(PLAIN).open.set).not.toHaveProperty('cache-control')
})

test.each([
  [PLAIN, false],
  [{ ...PLAIN, publicUrl: 'http://gw.example.com' }, false],
  [{ ...PLAIN, publicUrl: 'https://gw.example.com' }, true],
  [{ ...PLAIN, publicUrl: 'HTTPS://gw.example.com' }, true],
  [{ ...PLAIN, tls: TLS }, true],
])('HSTS is sent only where HTTPS is served: %j', (server, expected) => {
  const { open, authenticated } = securityHeaders(server)
  for (const set of [open, authenticated]) expect('strict-transport-security' in set.set).toBe(expected)
})

test('the header sets are created once and can be shared', () => {
  expect(securityHeaders(PLAIN)).toBe(securityHeaders({ ...PLAIN }))
  const { open, authenticated } = securityHeaders({ ...PLAIN, tls: TLS })
  expect([open.set, authenticated.set].every(Object.isFrozen)).toBe(true)
  expect(authenticated.lines).toContain('cache-control: private, no-store\r\n')
})
