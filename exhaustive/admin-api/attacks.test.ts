// What hostile callers try: fields and parameters that nobody asked for, odd paths, ids and headers, pages of other sites, and ways to get
// more than a role gives.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { adminRoutes } from '../../packages/gateway/src/admin-api/routes.ts'
import { callServer } from '../../packages/gateway/src/cli/control-socket.ts'
import type { GatewayRole } from '../../packages/gateway/src/storage/people/people.ts'
import { type AdminClient, adminClient, adminOutcome } from '../../test/support/admin/admin-client.ts'
import { COOKIE, consoleClient, PASSWORD } from '../../test/support/gateway/console.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { operate } from '../../test/support/gateway/operate.ts'

type Json = Record<string, unknown>
type Made = { id: string; secret: string }

const ROUTES = adminRoutes()
const ROLES = ['owner', 'admin', 'finance', 'support', 'viewer'] as const
const SECRET = 'planted-secret-of-an-upstream'
const UPSTREAM = { id: 'main', dialect: 'chat', base_url: 'https://one.example.com/v1', keys: [SECRET] }
const MODEL = {
  id: 'm',
  routes: [{ upstream: 'main', cost: { input: '0.123', output: '0.123' } }],
  price: { input: '2', output: '2' },
}

let gateway: Gateway
let as: Record<GatewayRole, AdminClient>
let ownersKey: Made
let session = ''
let key = ''

beforeAll(async () => {
  gateway = await startGateway()
  const keyOf = (role: string) => operate<Made>(gateway, 'admin-key create', { name: role, role })
  const made = await Promise.all(ROLES.map(async (role) => [role, await keyOf(role)] as const))
  as = Object.fromEntries(made.map(([role, { secret }]) => [role, adminClient(gateway.url, secret)])) as typeof as
  ownersKey = made[0]?.[1] as Made
  for (const email of ['owner@example.com', 'peer@example.com', 'holder@example.com'])
    await operate(gateway, 'account create', { email, password: PASSWORD, credit: '5' })
  await operate(gateway, 'person role', { email: 'owner@example.com', role: 'owner' })
  await operate(gateway, 'person role', { email: 'peer@example.com', role: 'admin' })
  const browser = consoleClient(gateway.url)
  await browser.post('sign-in', { email: 'owner@example.com', password: PASSWORD })
  session = browser.token() ?? ''
  key = (await operate<Made>(gateway, 'key create', { account: 'holder@example.com', name: 'k' })).id
  expect((await as.owner('POST', 'upstreams', { body: UPSTREAM })).status).toBe(201)
  expect((await as.owner('POST', 'models', { body: MODEL })).status).toBe(201)
})
afterAll(() => gateway.stop())

const rows = async () => (await as.owner<{ data: Json[] }>('GET', 'audit-log?limit=1')).body.data[0]?.id
const pathOf = (path: string, value = '999999999') => path.replace(/\{\w+\}/g, value)

