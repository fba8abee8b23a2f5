import { expect, test } from 'bun:test'
import { isOwnHost, isSameOrigin } from './same-origin.ts'

test.each<[string, Record<string, string>, boolean]>([
  ['a program', {}, true],
  ['our page', { origin: 'http://gw.example', 'sec-fetch-site': 'same-origin' }, true],
  ['our page, behind a proxy with TLS', { origin: 'https://gw.example', 'sec-fetch-site': 'same-origin' }, true],
  ['our page under the public URL', { origin: 'https://public.example', 'sec-fetch-site': 'same-origin' }, true],
  ['a URL that the user typed', { 'sec-fetch-site': 'none' }, true],
  ['our page in an old browser', { origin: 'http://gw.example' }, true],
  ['a foreign page', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
  ['a foreign page in an old browser', { origin: 'https://evil.example' }, false],
  ['a foreign page without an origin', { 'sec-fetch-site': 'cross-site' }, false],
  ['a sibling host', { origin: 'https://blog.example', 'sec-fetch-site': 'same-site' }, false],
  ['a sibling host without an origin', { 'sec-fetch-site': 'same-site' }, false],
  [
    'our host by another scheme, as the browser sees it',
    { origin: 'http://gw.example', 'sec-fetch-site': 'cross-site' },
    false,
  ],
  ['a sandboxed frame', { origin: 'null' }, false],
  ['another port', { origin: 'http://gw.example:8080' }, false],
  ['a host that begins like ours', { origin: 'http://gw.example.evil.com' }, false],
  ['our host behind a user name', { origin: 'http://gw.example@evil.example' }, false],
  ['a user name like our host', { origin: 'http://evil.example:80@gw.example' }, false],
  ['our origin with a path', { origin: 'http://gw.example/' }, false],
  ['our origin in upper case, which browsers never send', { origin: 'HTTP://GW.EXAMPLE' }, false],
  ['our host with a dot at the end', { origin: 'http://gw.example.' }, false],
  ['the default port, which browsers never send', { origin: 'http://gw.example:80' }, false],
  ['a subdomain', { origin: 'http://a.gw.example' }, false],
  ['the parent domain', { origin: 'http://example' }, false],
  ['two origins', { origin: 'http://gw.example, http://evil.example' }, false],
  ['an empty origin', { origin: '' }, false],
  ['a file', { origin: 'file://' }, false],
  ['an extension', { origin: 'chrome-extension://gw.example' }, false],
  ['a word for the site in upper case', { 'sec-fetch-site': 'SAME-ORIGIN' }, false],
  ['a foreign page that names our origin', { origin: 'http://gw.example', 'sec-fetch-site': 'same-site' }, false],
  ['nonsense', { origin: '::', 'sec-fetch-site': '?' }, false],
])('%s', (_, headers, expected) => {
  const all: Record<string, string> = { host: 'GW.example', ...headers }
  expect(isSameOrigin({ get: (name) => all[name] ?? null }, 'https://public.example/gw')).toBe(expected)
})

test.each([
  'gw.example@evil.example',
  'evil.example/gw.example',
  'evil.example#',
  'evil.example?x',
])('a host such as %s is none', (host) => {
  const all: Record<string, string> = { host, origin: 'http://evil.example' }
  expect(isSameOrigin({ get: (name) => all[name] ?? null }, undefined)).toBe(false)
})

test.each<[string | null, boolean]>([
  [null, true],
  ['127.0.0.1:3333', true],
  ['192.168.1.7', true],
  ['[::1]:3333', true],
  ['[fe80::1]', true],
  ['localhost', true],
  ['LOCALHOST:3333', true],
  ['localhost.:3333', true],
  ['console.localhost:3333', true],
  ['gateway.lan:3333', true],
  ['Gateway.LAN', true],
  ['evil.example:3333', false],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['evillocalhost', false],
  ['127.0.0.1.nip.io', false],
  ['127.0.0.1.evil.example:3333', false],
  ['a.gateway.lan', false],
  ['localhost@evil.example', false],
  ['evil.example/localhost', false],
  ['', false],
  ['::', false],
])('without a public URL, the host %p of a server that listens on gateway.lan is its own: %p', (host, expected) => {
  expect(isOwnHost({ get: (name) => (name === 'host' ? host : null) }, 'http://gateway.lan:3333')).toBe(expected)
})
