// A company's tokens in place of API keys, in every dialect and on both engines; on PostgreSQL at two nodes, of which each hears of what the
// other did. What is wrong with a token by itself is tested beside the code.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { startTokenProvider, type TokenProvider } from '../../packages/gateway/test-support/token-provider.ts'
import { eventually } from '../support/eventually.ts'
import { askStore } from '../support/gateway/ask-store.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES, homeOnSameDatabase } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'
import { BASE_PATH, bodyIn, CLIENTS, headersIn, pathIn } from '../support/requests/dialect-calls.ts'
import { respondInDialect, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

const [SHARED, OWN] = ['https://gw.example.com', 'https://own.example.com']
const HOUR = 3_600
const DIALECTS = Object.keys(BASE_PATH) as TextDialectId[]

let upstream: Upstream
let company: TokenProvider
beforeAll(async () => {
  upstream = await startUpstream()
  company = await startTokenProvider()
})
afterAll(() => {
  upstream.stop()
  company.stop()
})
beforeEach(() => upstream.behave(respondInDialect))

const config = () => `
registration: { open: false }
sandbox: true
compatibility: { litellm: true }
upstreams:
${DIALECTS.map((id) => `  - { id: ${id}, dialect: ${id}, base_url: "${new URL(upstream.url).origin}${BASE_PATH[id]}", keys: [k], breaker: false }`).join('\n')}
models:
${DIALECTS.map((id) => `  - { id: ${id}-model, routes: [{ upstream: ${id} }], price: { input: 1, output: 4 } }`).join('\n')}
groups: [{ id: default, models: ["*"] }, { id: staff, models: ["*"], multiplier: 2 }]
sign_in:
  providers:
    - { id: company, name: Example, issuer: "${company.issuer}", client_id: trivium, client_secret: "a-secret-of-the-client", domains: [example.com] }
  api_tokens:
    - provider: company
      audiences: ["${SHARED}"]
      account_claim: department
      accounts: { research: research }
      group_claim: realm.roles
      groups: { boss: staff }
      tags: { team: department, project: project }
      creates: true
    - { provider: company, audiences: ["${OWN}"] }
`

type Key = {
  id: string
  name: string
  purpose: string
  made_by_email: string
  state: string
  group: string
  spent_usd: string
}
type Claims = Record<string, unknown>

const claimsOf = (sub: string, more: Claims = {}): Claims => {
  const now = Math.floor(Date.now() / 1_000)
  const person = { sub, email: `${sub}@example.com`, email_verified: true, department: 'research' }
  return { iss: company.issuer, aud: SHARED, iat: now, exp: now + HOUR, ...person, ...more }
}
const tokenOf = (sub: string, more: Claims = {}) => company.sign(claimsOf(sub, more))

type Options = { dialect?: TextDialectId; headers?: Record<string, string>; at?: Gateway }

describe.each(ENGINES)('%s', (engine) => {
  let nodes: Gateway[] = []
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: config(), env: { TRIVIUM_LOG: 'requests' } })
    nodes = [gateway]
    if (engine === 'postgres') nodes.push(await startGateway({ home: homeOnSameDatabase(gateway.home, config()) }))
    await operate(gateway, 'account create', { name: 'research', credit: '100' })
  })
  afterAll(() => Promise.all(nodes.map((node) => node.stop())))

  async function send(token: string, { dialect = 'chat', headers, at = gateway }: Options = {}) {
    const call = { model: `${dialect}-model` }
    const ask = () =>
      fetch(at.url + pathIn(dialect, call), {
        method: 'POST',
        headers: {
          ...(headers
            ? { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers }
            : headersIn(dialect, token)),
        },
        body: JSON.stringify(bodyIn(dialect, call)),
      })
    let response = await ask()
    // As every SDK does while a machine is busy.
    for (let tries = 0; response.status === 503 && tries < 5; tries++) response = await ask()
    const body = (await response.json()) as { error?: { message: string } }
    return {
      status: response.status,
      id: response.headers.get('x-request-id') ?? '',
      body,
      said: body.error?.message ?? '',
    }
  }
  const onAll = async (token: string) => {
    const all: [number, string][] = []
    for (const at of nodes)
      all.push(await send(token, { at }).then(({ status, said }): [number, string] => [status, said]))
    return all
  }
  const expectOnAll = async (token: string, status: number, said: string) => {
    for (const found of await onAll(token)) expect(found).toEqual([status, expect.stringContaining(said)])
  }
  const keysOf = async (sub: string, account = 'research') =>
    (await operate<Key[]>(gateway, 'key list', { account })).filter((key) => key.made_by_email === `${sub}@example.com`)
  const receipt = async (token: string, id: string) => {
    const response = await fetch(`${gateway.url}/v1/usage/${id}`, { headers: { authorization: `Bearer ${token}` } })
    return [response.status, (await response.json()) as Record<string, unknown>] as const
  }
  const auditOf = async (object: string) =>
    (await operate<{ action: string; object: string; actor: string }[]>(gateway, 'audit-log'))
      .filter((row) => row.object === object)
      .map(({ action }) => action)

  test.each(
    CLIENTS,
  )('%s: the token is the key, in the header of the dialect; nothing of it goes upstream or into the log', async (dialect) => {
    const token = await tokenOf('ada')
    const before = upstream.received.length
    for (const at of nodes) expect(await send(token, { dialect, at })).toMatchObject({ status: 200 })
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key', 'x-litellm-api-key', 'api-key']) {
      const value = name === 'authorization' ? `bearer ${token}` : token
      const found = await send(token, { dialect, headers: { [name]: value } })
      expect([name, found.status]).toEqual([name, name === 'api-key' ? 401 : 200])
    }
    const [, , signature = ''] = token.split('.')
    for (const { head, body } of upstream.received.slice(before))
      expect(head + body.toString()).not.toContain(signature)
    for (const node of nodes) {
      const { stdout, stderr } = node.output()
      expect(stdout + stderr).not.toContain(signature)
    }
    expect(await send(token, { dialect, headers: { authorization: `Bearer ${token}x` } })).toMatchObject({
      status: 401,
      said: expect.stringMatching(/signature/),
    })
  })

  test('one key for each person, made at the first request, however many come at once', async () => {
    const token = await tokenOf('grace')
    const all = await Promise.all(
      Array.from({ length: 24 }, (_, each) => send(token, { at: nodes[each % nodes.length] as Gateway })),
    )
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    const [key, ...others] = await keysOf('grace')
    expect(others).toEqual([])
    expect(key).toMatchObject({
      name: 'Company token of grace@example.com',
      purpose: 'token',
      group: 'default',
      state: 'active',
    })
    expect(await auditOf(`key/${key?.id}`)).toContain('key create')
    expect(Number(key?.spent_usd)).toBeGreaterThan(0)
    // Another token of the same person, and the person in the rows of the ledger.
    const next = await send(await tokenOf('grace', { session: 2 }))
    const rows = await askStore(gateway.home, `SELECT DISTINCT key FROM request WHERE key = ${key?.id}`)
    expect(rows.length).toBe(1)
    expect(await receipt(token, next.id)).toMatchObject([200, { key_id: key?.id }])
    // Not those of colleagues, though the account is the same.
    expect((await receipt(await tokenOf('ada'), next.id))[0]).toBe(404)
  })

  test('claims choose the group and add tags, which the request cannot change', async () => {
    const [plain, boss] = [
      await tokenOf('alan'),
      await tokenOf('alan', { realm: { roles: ['x', 'boss'] }, project: ['p1', 'p2'] }),
    ]
    const [cheap, expensive] = [await send(plain), await send(boss)]
    const [, one] = await receipt(plain, cheap.id)
    const [, two] = await receipt(plain, expensive.id)
    expect(Number(two.cost_usd)).toBe(2 * Number(one.cost_usd))
    expect([one.tags, two.tags]).toEqual([['team=research'], ['project=p1', 'project=p2', 'team=research']])
    const tagged = (tags: string) =>
      send(plain, { headers: { authorization: `Bearer ${plain}`, 'x-trivium-tags': tags } })
    expect((await receipt(plain, (await tagged('env=prod')).id))[1].tags).toEqual(['env=prod', 'team=research'])
    expect(await tagged('team=sales')).toMatchObject({ status: 400, said: expect.stringContaining('team=research') })
    expect(await send(await tokenOf('alan', { project: 'a,b' }))).toMatchObject({
      status: 400,
      said: expect.stringContaining('The claim project'),
    })
  })

  test('caps and limits of the key and of the member hold', async () => {
    const token = await tokenOf('kurt')
    expect((await send(token)).status).toBe(200)
    const [key] = await keysOf('kurt')
    const id = key?.id ?? ''
    await operate(gateway, 'key limit', { key: id, rpm: '1' })
    await send(token)
    expect((await send(token)).status).toBe(429)
    await operate(gateway, 'key limit', { key: id, rpm: 'none', cap: '0.000000001' })
    await eventually(async () => (await onAll(token)).every(([status]) => status === 402))
    await operate(gateway, 'key limit', { key: id, cap: 'none' })
    await operate(gateway, 'account member', { account: 'research', email: 'kurt@example.com', cap: '0.0000001' })
    await expectOnAll(token, 402, 'cap')
    await operate(gateway, 'account member', { account: 'research', email: 'kurt@example.com', cap: 'none' })
    await eventually(async () => (await onAll(token)).every(([status]) => status === 200))
    await expect(operate(gateway, 'key rotate', { key: id })).rejects.toThrow('can be deleted, not rotated')
  })

  test('who is disabled, removed or stopped is out at the next request on every node', async () => {
    const [token, email] = [await tokenOf('emmy'), 'emmy@example.com']
    await expectOnAll(token, 200, '')
    await operate(gateway, 'person disable', { email })
    await expectOnAll(token, 403, 'is disabled here')
    await operate(gateway, 'person enable', { email })
    await eventually(async () => (await onAll(token)).every(([status]) => status === 200))
    for (const keys of [{}, { keys: 'keep' }]) {
      await operate(gateway, 'account member', { account: 'research', email, role: 'none', ...keys })
      await expectOnAll(token, 401, 'was removed from the account')
      await expectOnAll(await tokenOf('emmy', { other: keys }), 401, 'was removed from the account')
      await operate(gateway, 'account member', { account: 'research', email, role: 'member' })
      await eventually(async () => (await onAll(token)).every(([status]) => status === 200))
    }
    const [key, ...others] = await keysOf('emmy')
    expect(others).toEqual([])
    await operate(gateway, 'key delete', { key: key?.id ?? '' })
    await expectOnAll(token, 401, 'deleted')
    await expectOnAll(await tokenOf('emmy', { other: 1 }), 401, 'the key that they count under is deleted')
  })

  test('people are entered only if the setting says so', async () => {
    await expectOnAll(await tokenOf('nobody', { aud: OWN }), 401, 'is unknown here. Ask the operator')
    await expectOnAll(await tokenOf('nobody', { aud: OWN, email_verified: false }), 401, 'no proved email address')
    await expectOnAll(await tokenOf('nobody', { email: 'nobody@elsewhere.org' }), 401, "none of the provider's domains")
    await expectOnAll(await tokenOf('nobody', { department: 'sales' }), 401, 'is of no account of this gateway')
    const people = async () => (await operate<{ email: string }[]>(gateway, 'person list')).map(({ email }) => email)
    expect(await people()).not.toContain('nobody@example.com')
    // With an account of their own they are known by their address, and from then on by the subject.
    await operate(gateway, 'account create', { email: 'own@example.com', credit: '1' })
    const own = await tokenOf('own', { aud: OWN })
    await expectOnAll(own, 200, '')
    expect(await keysOf('own', 'own@example.com')).toMatchObject([{ purpose: 'token' }])
    await expectOnAll(await tokenOf('own', { aud: OWN, email: 'renamed@example.com' }), 200, '')
  })

  test('a background response runs with the group of the token, and is seen by the person alone', async () => {
    const token = await tokenOf('konrad', { realm: { roles: ['boss'] } })
    const at = (of: string, path: string, body?: object) =>
      fetch(`${gateway.url}/v1/responses${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${of}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    type Found = { id: string; status: string }
    const request = { model: 'sandbox-text', input: 'Say 3 words.' }
    const foreground = (await (await at(token, '', request)).json()) as Found
    const queued = (await (await at(token, '', { ...request, background: true })).json()) as Found
    await eventually(async () => ((await (await at(token, `/${queued.id}`)).json()) as Found).status === 'completed')
    expect((await at(await tokenOf('ada'), `/${queued.id}`)).status).toBe(404)
    const [, one] = await receipt(token, `req_${foreground.id.slice(5)}`)
    const [, two] = await receipt(token, `req_${queued.id.slice(5)}`)
    expect([two.cost_usd, two.key_id]).toEqual([one.cost_usd, one.key_id])
  })

  test('a token in a URL, and a token where a person is expected, are rejected', async () => {
    const token = await tokenOf('ada')
    const path = pathIn('generate-content', { model: 'generate-content-model' })
    const answer = await fetch(`${gateway.url}${path}?key=${token}`, { method: 'POST', body: '{}' })
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('not accepted in a URL')])
    for (const route of ['/admin/v1/keys', '/console/api/session', '/metrics']) {
      const { status } = await fetch(gateway.url + route, { headers: { authorization: `Bearer ${token}` } })
      expect([route, status]).toEqual([route, route === '/metrics' ? 200 : 401])
    }
  })
})