describe('inputs', () => {
  const FOREIGN = ['owner', 'made_by', 'hash', 'balance_usd', 'actor', 'constructor', '__proto__']

  test('every route rejects fields and parameters that it does not know, whatever their names', async () => {
    const before = await rows()
    for (const { method, path, body } of ROUTES) {
      const sent = body ? { body: `{${FOREIGN.map((name) => `"${name}":{"role":"owner"}`).join(',')}}` } : {}
      const answer = await as.owner(method, `${pathOf(path)}?__proto__=1&constructor=2&zzz=3`, sent)
      expect([path, adminOutcome(answer)]).toEqual([path, '400 bad_request'])
      const named = answer.body.error?.details.map(({ param }) => param)
      expect(named).toEqual(expect.arrayContaining(['zzz', 'constructor', ...(body ? FOREIGN : [])]))
    }
    expect(await rows()).toBe(before)
  })

  test('bodies that are deep, or have countless fields, are rejected with a short response', async () => {
    const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)
    const deep = (depth: number) => nested(depth, '{"a":', '}').replace('"a":}', '"a":1}')
    for (const depth of [200, 5_000, 150_000])
      for (const value of [deep(depth), nested(depth, '[', ']')])
        for (const [method, path, body] of [
          ['POST', 'upstreams', `{"id":"u","dialect":"chat","timeouts":${value}}`],
          ['PATCH', 'models/m', `{"price":${value}}`],
          ['PATCH', 'settings', `{"console":${value}}`],
          ['POST', 'keys', `{"account":"1","name":${value}}`],
        ] as const)
          expect([path, depth, (await as.owner(method, path, { body })).status]).toEqual([path, depth, 400])
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, 1]))
    const answer = await as.viewer('PATCH', 'accounts/1', { body: many })
    expect(adminOutcome(answer)).toBe('400 bad_request')
    expect(JSON.stringify(answer.body).length).toBeLessThan(50_000)
  })

  test('ids that are none are not found, and nothing fails', async () => {
    const odd = ['-1', '0x10', '1e3', '9223372036854775808', '9'.repeat(40), '%00', '1%20', 'a%2fb', '١٢']
    // A preview answers what a request with any model would be told.
    const shown = ROUTES.filter(({ method, path }) => method === 'GET' && /\}(?!.*preview)/.test(path))
    for (const { name, method, path } of shown)
      for (const id of odd)
        expect([400, 404], `${name} of ${id}`).toContain((await as.owner(method, pathOf(path, id))).status)
  })

  test.each([
    '',
    '"',
    'W/"x"',
    '""',
    '"x"'.repeat(900),
    ', ,',
    '\u00ff',
  ])('If-Match %j passes nothing', async (header) => {
    const answer = await as.owner('PATCH', `keys/${key}`, { body: { name: 'x' }, headers: { 'if-match': header } })
    expect(adminOutcome(answer)).toBe('412 precondition_failed')
  })

  test('an idempotency key belongs to who sent it', async () => {
    const send = (client: AdminClient) => {
      const body = { account: 'holder@example.com', name: 'same' }
      return client<Made>('POST', 'keys', { body, headers: { 'idempotency-key': 'shared' } })
    }
    const [one, other, again] = [await send(as.owner), await send(as.support), await send(as.owner)]
    expect([one.status, other.status]).toEqual([201, 201])
    expect(other.body.secret).not.toBe(one.body.secret)
    expect(again.body.secret).toBe(one.body.secret)
  })

  test('line breaks and escape sequences in reasons stay within their line of the log and of the export', async () => {
    const reason = 'x\n{"level":"error","message":"forged"}\r\u001b[2J\u2028='
    await as.owner('POST', 'accounts/holder@example.com/credits', { body: { amount_usd: '1', reason } })
    expect(adminOutcome(await as.owner('PATCH', `keys/${key}`, { body: { name: 'a\u001bb' } }))).toBe('400 bad_request')
    const { stdout } = await gateway.cli('audit-log', '--limit', '0', '--jsonl')
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as Json).filter((row) => row.reason === reason)).toHaveLength(1)
    const shown = (await gateway.cli('audit-log', '--limit', '5')).stdout
    expect(shown).not.toContain('\u001b')
    expect(gateway.output().stderr).not.toMatch(/^\{"level":"error","message":"forged"/m)
  })
})

