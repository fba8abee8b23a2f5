// What every route of the admin API has in common: errors, lists, validators, idempotent requests, dry runs, and who may do what.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { adminRoutes, DRY_RUN } from '../../packages/gateway/src/admin-api/routes.ts'
import { type AdminClient, adminClient, adminOutcome } from '../support/admin/admin-client.ts'
import { eventually } from '../support/eventually.ts'
import { consoleClient, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { operate } from '../support/gateway/operate.ts'

type Row = { id: string; secret: string; balance_usd: string; name: string }
type List = { data: Row[]; has_more: boolean; first_id: string | null; last_id: string | null }

let gateway: Gateway
let owner: AdminClient
let ownersKey = ''
let account = ''
let serial = 0

const adminKey = async (values: Record<string, string>) =>
  (await operate<{ secret: string }>(gateway, 'admin-key create', { name: `key ${++serial}`, ...values })).secret
const clientWith = async (role: string) => adminClient(gateway.url, await adminKey({ role }))
const newKey = async () => (await owner<Row>('POST', 'keys', { body: { account, name: `k${++serial}` } })).body.id
const rows = async () => (await owner<List>('GET', 'audit-log?limit=1')).body.data[0]?.id

beforeAll(async () => {
  gateway = await startGateway()
  ownersKey = await adminKey({ role: 'owner' })
  owner = adminClient(gateway.url, ownersKey)
  const body = { email: 'holder@example.com', credit_usd: '5' }
  account = (await owner<Row>('POST', 'accounts', { body })).body.id
})
afterAll(() => gateway.stop())

describe('errors', () => {
  test('all mistakes of path, query and body are reported at once, and nothing changes', async () => {
    const key = await newKey()
    const before = await rows()
    const body = { name: '', cap_usd: 'much', limits: { rpm: 0, rps: 1 }, account: '7', colour: 'red', reason: 7 }
    const answer = await owner('PATCH', `keys/${key}?dry_run=perhaps&verbose=1`, { body })
    expect(adminOutcome(answer)).toBe('400 bad_request')
    expect(answer.body.error?.details.map(({ param }) => param).sort()).toEqual(
      ['account', 'cap_usd', 'colour', 'dry_run', 'limits.rpm', 'limits.rps', 'name', 'reason', 'verbose'].sort(),
    )
    for (const { message } of answer.body.error?.details ?? []) expect(answer.body.error?.message).toContain(message)
    expect(await rows()).toBe(before)
  })

  test.each([
    ['GET', 'nothing', undefined, '404 not_found'],
    ['POST', 'keys/1', {}, '405 method_not_allowed'],
    ['GET', 'keys/999999', undefined, '404 not_found'],
    ['GET', 'keys/abc', undefined, '404 not_found'],
    ['GET', 'audit-log?limit=0', undefined, '400 bad_request'],
    ['GET', 'audit-log?limit=2&limit=3', undefined, '400 bad_request'],
    ['GET', 'audit-log?page=2', undefined, '400 bad_request'],
    ['DELETE', `keys/999999?reason=${'x'.repeat(501)}`, undefined, '400 bad_request'],
    ['GET', 'audit-log?reason=x', undefined, '400 bad_request'],
    ['POST', 'keys', '{"name":', '400 bad_request'],
    ['POST', 'keys', [], '400 bad_request'],
    ['POST', 'keys', 'x'.repeat(1_100_000), '413 request_too_large'],
    ['POST', 'accounts', { email: 'holder@example.com' }, '409 address_taken'],
  ] as const)('%s %s', async (method, path, body, expected) => {
    const answer = await owner(method, path, body === undefined ? {} : { body })
    expect(adminOutcome(answer)).toBe(expected)
    expect(Object.keys(answer.body.error ?? {}).sort()).toEqual(['code', 'details', 'message', 'param', 'type'])
  })
})

test('a list is read in both directions, and every row is on one page', async () => {
  for (let made = 0; made < 5; made += 1) await adminKey({ role: 'viewer' })
  const all = (await owner<List>('GET', 'admin-keys')).body.data.map(({ id }) => id)
  const pages: string[][] = []
  let page = (await owner<List>('GET', 'admin-keys?limit=2')).body
  for (; ; page = (await owner<List>('GET', `admin-keys?limit=2&after=${page.last_id}`)).body) {
    pages.push(page.data.map(({ id }) => id))
    expect([page.first_id, page.last_id]).toEqual([pages.at(-1)?.[0] ?? null, pages.at(-1)?.at(-1) ?? null])
    if (!page.has_more) break
  }
  expect(pages.flat()).toEqual(all)
  const back = (await owner<List>('GET', `admin-keys?limit=2&before=${pages.at(-1)?.[0]}`)).body
  expect(back.data.map(({ id }) => id)).toEqual(all.slice(0, -(pages.at(-1)?.length ?? 0)).slice(-2))
  expect(back.has_more).toBe(true)
  const first = (await owner<List>('GET', `admin-keys?limit=50&before=${all[2]}`)).body
  expect([first.data.map(({ id }) => id), first.has_more]).toEqual([all.slice(0, 2), false])
})

test('PATCH changes what is there: absent fields stay, null removes', async () => {
  const key = await newKey()
  await owner('PATCH', `keys/${key}`, { body: { cap_usd: '5', cap_period: 'day', limits: { rpm: 5, tpm: 6 } } })
  const { body } = await owner('PATCH', `keys/${key}`, { body: { cap_usd: null, limits: { rpm: null } } })
  expect(body).toMatchObject({ object: 'key', id: key, cap_usd: null, cap_period: null })
  expect(body.limits).toEqual({ rpm: null, tpm: 6, concurrent: null })
})

test('an account is named, given a credit line and limits, and its people are signed out', async () => {
  const email = 'wide@example.com'
  await operate(gateway, 'account create', { email, password: PASSWORD, credit: '0' })
  const path = `accounts/${email}`
  const browser = consoleClient(gateway.url)
  await browser.post('sign-in', { email, password: PASSWORD })
  const edited = await owner('PATCH', path, { body: { name: 'Acme', credit_line_usd: 'unlimited' } })
  expect(edited.body).toMatchObject({ object: 'account', name: 'Acme', credit_line_usd: 'unlimited' })
  expect((await owner('PATCH', path, { body: { credit_line_usd: '7.5' } })).body).toMatchObject({
    name: 'Acme',
    available_usd: '7.50',
  })
  expect((await owner('GET', `${path}/members`)).body.people).toMatchObject([{ email, role: 'owner', cap_usd: null }])
  expect((await owner<{ sessions: object[] }>('GET', `${path}/sessions`)).body.sessions).toHaveLength(1)
  expect((await owner('DELETE', `${path}/sessions`)).body).toMatchObject({ object: 'sessions', email, sessions: [] })
  expect((await browser.get('session')).status).toBe(401)
  const [finance, support] = [await clientWith('finance'), await clientWith('support')]
  const named = (client: AdminClient) => client('PATCH', path, { body: { name: 'Other' } })
  const lent = (client: AdminClient) => client('PATCH', path, { body: { credit_line_usd: '1' } })
  expect([await named(finance), await lent(finance)].map(adminOutcome)).toEqual(['403 forbidden', '200'])
  expect([await named(support), await lent(support)].map(adminOutcome)).toEqual(['200', '403 forbidden'])
})

describe('validators', () => {
  test('If-Match lets a change pass once; traffic and reading do not count as changes', async () => {
    const key = await newKey()
    const tag = async () => (await owner('GET', `keys/${key}`)).headers.get('etag') ?? ''
    const first = await tag()
    expect(await tag()).toBe(first)
    const change = (name: string, ifMatch: string) =>
      owner('PATCH', `keys/${key}`, { body: { name }, headers: { 'if-match': ifMatch } })
    expect(adminOutcome(await change('one', first))).toBe('200')
    expect(adminOutcome(await change('two', first))).toBe('412 precondition_failed')
    expect(adminOutcome(await change('three', `"other", ${await tag()}`))).toBe('200')
    expect(adminOutcome(await change('four', '*'))).toBe('200')
    const rotate = { headers: { 'if-match': first } }
    expect(adminOutcome(await owner('POST', `keys/${key}/rotate`, rotate))).toBe('412 precondition_failed')
    expect(adminOutcome(await owner('DELETE', `keys/${key}`, rotate))).toBe('412 precondition_failed')
    const account = await owner('GET', 'accounts/holder@example.com')
    await owner('POST', 'accounts/holder@example.com/credits', { body: { amount_usd: '1' } })
    const again = await owner('GET', 'accounts/holder@example.com')
    expect(again.headers.get('etag')).toBe(account.headers.get('etag'))
    expect(again.body.balance_usd).not.toBe(account.body.balance_usd)
  })
})

describe('idempotent requests', () => {
  const credit = (key: string, amount: string) =>
    owner<Row>('POST', `accounts/${account}/credits`, {
      body: { amount_usd: amount },
      headers: { 'idempotency-key': key },
    })
  const create = (key: string, name: string) =>
    owner<Row>('POST', 'keys', { body: { account, name }, headers: { 'idempotency-key': key } })

  test('sent at once and again, a request is performed once and has one response', async () => {
    const before = Number((await owner<Row>('GET', `accounts/${account}`)).body.balance_usd)
    const attempts = await Promise.all(Array.from({ length: 6 }, () => credit('credit-1', '2')))
    expect(attempts.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(attempts.every(({ status }) => status === 200 || status === 409)).toBe(true)
    const replayed = await credit('credit-1', '2')
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(Number(replayed.body.balance_usd)).toBe(before + 2)

    const made = await Promise.all(Array.from({ length: 6 }, () => create('key-1', 'once')))
    const again = await create('key-1', 'once')
    const secrets = new Set([...made, again].flatMap(({ status, body }) => (status === 201 ? [body.secret] : [])))
    expect(secrets.size).toBe(1)
  })

  test('after a restart, too; another body is rejected, and so is a wrong key', async () => {
    const first = await create('key-2', 'kept')
    await gateway.kill()
    const { dataDir } = gateway.home
    const stored = readdirSync(dataDir).filter((file) => file.includes('.db'))
    for (const file of stored) expect(readFileSync(join(dataDir, file)).includes(first.body.secret)).toBe(false)
    expect(stored).toContain('contents.db')
    gateway = await startGateway({ home: gateway.home })
    owner = adminClient(gateway.url, ownersKey)
    const again = await create('key-2', 'kept')
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(adminOutcome(await create('key-2', 'other'))).toBe('409 idempotency_mismatch')
    expect(adminOutcome(await create('', 'other'))).toBe('400 bad_request')
  })

  test('what a crash left without a result is not performed again, except for a credit, which is booked once', async () => {
    const made = await create('key-4', 'lost')
    const booked = await credit('credit-3', '3')
    await gateway.kill()
    // As if the process had died after the change, and before it kept the response, two minutes ago.
    const contents = new Database(join(gateway.home.dataDir, 'contents.db'))
    contents.run('UPDATE idempotency SET cost = NULL, claimed_at = claimed_at - 120000 WHERE cost IS NOT NULL')
    contents.close()
    gateway = await startGateway({ home: gateway.home })
    owner = adminClient(gateway.url, ownersKey)
    const again = await create('key-4', 'lost')
    expect(adminOutcome(again)).toBe('409 conflict')
    expect(again.body.error?.message).toContain('unknown')
    expect((await owner<Row>('GET', `keys/${made.body.id}`)).status).toBe(200)
    expect((await credit('credit-3', '3')).body.balance_usd).toBe(booked.body.balance_usd)
  })

  test('a rejected request may be sent again with the same key', async () => {
    expect(adminOutcome(await create('key-3', ''))).toBe('400 bad_request')
    expect(adminOutcome(await credit('credit-2', '-1000'))).toBe('409 insufficient_balance')
    expect(adminOutcome(await credit('credit-2', '1000'))).toBe('200')
  })
})

describe('dry runs', () => {
  test('say what would change, write nothing, and reject what would be rejected', async () => {
    const key = await newKey()
    const before = await rows()
    const dry = async (method: string, path: string, body?: object) => {
      const answer = await owner(method, `${path}?dry_run=true`, body === undefined ? {} : { body })
      if (answer.status === 200) expect(Value.Check(DRY_RUN, answer.body)).toBe(true)
      return answer
    }
    expect((await dry('PATCH', `keys/${key}`, { name: 'new' })).body).toMatchObject({
      action: 'key limit',
      target: `key/${key}`,
      after: { name: 'new' },
    })
    expect((await dry('DELETE', `keys/${key}`)).body).toMatchObject({ action: 'key delete', target: `key/${key}` })
    expect((await dry('POST', 'keys', { account, name: 'x' })).body).toMatchObject({ action: 'key create' })
    expect((await dry('POST', 'accounts', { name: 'robot' })).body).toMatchObject({ action: 'account create' })
    expect((await dry('POST', 'codes', { amount_usd: '5' })).body).toMatchObject({ action: 'code create' })
    expect((await dry('POST', 'admin-keys', { name: 'x', role: 'owner' })).body).toMatchObject({ target: null })
    const taken = await dry('POST', 'accounts', { email: 'holder@example.com' })
    expect(adminOutcome(taken)).toBe('409 address_taken')
    const tooMuch = await dry('POST', `accounts/${account}/credits`, { amount_usd: '-1000000' })
    expect(adminOutcome(tooMuch)).toBe('409 insufficient_balance')
    expect(await rows()).toBe(before)
    expect((await owner<Row>('GET', `keys/${key}`)).body).toMatchObject({ state: 'active' })
  })

  test('every change takes it', () => {
    for (const { method, query } of adminRoutes())
      expect(Object.hasOwn(query.properties, 'dry_run')).toBe(method !== 'GET')
  })
})

describe('rights', () => {
  const personWith = async (role: string) => {
    const email = `person${++serial}@example.com`
    await operate(gateway, 'account create', { email, password: PASSWORD })
    if (role !== 'none') await operate(gateway, 'person role', { email, role })
    return email
  }

  test('nobody gives more than they have, acts on a higher role, or makes a key with more than their own', async () => {
    const admin = await clientWith('admin')
    const [boss, peer, nobody] = [await personWith('owner'), await personWith('admin'), await personWith('none')]
    const role = (email: string, role: string | null) => admin('PATCH', `people/${email}`, { body: { role } })
    expect(adminOutcome(await role(nobody, 'owner'))).toBe('403 forbidden')
    expect(adminOutcome(await role(nobody, 'admin'))).toBe('403 forbidden')
    expect(adminOutcome(await role(boss, null))).toBe('403 forbidden')
    expect(adminOutcome(await role(peer, 'viewer'))).toBe('403 forbidden')
    expect(adminOutcome(await role(nobody, 'support'))).toBe('200')
    expect(adminOutcome(await admin('POST', `people/${boss}/disable`))).toBe('403 forbidden')
    expect(adminOutcome(await admin('POST', `accounts/${boss}/sign-in-link`))).toBe('403 forbidden')
    const make = (role: string) => admin<Row>('POST', 'admin-keys', { body: { name: role, role } })
    expect(adminOutcome(await make('owner'))).toBe('403 forbidden')
    const own = await make('admin')
    expect(own.status).toBe(201)
    const ownersKey = (await owner<Row>('POST', 'admin-keys', { body: { name: 'boss', role: 'owner' } })).body.id
    expect(adminOutcome(await admin('DELETE', `admin-keys/${ownersKey}`))).toBe('403 forbidden')
    expect(adminOutcome(await admin('DELETE', `admin-keys/${own.body.id}`))).toBe('200')
    expect(adminOutcome(await adminClient(gateway.url, own.body.secret)('GET', 'admin-keys'))).toBe(
      '401 invalid_admin_key',
    )
  })

  test('a key stops with the role of the person who made it, and with the keys that it made itself', async () => {
    const email = await personWith('admin')
    const browser = consoleClient(gateway.url)
    await browser.post('sign-in', { email, password: PASSWORD })
    const session = adminClient(gateway.url)
    const made = await session<Row>('POST', 'admin-keys', {
      body: { name: 'by a person', role: 'support' },
      headers: { cookie: `trivium_session=${browser.token()}`, origin: gateway.url },
    })
    const first = adminClient(gateway.url, made.body.secret)
    const works = async (client: AdminClient) => adminOutcome(await client('GET', `accounts/${account}`))
    expect(await works(first)).toBe('200')
    const role = (role: string | null) => owner('PATCH', `people/${email}`, { body: { role } })
    for (const [given, expected] of [
      ['finance', '401 invalid_admin_key'],
      ['support', '200'],
      [null, '401 invalid_admin_key'],
      ['admin', '200'],
    ] as const) {
      await role(given)
      expect(await works(first)).toBe(expected)
    }
    await owner('POST', `people/${email}/disable`)
    expect(await works(first)).toBe('401 invalid_admin_key')
    await owner('POST', `people/${email}/enable`)
    expect(await works(first)).toBe('200')
  })

  test('a dry run tells whose access ends, and the audit log who did what, by their names', async () => {
    const email = await personWith('admin')
    const browser = consoleClient(gateway.url)
    await browser.post('sign-in', { email, password: PASSWORD })
    const headers = { cookie: `trivium_session=${browser.token()}`, origin: gateway.url }
    const client = adminClient(gateway.url)
    const made = await client<Row & { made_by_email: string }>('POST', 'admin-keys', {
      body: { name: 'nightly', role: 'support', reason: 'a report' },
      headers,
    })
    expect(made.body.made_by_email).toBe(email)
    const effects = async (method: string, path: string, body: object) =>
      (await owner<{ effects: object }>(method, `people/${email}${path}?dry_run=true`, { body })).body.effects
    expect(await effects('POST', '/disable', {})).toEqual({
      sessions_ended: 1,
      admin_keys_stopped: 1,
      keys_stopped: 0,
      keys_made_as_operator: 0,
    })
    expect(await effects('PATCH', '', { role: 'finance' })).toEqual({ sessions_ended: 0, admin_keys_stopped: 1 })
    expect(await effects('PATCH', '', { role: 'owner' })).toEqual({ sessions_ended: 1, admin_keys_stopped: 0 })
    expect(await effects('POST', '/enable', {})).toEqual({})

    type Audited = { action: string; actor_name: string; target_name: string; after: object; reason: string }
    const read = async (query: string) => (await owner<{ data: Audited[] }>('GET', `audit-log?${query}`)).body.data
    expect(await read(`actor=${email}`)).toMatchObject([
      { action: 'admin-key create', actor_name: email, target_name: 'nightly', reason: 'a report' },
      {
        action: 'sign-in succeeded',
        actor_name: email,
        target_name: email,
        after: { by: 'password', second_factor: false },
      },
    ])
    expect((await read(`actor=${email}&action=admin-key`)).map(({ action }) => action)).toEqual(['admin-key create'])
    expect(await read('actor=nobody@example.com')).toEqual([])
  })

  test('a key works until it expires, from its networks, and shows when it was used', async () => {
    const secret = await adminKey({ role: 'viewer', ips: '192.0.2.0/24', expires: '2099-01-01T00:00:00Z' })
    const elsewhere = await adminClient(gateway.url, secret)('GET', `accounts/${account}`)
    expect(adminOutcome(elsewhere)).toBe('403 address_not_allowed')
    const [newest] = (await owner<{ data: Record<string, unknown>[] }>('GET', 'admin-keys?limit=1')).body.data
    expect(newest).toMatchObject({
      object: 'admin_key',
      networks: ['192.0.2.0/24'],
      expires_at: '2099-01-01T00:00:00.000Z',
      last_used_at: null,
      last_four: secret.slice(-4),
    })
    expect(JSON.stringify(newest)).not.toContain(secret)
    const shown = (await owner<{ data: { last_used_at: string | null }[] }>('GET', 'admin-keys')).body.data
    expect(shown.some((each) => each.last_used_at !== null)).toBe(true)
  })
})

test('wrong credentials are limited by network, leave one row a minute, and do not lock valid keys out', async () => {
  const wrong = adminClient(gateway.url, `ak-${'a'.repeat(43)}`)
  const outcomes = new Set<string>()
  for (let sent = 0; sent < 40; sent += 1) outcomes.add(adminOutcome(await wrong('GET', 'admin-keys')))
  expect([...outcomes]).toEqual(['401 invalid_admin_key', '429 too_many_tries'])
  expect(adminOutcome(await owner('GET', 'admin-keys'))).toBe('200')
  await consoleClient(gateway.url).post('sign-in', { email: 'holder@example.com', password: 'a wrong password' })
  const traces = async (action: string) => {
    const { data } = (await owner<{ data: { action: string; address: string }[] }>('GET', 'audit-log')).body
    return data.filter((row) => row.action === action).map(({ address }) => address)
  }
  for (const action of ['admin-key rejected', 'sign-in failed']) {
    // Nobody waits for the row.
    await eventually(async () => (await traces(action)).length > 0)
    expect(await traces(action)).toEqual(['127.0.0.1'])
  }
})
