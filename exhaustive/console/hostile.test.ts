// What other sites, broken clients and attackers may send to the console API.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CONSOLE_ROUTES } from '../../packages/gateway/src/console-api/routes.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'

const EMAIL = 'ada@example.com'
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ env: { TRIVIUM_LOG: 'requests' } })
  await gateway.command('account', 'create', '--email', EMAIL, '--password', PASSWORD)
})
afterAll(() => gateway.stop())

async function signedIn() {
  const client = consoleClient(gateway.url)
  expect(outcomeOf(await client.post('sign-in', { email: EMAIL, password: PASSWORD }))).toBe('200')
  return client
}

describe('requests of other sites', () => {
  const changes = CONSOLE_ROUTES.filter(({ method }) => method !== 'GET')
  const foreign: [string, Record<string, string>][] = [
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site in an old browser', { origin: 'https://evil.example', 'sec-fetch-site': '' }],
    ['a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['a frame without an origin', { origin: 'null' }],
    ['our name with another port', { origin: 'http://127.0.0.1:1' }],
  ]

  test.each(foreign)('%s changes nothing, whatever the route', async (_, headers) => {
    const client = await signedIn()
    for (const { method, path } of changes) {
      const url = path.replace(/\{\w+(\.\.\.)?\}/g, '1')
      const answer = method === 'POST' ? await client.post(url, {}, headers) : await client.delete(url, headers)
      expect(`${path}: ${outcomeOf(answer)}`).toBe(`${path}: 403 foreign_page`)
    }
    expect(outcomeOf(await client.get('session'))).toBe('200')
  })

  test.each([
    'evil.example',
    '127.0.0.1.nip.io',
    'localhost.evil.example',
  ])('a page whose host %s was given our address changes nothing, and the error says what to set', async (name) => {
    const client = await signedIn()
    const host = `${name}:${new URL(gateway.url).port}`
    for (const headers of [{ host, origin: `http://${host}` }, { host }]) {
      for (const { method, path } of changes) {
        const url = path.replace(/\{\w+(\.\.\.)?\}/g, '1')
        const answer = method === 'POST' ? await client.post(url, {}, headers) : await client.delete(url, headers)
        expect(`${path}: ${outcomeOf(answer)}`).toBe(`${path}: 403 foreign_page`)
        expect(answer.body.error?.message).toContain('server.public_url')
      }
    }
    const local = `localhost:${new URL(gateway.url).port}`
    expect(outcomeOf(await client.post('preferences', {}, { host: local, origin: `http://${local}` }))).toBe('204')
  })

  test('a victim is not signed in to an account of an attacker', async () => {
    const victim = consoleClient(gateway.url)
    const attack = { email: EMAIL, password: PASSWORD }
    const answer = await victim.post('sign-in', attack, { origin: 'https://evil.example' })
    expect([outcomeOf(answer), victim.token()]).toEqual(['403 foreign_page', undefined])
    // A form needs no permission of the browser, but cannot send JSON.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      const form = await victim.post('sign-in', JSON.stringify(attack), { 'content-type': type })
      expect([outcomeOf(form), victim.token()]).toEqual(['415 unsupported_media_type', undefined])
    }
  })

  test('no response permits other sites to read it', async () => {
    const client = await signedIn()
    const { headers } = await client.get('session', { origin: 'https://evil.example' })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    // Nor keeps a cache it, nor does a frame show it.
    for (const path of ['session', 'about', 'nothing', 'keys'])
      expect([...(await client.get(path)).headers]).toEqual(
        expect.arrayContaining([
          ['cache-control', 'private, no-store'],
          ['x-frame-options', 'DENY'],
          ['x-content-type-options', 'nosniff'],
        ]),
      )
    const preflight = await fetch(`${gateway.url}/console/api/session`, { method: 'OPTIONS' })
    expect(preflight.status).toBe(405)
  })
})