/** As it is written: fetch would resolve dots. */
function raw(method: string, target: string, headers: Record<string, string> = {}): Promise<string> {
  const { hostname, port } = new URL(gateway.url)
  const { promise, resolve } = Promise.withResolvers<string>()
  let received = ''
  const socket = connect(Number(port), hostname)
  socket.on('data', (bytes) => {
    received += bytes
  })
  socket.on('close', () => resolve(received))
  const lines = Object.entries({ host: `${hostname}:${port}`, connection: 'close', ...headers })
  socket.write(`${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  return promise
}
const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1])

describe('paths and methods', () => {
  test.each([
    '/admin/v1//keys',
    '/admin/v1/keys/',
    '/admin/v1/KEYS',
    '/ADMIN/v1/keys',
    '/admin//v1/keys',
    '/admin/v1/keys;x=1',
    '/admin/v1/people/../keys',
    '/admin/v1/keys/%2e%2e/admin-keys',
    '/admin/v1/keys%2f1',
    '/admin/v1/keys/1/../../admin-keys',
    '/admin/v1/%2fkeys',
    '/admin/v1/keys%00',
    '/v1/../admin/v1/keys',
    '/admin/v1\\keys',
    '/admin/v1/keys/%',
  ])('%s is not a way to a list', async (target) => {
    const response = await raw('GET', target, { authorization: `Bearer ${ownersKey.secret}` })
    expect([400, 404]).toContain(statusOf(response))
    expect(response).not.toContain('"object":"list"')
  })

  test('a header or a parameter does not make another method of a request', async () => {
    const names = ['x-http-method-override', 'x-http-method', 'x-method-override']
    const override = Object.fromEntries(names.map((name) => [name, 'DELETE']))
    expect((await as.owner('GET', `keys/${key}`, { headers: override })).status).toBe(200)
    expect((await as.owner('GET', `keys/${key}?_method=DELETE`)).status).toBe(400)
    expect((await as.owner('GET', `keys/${key}`)).body.state).toBe('active')
    for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'delete'])
      expect(
        statusOf(await raw(method, `/admin/v1/keys/${key}`, { authorization: `Bearer ${ownersKey.secret}` })),
      ).toBeGreaterThanOrEqual(400)
  })

  test('no GET changes anything', async () => {
    const before = await rows()
    for (const { path } of ROUTES.filter(({ method }) => method === 'GET')) await as.owner('GET', pathOf(path, key))
    expect(await rows()).toBe(before)
  })
})

describe('pages of other sites', () => {
  const cookie = () => ({ cookie: `${COOKIE}=${session}` })
  test.each([
    ['cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://elsewhere.example.com' }],
    ['a sandboxed page', { origin: 'null' }],
    ['a name that points here', { host: 'rebound.example.com', origin: 'http://rebound.example.com' }],
    ['a name that points here, read', { host: 'rebound.example.com' }],
  ] as const)('%s cannot use the session of an operator', async (_, headers) => {
    for (const [method, target] of [
      ['GET', '/admin/v1/admin-keys'],
      ['POST', '/admin/v1/people/peer@example.com/disable'],
      ['DELETE', `/admin/v1/keys/${key}`],
    ] as const) {
      const response = await raw(method, target, { ...cookie(), 'content-length': '0', ...headers })
      expect([statusOf(response), response.includes('foreign_page')]).toEqual([403, true])
      expect(response.toLowerCase()).not.toContain('access-control-allow')
    }
  })

  test('a preflight allows nothing, and a form is no request', async () => {
    const asked = { origin: 'https://elsewhere.example.com', 'access-control-request-method': 'DELETE' }
    const preflight = await raw('OPTIONS', `/admin/v1/keys/${key}`, asked)
    expect(statusOf(preflight)).toBeGreaterThanOrEqual(400)
    expect(preflight.toLowerCase()).not.toContain('access-control-allow')
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const headers = { ...cookie(), origin: gateway.url, 'content-type': type }
      const answer = await adminClient(gateway.url)('POST', 'codes', { body: { amount_usd: '1' }, headers })
      expect([type, answer.status]).toEqual([type, 415])
    }
  })
})

describe('rights', () => {
  const SETTINGS = 'settings'
  test.each([
    ['viewer', 'PATCH', 'accounts/holder@example.com', { name: 'x' }, '403 forbidden'],
    ['viewer', 'PATCH', 'accounts/holder@example.com/limits', {}, '200'],
    ['viewer', 'PATCH', 'accounts/holder@example.com/limits', { limits: {} }, '403 forbidden'],
    ['viewer', 'POST', 'accounts/holder@example.com/members', { email: 'x@example.com' }, '403 forbidden'],
    ['support', 'PATCH', 'people/holder@example.com', { role: 'owner' }, '403 forbidden'],
    [
      'support',
      'POST',
      'accounts/holder@example.com/members',
      { email: 'owner@example.com', role: 'member' },
      '403 forbidden',
    ],
    [
      'support',
      'POST',
      'accounts/peer@example.com/members',
      { email: 'peer@example.com', role: null },
      '403 forbidden',
    ],
    [
      'admin',
      'POST',
      'accounts/holder@example.com/members',
      { email: 'owner@example.com', role: 'member' },
      '403 forbidden',
    ],
    ['support', 'POST', 'admin-keys', { name: 'x', role: 'support' }, '403 forbidden'],
    ['support', 'POST', 'accounts/peer@example.com/sign-in-link', {}, '403 forbidden'],
    ['support', 'POST', 'accounts/owner@example.com/remove-second-factor', {}, '403 forbidden'],
    ['support', 'DELETE', 'accounts/owner@example.com/sessions', undefined, '403 forbidden'],
    ['support', 'POST', 'accounts/holder@example.com/credits', { amount_usd: '1' }, '403 forbidden'],
    ['support', 'PATCH', 'accounts/holder@example.com/limits', { cap_usd: '9' }, '403 forbidden'],
    ['support', 'POST', 'accounts', { name: 'x', credit_usd: '9' }, '403 forbidden'],
    ['support', 'DELETE', 'accounts/holder@example.com?force=true', undefined, '403 forbidden'],
    ['support', 'PATCH', SETTINGS, { registration: { trial_credit: 100 } }, '403 forbidden'],
    ['finance', 'PATCH', 'models/m', { price: { input: '3' } }, '200'],
    ['finance', 'PATCH', 'models/m', { price: { input: '3' }, routes: [] }, '403 forbidden'],
    ['finance', 'PATCH', 'upstreams/main', { max_concurrency: 1 }, '403 forbidden'],
    ['admin', 'PATCH', 'people/peer@example.com', { role: 'owner' }, '403 forbidden'],
    ['admin', 'POST', 'admin-keys', { name: 'x', role: 'owner' }, '403 forbidden'],
    ['admin', 'DELETE', 'admin-keys/OWNERS', undefined, '403 forbidden'],
    [
      'admin',
      'PATCH',
      SETTINGS,
      { mail: { url: 'smtp://elsewhere.example.com', from: 'a@example.com' } },
      '403 forbidden',
    ],
    ['admin', 'PATCH', SETTINGS, { server: { public_url: 'https://elsewhere.example.com' } }, '403 forbidden'],
    ['admin', 'PATCH', SETTINGS, { server: { trusted_proxies: ['0.0.0.0/0'] } }, '400 bad_request'],
    ['admin', 'PATCH', 'upstreams/main', { base_url: 'https://elsewhere.example.com/v1' }, '400 bad_request'],
    ['admin', 'PATCH', 'upstreams/main', { proxy: 'http://elsewhere.example.com:3128' }, '400 bad_request'],
    ['admin', 'PATCH', 'upstreams/main', { allow_private: true }, '400 bad_request'],
    [
      'admin',
      'POST',
      'upstreams',
      { ...UPSTREAM, id: 'aws', base_url: 'http://169.254.169.254/v1' },
      '400 bad_request',
    ],
    [
      'admin',
      'POST',
      'upstreams',
      { ...UPSTREAM, id: 'gcp', base_url: 'http://metadata.google.internal/v1' },
      '400 bad_request',
    ],
    ['admin', 'POST', 'accounts/holder@example.com/members', { email: 'peer@example.com', role: 'member' }, '200'],
  ] as const)('%s: %s %s %j: %s', async (role, method, path, body, expected) => {
    const before = await rows()
    const answer = await as[role](method, path.replace('OWNERS', ownersKey.id), body ? { body } : {})
    expect(adminOutcome(answer)).toBe(expected)
    if (expected !== '200' || path.endsWith('/limits')) expect(await rows()).toBe(before)
  })

  test('a stored secret cannot be named by another entry, whichever way it is written', async () => {
    const { body } = await as.viewer<{ data: { id: string }[] }>('GET', 'upstreams/main/keys')
    const keys = [{ $secret: body.data[0]?.id }]
    expect(keys[0]?.$secret).toStartWith('sec_')
    const thief = { ...UPSTREAM, base_url: 'https://thief.example.com/v1', keys }
    const { id: _, ...value } = thief
    expect(adminOutcome(await as.admin('POST', 'upstreams', { body: { ...thief, id: 'thief' } }))).toBe(
      '400 bad_request',
    )
    expect(adminOutcome(await as.admin('PATCH', 'upstreams/main', { body: { base_url: thief.base_url, keys } }))).toBe(
      '400 bad_request',
    )
    const entries = [{ kind: 'upstream', id: 'thief', value }]
    const imported = callServer(gateway.home.dataDir, 'config import', { entries })
    expect(imported).rejects.toThrow('must be the secret itself')
    expect(adminOutcome(await as.owner('GET', 'upstreams/thief'))).toBe('404 not_found')
  })

  test('a sign-in link from before a person had a role does not carry the role', async () => {
    const body = { email: 'rising@example.com' }
    await as.owner('POST', 'accounts', { body })
    const link = (await as.support('POST', `accounts/${body.email}/sign-in-link`)).body
    const token = String(link.url).split('#')[1]
    const browser = consoleClient(gateway.url)
    const other = (await as.support('POST', `accounts/${body.email}/sign-in-link`)).body
    expect((await browser.post('setup', { token })).status).toBeGreaterThanOrEqual(400)
    await browser.post('setup', { token: String(other.url).split('#')[1], password: PASSWORD })
    expect((await browser.get('session')).status).toBe(200)
    const last = (await as.support('POST', `accounts/${body.email}/sign-in-link`)).body
    await as.owner('PATCH', `people/${body.email}`, { body: { role: 'admin' } })
    expect((await browser.get('session')).status).toBe(401)
    const late = await browser.post('setup', { token: String(last.url).split('#')[1], password: 'another password' })
    expect(late.body.error?.code).toBe('link_expired')
  })

  test('a key with an expiry or networks makes no key without them', async () => {
    const bounds = { expires_at: '2040-01-01T00:00:00Z', networks: ['127.0.0.0/8'] }
    const bounded = await as.owner<Made>('POST', 'admin-keys', { body: { name: 'b', role: 'admin', ...bounds } })
    const make = async (more: Json) => {
      const body = { name: 'c', role: 'viewer', ...bounds, ...more }
      return adminOutcome(await adminClient(gateway.url, bounded.body.secret)('POST', 'admin-keys', { body }))
    }
    expect(await make({})).toBe('201')
    expect(await make({ networks: ['127.0.0.1'], expires_at: '2039-01-01T00:00:00Z' })).toBe('201')
    for (const more of [
      { expires_at: null },
      { expires_at: '2041-01-01T00:00:00Z' },
      { networks: null },
      { networks: ['0.0.0.0/0'] },
    ])
      expect(await make(more)).toBe('400 bad_request')
  })

  test('costs are not in the rows of the audit log for roles that may not see them', async () => {
    const read = async (role: GatewayRole) =>
      JSON.stringify((await as[role]('GET', 'audit-log?action=model%20create')).body)
    expect(await read('finance')).toContain('0.123')
    for (const role of ['support', 'viewer'] as const) expect(await read(role)).not.toContain('0.123')
  })
})

test('a secret that is wrong is in no response, no dry run and no line of the log', async () => {
  const secret = 'planted-and-wrong'
  const wrong: [string, string, Json][] = [
    ['POST', 'upstreams', { ...UPSTREAM, id: 'x', keys: [`${secret} with spaces`] }],
    ['POST', 'upstreams', { ...UPSTREAM, id: 'x', keys: secret }],
    ['POST', 'upstreams', { ...UPSTREAM, id: 'x', keys: [{ key: secret }] }],
    ['POST', 'upstreams', { ...UPSTREAM, id: 'x', proxy: `socks9://me:${secret}@127.0.0.1` }],
    ['POST', 'upstreams', { ...UPSTREAM, id: 'x', base_url: `https://me:${secret}@one.example.com/v1` }],
    ['POST', 'upstreams/main/keys', { secret: `${secret}\n` }],
    ['PATCH', 'settings', { mail: { url: `imap://me:${secret}@mx.example.com`, from: 'a@example.com' } }],
    ['PATCH', 'settings', { server: { metrics_token: `${secret} x` } }],
    ['PATCH', 'settings', { alerts: { webhooks: [{ url: 'https://hooks.example.com', secret }] } }],
    ['PATCH', 'settings', { media: { s3: { secret_key: { a: secret } } } }],
    ['POST', 'accounts', { email: 'y@example.com', password: [secret] }],
    [
      'POST',
      'upstreams?dry_run=true',
      { ...UPSTREAM, id: 'x', keys: [secret], proxy: `http://me:${secret}@127.0.0.1:1` },
    ],
    ['PATCH', 'settings?dry_run=true', { server: { metrics_token: `${secret}-0123456789` } }],
  ]
  for (const [method, path, body] of wrong) {
    const answer = await as.owner(method, path, { body })
    expect([path, answer.status]).toEqual([path, path.includes('dry_run') ? 200 : 400])
    expect(JSON.stringify(answer.body)).not.toContain(secret)
  }
  expect(gateway.output().stderr + gateway.output().stdout).not.toContain(secret)
})
