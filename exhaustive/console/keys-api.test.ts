// Keys in the console API, on both engines: what an account may do with its own keys, and nothing with those of others.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import type { KeyPage, KeyRow, KeyWithSecret } from '../../packages/console/src/api/types.ts'
import { eventually } from '../../test/support/eventually.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'

const CONFIG = `
models:
  - { id: small, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1, output: 4 } }
  - { id: large, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 10, output: 40 } }
groups:
  - { id: default, models: [small] }
  - { id: offered, models: [small, large], multiplier: 1.5, console: true }
  - { id: personal, models: [large], accounts: [owner@example.com] }
  - { id: internal, models: [large] }
`
type Created = { id: string; secret: string }
const MESSAGES = [{ role: 'user', content: 'Hello' }]
const MOST = 1_000_000_000

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  let owner: ConsoleClient
  let otherHolder: ConsoleClient
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: CONFIG })
    owner = await person('owner')
    otherHolder = await person('other-holder')
  })
  afterAll(() => gateway.stop())

  async function person(name: string): Promise<ConsoleClient> {
    const email = `${name}@example.com`
    await gateway.command('account', 'create', '--email', email, '--password', PASSWORD, '--credit', '10')
    const client = consoleClient(gateway.url)
    expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD }))).toBe('200')
    return client
  }
  async function created(body: object, client = owner): Promise<KeyWithSecret> {
    const answer = await client.post<KeyWithSecret>('keys', body)
    expect(outcomeOf(answer)).toBe('201')
    return answer.body
  }
  const change = (id: string, body: object, client = owner) => client.post<KeyRow>(`keys/${id}`, body)
  const call = async (secret: string, model = 'small'): Promise<number> => {
    const response = await chat(gateway.url, secret, { model, messages: MESSAGES, max_tokens: 20 })
    await response.text()
    return response.status
  }
  /** A free call, whose caller comes from the cache if it is there: no hold looks at the key's row. */
  const models = async (secret: string): Promise<number> => {
    const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })
    await response.text()
    return response.status
  }
  async function configure(text: string): Promise<void> {
    const reloads = () => gateway.output().stderr.split('"configuration reloaded"').length
    const before = reloads()
    writeFileSync(gateway.home.configFile, text)
    await eventually(() => reloads() > before)
  }
  const listed = async (query: string, client = owner): Promise<KeyPage> =>
    (await client.get<KeyPage>(`keys${query}`)).body

  test('a key works while its group is offered to the account that chose it; one by the operator keeps its group', async () => {
    const operators = async (name: string, ...terms: string[]) =>
      await gateway.command<Created>('key', 'create', '--name', name, '--account', 'owner@example.com', ...terms)
    const own = (await created({ name: 'own', group: 'personal' })).secret
    const [given, moved] = [await operators('given', '--group', 'personal'), await operators('moved')]
    expect(outcomeOf(await change(given.id, { group: 'offered' }))).toBe('400 bad_request')
    expect(outcomeOf(await change(moved.id, { group: 'offered' }))).toBe('200')
    expect(outcomeOf(await change(moved.id, { group: 'personal' }))).toBe('200')
    const statuses = async () =>
      await Promise.all([own, given.secret, moved.secret].flatMap((key) => [call(key, 'large'), models(key)]))
    const USABLE = [200, 200, 200, 200, 200, 200]
    expect(await statuses()).toEqual(USABLE)
    await configure(CONFIG.replace(', accounts: [owner@example.com]', ''))
    expect(await statuses()).toEqual([403, 403, 200, 200, 403, 403])
    const rejected = await chat(gateway.url, own, { model: 'large', messages: MESSAGES })
    expect(await rejected.text()).toContain("group 'personal' is no longer offered to your account")
    await configure(CONFIG)
    expect(await statuses()).toEqual(USABLE)
    for (const { id } of (await listed('?state=active')).items) await owner.delete(`keys/${id}`)
  })

  test('an account creates, rotates and deletes so many keys per hour; others are not affected', async () => {
    const churner = await person('churner')
    const last = { id: '' }
    const outcomes = { create: [] as string[], rotate: [] as string[] }
    for (let index = 0; index < 202; index++) {
      const answer = await churner.post<KeyWithSecret>('keys', { name: `key ${index}` })
      outcomes.create.push(outcomeOf(answer))
      if (answer.status !== 201) continue
      if (last.id !== '') expect(outcomeOf(await churner.delete(`keys/${last.id}`))).toBe('200')
      last.id = answer.body.key.id
    }
    for (let index = 0; index < 102; index++)
      outcomes.rotate.push(outcomeOf(await churner.post(`keys/${last.id}/rotate`, { grace_seconds: 0 })))
    const limited = Array(2).fill('429 too_many_tries')
    expect(outcomes.create).toEqual([...Array(200).fill('201'), ...limited])
    expect(outcomes.rotate).toEqual([...Array(100).fill('200'), ...limited])
    const { status, headers, body } = await churner.post('keys', { name: 'one more' })
    expect([status, body.error?.message]).toEqual([429, expect.stringContaining('200 keys per hour')])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect((await listed('', churner)).total).toBe(200)
    expect(outcomeOf(await churner.delete(`keys/${last.id}`))).toBe('200')
    const { key } = await created({ name: 'of another account' })
    expect(outcomeOf(await owner.delete(`keys/${key.id}`))).toBe('200')
  })

  test('groups: default, those offered to all, and those that name the account', async () => {
    const groups = { default: ['1', 1], offered: ['1.5', 2], personal: ['1', 1] }
    const rows = async (client: ConsoleClient) =>
      Object.fromEntries(
        (await client.get<{ id: string; multiplier: string; models: number }[]>('groups')).body.map(
          ({ id, multiplier, models }) => [id, [multiplier, models]],
        ),
      )
    expect(await rows(owner)).toEqual(groups)
    const { personal: _, ...others } = groups
    expect(await rows(otherHolder)).toEqual(others)
  })

  test('a new key works, its secret is shown once, and its row says what it may', async () => {
    const expires = new Date(Date.now() + 86_400_000).toISOString()
    const terms = {
      name: '  laptop ',
      group: 'offered',
      cap_usd: '12.5',
      cap_period: 'month',
      expires_at: expires,
      models: ['small', 'small'],
      networks: ['127.0.0.1', '::1/128'],
      limits: { rpm: 60, concurrent: 4 },
    }
    const { key, secret } = await created(terms)
    expect(secret).toMatch(/^sk-/)
    const limits = { rpm: null, tpm: null, concurrent: null }
    expect(key).toEqual({
      id: expect.any(String),
      name: 'laptop',
      group: 'offered',
      purpose: 'client',
      state: 'active',
      last_four: secret.slice(-4),
      created_at: expect.any(String),
      made_by: expect.any(String),
      made_by_email: expect.stringContaining('@'),
      made_by_operator: false,
      own_since: null,
      expires_at: expires,
      last_used_at: null,
      former_secret_until: null,
      cap_usd: '12.50',
      cap_period: 'month',
      cap_resets_at: expect.any(String),
      spent_under_cap_usd: '0.00',
      spent_usd: '0.00',
      held_usd: '0.00',
      models: ['small'],
      networks: ['127.0.0.1', '::1/128'],
      limits: { rpm: 60, tpm: null, concurrent: 4 },
      tags: [],
      tags_locked: false,
      ceiling: { cap_usd: null, cap_period: null, expires_at: null, limits }, // chosen by the holder
    })
    expect(await call(secret)).toBe(200)
    expect(await call(secret, 'large')).toBe(403)
    const page = await owner.get('keys')
    expect(page.text).not.toContain(secret)
    expect(page.text).toContain(secret.slice(-4))
    const [row] = (await listed('?name=LAPTOP')).items
    expect(row).toMatchObject({ id: key.id, name: 'laptop' })
    await eventually(async () => (await listed('?name=laptop')).items[0]?.last_used_at !== null)
    const [used] = (await listed('?name=laptop')).items
    expect(used?.spent_usd).not.toBe('0.00')
    expect(used?.spent_under_cap_usd).toBe(used?.spent_usd ?? '')
  })

  test.each([
    [{ name: 'a', group: 'internal' }, '403 unknown_group group'],
    [{ name: 'a', group: 'nowhere' }, '403 unknown_group group'],
    [{ name: 'a', group: '__proto__' }, '403 unknown_group group'],
    [{}, '400 bad_request name'],
    [{ name: '' }, '400 bad_request name'],
    [{ name: '   ' }, '400 bad_request name'],
    [{ name: 'x'.repeat(101) }, '400 bad_request name'],
    [{ name: 'a\u0000b' }, '400 bad_request name'],
    [{ name: '\u202egnp.exe' }, '400 bad_request name'],
    [{ name: 'a\u200bb' }, '400 bad_request name'],
    [{ name: '\u200d' }, '400 bad_request name'],
    [{ name: 7 }, '400 bad_request name'],
    [{ name: 'a', secret: 'sk-mine' }, '400 bad_request secret'],
    [{ name: 'a', account: '1' }, '400 bad_request account'],
    [{ name: 'a', purpose: 'playground' }, '400 bad_request purpose'],
    [{ name: 'a', spent_usd: '-5' }, '400 bad_request spent_usd'],
    [{ name: 'a', cap_usd: '0' }, '400 bad_request cap_usd'],
    [{ name: 'a', cap_usd: '-1' }, '400 bad_request cap_usd'],
    [{ name: 'a', cap_usd: '1e9' }, '400 bad_request cap_usd'],
    [{ name: 'a', cap_usd: '0.0000000001' }, '400 bad_request cap_usd'],
    [{ name: 'a', cap_usd: '99999999999999999999' }, '400 bad_request cap_usd'],
    [{ name: 'a', cap_usd: 5 }, '400 bad_request cap_usd'],
    [{ name: 'a', cap_period: 'month' }, '400 bad_request cap_period'],
    [{ name: 'a', cap_usd: '5', cap_period: 'year' }, '400 bad_request cap_period'],
    [{ name: 'a', expires_at: '2020-01-01T00:00:00Z' }, '400 bad_request expires_at'],
    [{ name: 'a', expires_at: 'tomorrow' }, '400 bad_request expires_at'],
    [{ name: 'a', expires_at: '2027-13-41T00:00:00Z' }, '400 bad_request expires_at'],
    [{ name: 'a', expires_at: '2027-02-31T00:00:00Z' }, '400 bad_request expires_at'],
    [{ name: 'a', expires_at: '2027-01-01' }, '400 bad_request expires_at'],
    [{ name: 'a', models: ['large'] }, '400 bad_request models'],
    [{ name: 'a', models: [] }, '400 bad_request models'],
    [{ name: 'a', models: [' '] }, '400 bad_request models'],
    [{ name: 'a', networks: [] }, '400 bad_request networks'],
    [{ name: 'a', models: 'small' }, '400 bad_request models'],
    [{ name: 'a', models: Array(101).fill('small') }, '400 bad_request models'],
    [{ name: 'a', networks: ['nonsense'] }, '400 bad_request networks'],
    [{ name: 'a', networks: ['10.0.0.0/33'] }, '400 bad_request networks'],
    [{ name: 'a', limits: { rpm: 0 } }, '400 bad_request limits.rpm'],
    [{ name: 'a', limits: { tpm: 1.5 } }, '400 bad_request limits.tpm'],
    [{ name: 'a', limits: { concurrent: MOST + 1 } }, '400 bad_request limits.concurrent'],
    [{ name: 'a', limits: { rps: 1 } }, '400 bad_request limits.rps'],
  ])('create %j: %s', async (body, expected) => {
    const before = (await listed('')).total
    const answer = await owner.post('keys', body)
    expect([outcomeOf(answer), answer.body.error?.param].filter(Boolean).join(' ')).toBe(expected)
    expect((await listed('')).total).toBe(before)
  })

  test('changes: only the fields that are present; null removes', async () => {
    const { key, secret } = await created({ name: 'changing', cap_usd: '3', cap_period: 'day', limits: { rpm: 9 } })
    expect((await change(key.id, { name: 'changed' })).body).toMatchObject({
      name: 'changed',
      cap_usd: '3.00',
      cap_period: 'day',
      limits: { rpm: 9, tpm: null, concurrent: null },
    })
    // The period goes with the cap.
    expect((await change(key.id, { cap_usd: null })).body).toMatchObject({ cap_usd: null, cap_period: null })
    expect((await change(key.id, { cap_usd: '4' })).body).toMatchObject({ cap_usd: '4.00', cap_period: null })
    expect((await change(key.id, { cap_period: 'week' })).body).toMatchObject({ cap_usd: '4.00', cap_period: 'week' })
    expect((await change(key.id, { limits: { rpm: null, tpm: 5000 } })).body).toMatchObject({
      limits: { rpm: null, tpm: 5000, concurrent: null },
    })
    expect((await change(key.id, { models: null })).body).toMatchObject({ models: null })
    expect((await change(key.id, {})).body).toMatchObject({ name: 'changed' })
    expect(outcomeOf(await change(key.id, { group: 'internal' }))).toBe('403 unknown_group')
    // Another group applies at once, with its models.
    expect(await call(secret, 'large')).toBe(403)
    expect((await change(key.id, { group: 'offered', models: ['small'] })).body).toMatchObject({ group: 'offered' })
    expect(outcomeOf(await change(key.id, { group: 'personal' }))).toBe('400 bad_request')
    expect((await change(key.id, { group: 'personal', models: ['large'] })).body).toMatchObject({ group: 'personal' })
    expect(await call(secret, 'large')).toBe(200)
  })

  test('a cap stops requests, and a higher one lets them pass again', async () => {
    const { key, secret } = await created({ name: 'capped', cap_usd: '0.000001' })
    expect(await call(secret)).toBe(402)
    expect(outcomeOf(await change(key.id, { cap_usd: '1' }))).toBe('200')
    expect(await call(secret)).toBe(200)
  })

  test('an expired key is rejected, listed as expired, and can be extended', async () => {
    const { key, secret } = await created({ name: 'short', expires_at: new Date(Date.now() + 1_000).toISOString() })
    await eventually(async () => (await call(secret)) === 401)
    await eventually(async () => (await listed('?state=expired')).total === 1)
    expect((await listed('?state=expired')).items).toMatchObject([{ id: key.id, state: 'expired' }])
    expect((await listed('?state=active&name=short')).total).toBe(0)
    expect((await change(key.id, { expires_at: null })).body).toMatchObject({ state: 'active', expires_at: null })
    expect(await call(secret)).toBe(200)
  })

  test('rotation with grace: both secrets work, then only the new one', async () => {
    const { key, secret } = await created({ name: 'rotating' })
    expect(await call(secret)).toBe(200)
    const rotated = await owner.post<KeyWithSecret>(`keys/${key.id}/rotate`, { grace_seconds: 3_600 })
    expect(outcomeOf(rotated)).toBe('200')
    expect(rotated.body.secret).not.toBe(secret)
    expect(rotated.body.key).toMatchObject({ id: key.id, last_four: rotated.body.secret.slice(-4) })
    expect(Date.parse(rotated.body.key.former_secret_until ?? '')).toBeGreaterThan(Date.now() + 3_500_000)
    expect(await call(rotated.body.secret)).toBe(200)
    expect(await call(secret)).toBe(200)
    // A second rotation replaces the former secret of the first: two secrets work at most.
    const second = await owner.post<KeyWithSecret>(`keys/${key.id}/rotate`, { grace_seconds: 3 })
    expect(await models(secret)).toBe(401)
    expect(await call(second.body.secret)).toBe(200)
    await eventually(async () => (await call(rotated.body.secret)) === 401)
    expect(await call(second.body.secret)).toBe(200)
    expect((await listed('?name=rotating')).items[0]?.former_secret_until).toBeNull()
  })

  test('rotation at once: the old secret stops working', async () => {
    const { key, secret } = await created({ name: 'leaked' })
    expect([await call(secret), await models(secret)]).toEqual([200, 200])
    const { body } = await owner.post<KeyWithSecret>(`keys/${key.id}/rotate`, { grace_seconds: 0 })
    expect([await models(secret), await call(secret)]).toEqual([401, 401])
    expect(body.key.former_secret_until).toBeNull()
    expect(await call(body.secret)).toBe(200)
  })

  test('a deleted key is rejected at once, and stays visible under its filter', async () => {
    const { key, secret } = await created({ name: 'doomed' })
    const rotated = await owner.post<KeyWithSecret>(`keys/${key.id}/rotate`, { grace_seconds: 3_600 })
    const both = [secret, rotated.body.secret]
    expect(await Promise.all(both.map(models))).toEqual([200, 200])
    const deleted = await owner.delete(`keys/${key.id}`)
    // The former secret of a rotation goes with it.
    expect(await Promise.all(both.map(models))).toEqual([401, 401])
    expect(outcomeOf(deleted)).toBe('200')
    expect(deleted.body).toMatchObject({ id: key.id, state: 'deleted' })
    expect((await listed('?state=deleted')).items.map(({ id }) => id)).toContain(key.id)
    expect((await listed('?state=active&name=doomed')).total).toBe(0)
    expect(outcomeOf(await change(key.id, { name: 'back' }))).toBe('409 key_deleted')
    expect(outcomeOf(await owner.post(`keys/${key.id}/rotate`, { grace_seconds: 0 }))).toBe('409 key_deleted')
    expect(outcomeOf(await owner.delete(`keys/${key.id}`))).toBe('409 key_deleted')
  })

  test('the built-in key is listed and can be limited, not rotated or deleted', async () => {
    const { body: key } = await owner.get<KeyRow>('playground/key')
    expect(key).toMatchObject({ purpose: 'playground', cap_usd: '5.00', cap_period: 'month', group: 'default' })
    expect((await listed('?name=playground')).items).toMatchObject([{ id: key.id, purpose: 'playground' }])
    expect((await change(key.id, { cap_usd: '2' })).body).toMatchObject({ cap_usd: '2.00', cap_period: 'month' })
    expect(outcomeOf(await owner.post(`keys/${key.id}/rotate`, { grace_seconds: 0 }))).toBe('403 built_in_key')
    expect(outcomeOf(await owner.delete(`keys/${key.id}`))).toBe('403 built_in_key')
    expect((await owner.get<KeyRow>('playground/key')).body.id).toBe(key.id)
  })

  test('keys of other accounts, and ids of no key, are unknown', async () => {
    const { key, secret } = await created({ name: 'private' })
    for (const [client, id] of [
      [otherHolder, key.id],
      ...['999999', '0', '-1', 'abc', '1e3', '9'.repeat(30), `${key.id}%20`].map((each) => [owner, each]),
    ] as [ConsoleClient, string][]) {
      expect(outcomeOf(await change(id, { name: 'mine' }, client))).toBe('404 not_found')
      expect(outcomeOf(await client.post(`keys/${id}/rotate`, { grace_seconds: 0 }))).toBe('404 not_found')
      expect(outcomeOf(await client.delete(`keys/${id}`))).toBe('404 not_found')
    }
    expect(outcomeOf(await change('%00', { name: 'mine' }))).toBe('400 bad_request')
    expect((await listed('?name=private', otherHolder)).total).toBe(0)
    expect((await listed('?name=private')).items).toMatchObject([{ name: 'private' }])
    expect(await call(secret)).toBe(200)
  })

  test.each([
    [{}, 'grace_seconds'],
    [{ grace_seconds: -1 }, 'grace_seconds'],
    [{ grace_seconds: 604_801 }, 'grace_seconds'],
    [{ grace_seconds: '5' }, 'grace_seconds'],
    [{ grace_seconds: 5, secret: 'sk-mine' }, 'secret'],
  ])('rotate %j: 400', async (body, param) => {
    const { key } = await created({ name: 'steady' })
    const answer = await owner.post(`keys/${key.id}/rotate`, body)
    expect(outcomeOf(answer)).toBe('400 bad_request')
    expect(answer.body.error?.param).toBe(param)
  })

  test.each([
    '?state=nonsense',
    '?state=',
    '?before=abc',
    '?before=-1',
    `?before=${'9'.repeat(19)}`,
  ])('list %s: 400', async (query) => expect(outcomeOf(await owner.get(`keys${query}`))).toBe('400 bad_request'))

  test.each([
    '%',
    '_',
    "'; DROP TABLE api_key; --",
    '\\',
    'x'.repeat(1_000),
  ])('name=%s matches literally', async (name) =>
    expect(await listed(`?name=${encodeURIComponent(name)}`)).toEqual({ items: [], next: null, total: 0 }))

  test('two hundred keys: pages without gaps or repetitions, newest first', async () => {
    const many = await person('many')
    // By the operator: the console limits how many an account creates per hour.
    const create = (name: string) =>
      gateway.command('key', 'create', '--account', 'many@example.com', '--name', name, '--group', 'default')
    const batch = 4
    for (let from = 0; from < 200; from += batch)
      await Promise.all(Array.from({ length: batch }, (_, index) => create(`key-${from + index}`)))
    const seen: string[] = []
    let before = ''
    for (let pages = 1; ; pages++) {
      const page = await listed(`?name=key${before}`, many)
      expect(page.total).toBe(200)
      seen.push(...page.items.map(({ id }) => id))
      if (page.next === null) {
        expect(pages).toBe(4)
        break
      }
      before = `&before=${page.next}`
    }
    expect(new Set(seen).size).toBe(200)
    expect(seen).toEqual(seen.toSorted((a, b) => Number(b) - Number(a)))
    expect((await listed('?name=key-19', many)).total).toBe(11)
  })
})