describe('broken requests', () => {
  test.each<[string, unknown, string]>([
    ['no JSON', 'hello', '400 bad_request'],
    ['half of JSON', '{"email":', '400 bad_request'],
    ['a list', [], '400 bad_request'],
    ['a number beyond all', '{"email":"a@b.c","password":1e400}', '400 bad_request'],
    ['a field twice: the last one counts', `{"email":"${EMAIL}","password":"x","password":1}`, '400 bad_request'],
    ['null', null, '400 bad_request'],
    ['a field too many', { email: EMAIL, password: PASSWORD, admin: true }, '400 bad_request'],
    ['fields of the prototype', '{"email":"a@b.c","password":"x","__proto__":{"a":1}}', '400 bad_request'],
    ['NUL in the address', { email: 'a\0@b.c', password: 'x' }, '400 bad_request'],
    ['half a character', { email: 'a\ud800@b.c', password: 'x' }, '400 bad_request'],
    ['a number as a password', { email: EMAIL, password: 1 }, '400 bad_request'],
    ['a password without end', { email: EMAIL, password: 'x'.repeat(1_025) }, '400 bad_request'],
    ['an address without end', { email: `${'x'.repeat(400)}@b.c`, password: 'x' }, '400 bad_request'],
    ['a code without end', { email: EMAIL, password: PASSWORD, code: '1'.repeat(65) }, '400 bad_request'],
    ['a body without end', { email: EMAIL, password: 'x'.repeat(20_000) }, '413 request_too_large'],
    ['deeply nested', `${'['.repeat(8_000)}${']'.repeat(8_000)}`, '400 bad_request'],
  ])('%s', async (_, body, expected) => {
    const client = consoleClient(gateway.url)
    const answer = await client.post('sign-in', body)
    expect([outcomeOf(answer), client.token()]).toEqual([expected, undefined])
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test.each<[string, string, string]>([
    ['an empty cookie', '', '401 not_signed_in'],
    ['nonsense', ';;=;trivium_session;=', '401 not_signed_in'],
    ['a token of wrong length', 'trivium_session=abc', '401 not_signed_in'],
    ['SQL', "trivium_session=' OR 1=1 --", '401 not_signed_in'],
    ['another name', `session=${'x'.repeat(43)}`, '401 not_signed_in'],
    ['the name behind TLS', `__Host-trivium_session=${'x'.repeat(43)}`, '401 not_signed_in'],
    ['many cookies', 'a=b; '.repeat(1_000), '401 not_signed_in'],
  ])('cookies: %s', async (_, cookie, expected) => {
    expect(outcomeOf(await consoleClient(gateway.url).get('session', { cookie }))).toBe(expected)
  })

  test('headers beyond the limit', async () => {
    const answer = await consoleClient(gateway.url).get('session', { cookie: 'a'.repeat(200_000) })
    expect(answer.status).toBe(431)
  })

  test('a session cookie is believed only if it is the only one, and not behind a comma', async () => {
    const [own, other] = [(await signedIn()).token(), (await signedIn()).token()]
    const outcome = async (cookie: string) => outcomeOf(await consoleClient(gateway.url).get('session', { cookie }))
    expect(await outcome(`theme=x; trivium_session=${own}`)).toBe('200')
    for (const cookie of [
      `theme=x,trivium_session=${own}`,
      `theme=x, trivium_session=${own}`,
      `trivium_session=${other}; trivium_session=${own}`,
      `trivium_session=${own};trivium_session=${own}`,
    ])
      expect([cookie, await outcome(cookie)]).toEqual([cookie, '401 not_signed_in'])
    expect(await outcome(`theme=x,trivium_session=${other}; trivium_session=${own}`)).toBe('200')
  })

  test('the token is accepted from the cookie alone', async () => {
    const client = await signedIn()
    const token = client.token() ?? ''
    const other = consoleClient(gateway.url)
    for (const headers of [{ authorization: `Bearer ${token}` }, { 'x-session': token }])
      expect(outcomeOf(await other.get('session', headers))).toBe('401 not_signed_in')
    expect(outcomeOf(await other.get(`session?trivium_session=${token}&token=${token}`))).toBe('401 not_signed_in')
    // Nor is it an API key.
    const models = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })
    expect(models.status).toBe(401)
  })

  test.each<[string, string, string]>([
    ['GET', 'nothing', '404 not_found'],
    ['GET', 'session/', '404 not_found'],
    ['GET', '../../v1/models', '404'],
    ['GET', 'session%2f', '404 not_found'],
    ['GET', '%73ession', '404 not_found'],
    ['GET', '/session', '404 not_found'],
    ['GET', 'session;x=1', '404 not_found'],
    ['GET', 'playground/v1/models', '404 not_found'],
    ['POST', 'playground/v1%2fchat%2fcompletions', '404 not_found'],
    ['POST', 'playground/v1/chat/completions/', '404 not_found'],
    ['POST', 'playground//v1/chat/completions', '404 not_found'],
    ['POST', 'session', '405'],
    ['PUT', 'session', '405'],
    ['PATCH', 'session', '405'],
    ['GET', 'sign-in', '405'],
    ['HEAD', 'about', '200'],
    ['DELETE', 'sessions/1%00', '404 not_found'],
    ['DELETE', 'sessions/99999999999999999999', '404 not_found'],
    ['DELETE', 'sessions/-1', '404 not_found'],
  ])('%s %s', async (method, path, expected) => {
    const { token } = await signedIn()
    const response = await fetch(`${gateway.url}/console/api/${path}`, {
      method,
      headers: { cookie: `trivium_session=${token()}`, origin: gateway.url },
    })
    const { error } = response.status >= 400 ? ((await response.json()) as { error: { code: string } }) : {}
    expect(`${response.status} ${error?.code}`).toStartWith(
      expected.replace('404', path.startsWith('..') ? '40' : '404'),
    )
  })
})

test('no password, token or code is in the log, and the query is not either', async () => {
  const client = await signedIn()
  await client.get('session?secret=hunter2')
  await client.post('sign-in', { email: EMAIL, password: 'hunter2-password', code: 'hunter2-code' })
  await client.post('password/reset', { token: 'hunter2-token', password: 'hunter2-password' })
  const { stdout, stderr } = gateway.output()
  expect(stderr).toContain('/console/api/sign-in')
  expect(stdout + stderr).not.toMatch(/hunter2/)
  expect(stdout + stderr).not.toContain(client.token() ?? '?')
  expect(stdout + stderr).not.toContain(PASSWORD)
})

test('behind TLS the cookie is Secure, of this host alone', async () => {
  const proxied = await startGateway({ config: 'server: { public_url: "https://gw.example.com" }\n' })
  const client = consoleClient(proxied.url, { origin: 'https://gw.example.com' })
  const { headers, status } = await client.post('register', { email: EMAIL, password: PASSWORD })
  expect(status).toBe(201)
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-trivium_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    ),
  ])
  const cookie = `__Host-trivium_session=${client.token()}`
  expect(outcomeOf(await client.get('session', { cookie }))).toBe('200')
  expect(outcomeOf(await client.get('session', { cookie: cookie.replace('__Host-', '') }))).toBe('401 not_signed_in')
  await proxied.stop()
})
