// Keys belong to those who made them: they stop with their maker, say who that was, and show an operator nothing of the account's conversations.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type AdminAnswer, type AdminClient, adminClient, adminOutcome } from '../support/admin/admin-client.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { closeDatabase, operate } from '../support/gateway/operate.ts'

type Row = Record<string, unknown> & { id: string }
type List = { data: Row[] }
type Made = Row & { secret: string }
type DryRun = { effects: Record<string, unknown> }
type KeyMade = { key: Row; secret: string }

const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  const clients: Record<string, AdminClient> = {}
  const as = <T>(role: string, method: string, path: string, body?: unknown) =>
    clients[role]?.<T>(method, path, body === undefined ? {} : { body }) as Promise<AdminAnswer<T>>
  const made = async <T>(role: string, path: string, body: unknown) => (await as<T>(role, 'POST', path, body)).body

  beforeAll(async () => {
    gateway = await startGateway({ engine })
    for (const role of ['owner', 'admin', 'support', 'viewer']) {
      const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })
      clients[role] = adminClient(gateway.url, secret)
    }
  })
  afterAll(async () => {
    await gateway.stop()
    await closeDatabase(gateway.home)
  })

  async function person(name: string): Promise<{ email: string; account: string; client: ConsoleClient }> {
    const email = `${name}@example.com`
    const { id } = await operate<Row>(gateway, 'account create', { email, password: PASSWORD, credit_usd: '10' })
    const client = consoleClient(gateway.url)
    await client.post('sign-in', { email, password: PASSWORD })
    return { email, account: id, client }
  }
  const ownKey = async (client: ConsoleClient, name = 'own') => (await client.post<KeyMade>('keys', { name })).body
  const status = async (secret: string) => {
    const answer = await chat(gateway.url, secret, HELLO)
    const body = await answer.text()
    return answer.status === 200 ? '200' : `${answer.status} ${body}`
  }
  const listed = async (query: string) => (await as<List>('viewer', 'GET', `keys?${query}`)).body.data

  test('keys stop with the person who made them, in all accounts, and work again with the person', async () => {
    const [leaver, other] = [await person('leaver'), await person('colleague')]
    await operate(gateway, 'account member', { account: other.account, email: leaver.email, role: 'member' })
    const own = await ownKey(leaver.client)
    await leaver.client.post('session/account', { account: other.account })
    const inTeam = await ownKey(leaver.client, 'in the team')
    const foreign = await ownKey(other.client, 'of the colleague')
    const byOperator = await operate<KeyMade>(gateway, 'key create', { account: leaver.account, name: 'script' })
    // Each is known to the gateway, whose cache must not let it pay any more.
    const secrets = [own, inTeam, foreign, byOperator].map(({ secret }) => secret)
    for (const secret of secrets) expect(await status(secret)).toBe('200')
    const { id } = (await as<List>('owner', 'GET', `people?email=${leaver.email}`)).body.data[0] ?? { id: '' }
    const { effects } = await made<DryRun>('owner', `people/${id}/disable?dry_run=true`, {})
    expect(effects).toMatchObject({ keys_stopped: 2, keys_made_as_operator: 0, admin_keys_stopped: 0 })
    expect(adminOutcome(await as('owner', 'POST', `people/${id}/disable`))).toBe('200')
    const stopped = expect.stringMatching(/^403 .*The person who made this API key is disabled\..*account_disabled/s)
    expect([await status(own.secret), await status(inTeam.secret)]).toEqual([stopped, stopped])
    expect([await status(foreign.secret), await status(byOperator.secret)]).toEqual(['200', '200'])
    // Reads are rejected, too.
    const authorization = `Bearer ${own.secret}`
    expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization } })).status).toBe(403)
    expect((await listed(`made_by=${leaver.email}`)).map(({ name }) => name)).toEqual(['in the team', 'own'])
    expect(adminOutcome(await as('owner', 'POST', `people/${id}/enable`))).toBe('200')
    for (const secret of secrets) expect(await status(secret)).toBe('200')
  })

  test('a key says who made it: to operators by name, to its account whether it was an operator', async () => {
    const holder = await person('holder')
    const own = await ownKey(holder.client)
    const { id, secret } = await made<Made>('admin', 'keys', { account: holder.account, name: 'by an operator' })
    expect(secret).toMatch(/^sk-/)
    const [byKey, byHolder] = await listed(`account=${holder.account}`)
    expect(byKey).toMatchObject({ id, made_by: null, made_by_key_name: 'admin', made_by_operator: true })
    expect(byHolder).toMatchObject({ id: own.key.id, made_by_email: holder.email, made_by_operator: false })
    expect((await listed(`made_by_key=${byKey?.made_by_key}`)).map((key) => key.id)).toContain(id)
    const { items } = (await holder.client.get<{ items: Row[] }>('keys')).body
    expect(items.map(({ made_by_email, made_by_operator }) => [made_by_email, made_by_operator])).toEqual([
      [null, true],
      [holder.email, false],
    ])
    expect(JSON.stringify(items)).not.toContain('made_by_key')
  })

  describe('what operators learn the secret of', () => {
    type Stored = { id: string; output: { id: string }[] }
    const call = (secret: string, path: string, body?: object) =>
      fetch(`${gateway.url}/v1/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const respond = async (secret: string, more: object = {}) => {
      const answer = await call(secret, 'responses', { model: 'sandbox-text', input: 'The secret word.', ...more })
      return {
        status: answer.status,
        body: (await answer.json()) as Stored,
        request: answer.headers.get('x-request-id'),
      }
    }
    /** All ways to what was made with another key. */
    async function reads(secret: string, { body, request }: Awaited<ReturnType<typeof respond>>): Promise<number[]> {
      const item = { type: 'item_reference', id: body.output[0]?.id }
      const answers = [
        await call(secret, `responses/${body.id}`),
        await call(secret, `responses/${body.id}/input_items`),
        await call(secret, `usage/${request}`),
        await call(secret, 'callback-secret'),
      ]
      const continued = await respond(secret, { previous_response_id: body.id })
      const referred = await respond(secret, { input: [item, { role: 'user', content: 'Hello' }] })
      return [...answers.map((each) => each.status), continued.status, referred.status]
    }
    /** By an operator. */
    async function addedTo(account: string, name: string) {
      const added = await person(name)
      const member = { email: added.email, role: 'owner' }
      expect(adminOutcome(await as('support', 'POST', `accounts/${account}/members`, member))).toBe('200')
      await added.client.post('session/account', { account })
      return added
    }
    const NOTHING = [404, 404, 404, 404, 400, 400]
    const ALL = [200, 200, 200, 200, 200, 200]

    test.each([
      'made',
      'rotated',
      'made by a member whom an operator added',
      'made by a member whom an owner that an operator added invited',
    ])('sees nothing else: %s', async (how) => {
      const customer = await person(`customer-${how.replaceAll(' ', '-')}`)
      const own = await ownKey(customer.client)
      const said = await respond(own.secret)
      expect(await reads((await ownKey(customer.client, 'second')).secret, said)).toEqual(ALL)
      const keyOf: Record<string, () => Promise<string>> = {
        made: async () => (await made<Made>('support', 'keys', { account: customer.account, name: 'k' })).secret,
        rotated: async () => (await made<Made>('support', `keys/${own.key.id}/rotate`, {})).secret,
        'made by a member whom an operator added': async () => {
          const added = await addedTo(customer.account, 'added')
          return (await ownKey(added.client)).secret
        },
        'made by a member whom an owner that an operator added invited': async () => {
          const added = await addedTo(customer.account, 'added-too')
          const { url } = (await added.client.post<{ url: string }>('invitations', { member_role: 'owner' })).body
          const next = await person('next')
          const token = url.split('#')[1]
          expect(outcomeOf(await next.client.post('invitations/accept', { token }))).toBe('204')
          return (await ownKey(next.client)).secret
        },
      }
      const secret = (await keyOf[how]?.()) ?? ''
      expect(await reads(secret, said)).toEqual(NOTHING)
      const usage = (await (await call(secret, 'usage')).json()) as { requests: { request_id: string }[] }
      expect(usage.requests.map(({ request_id }) => request_id)).not.toContain(said.request)
      // What is made with it from now on is its own.
      const later = await respond(secret)
      expect((await reads(secret, later)).filter((each) => each === 200)).toHaveLength(5)
      // The account's people see all of it, and see it with a key that they rotate again.
      if (how === 'rotated') {
        const { secret: again } = (
          await customer.client.post<KeyMade>(`keys/${own.key.id}/rotate`, { grace_seconds: 0 })
        ).body
        expect(await reads(again, said)).toEqual(ALL)
      }
    })

    test('in the account that an operator is a member of, a key sees all of it', async () => {
      const boss = await person('boss')
      await operate(gateway, 'person role', { email: boss.email, role: 'owner' })
      const client = consoleClient(gateway.url)
      await client.post('sign-in', { email: boss.email, password: PASSWORD })
      const said = await respond((await ownKey(client)).secret)
      const cookie = { cookie: `trivium_session=${client.token()}`, origin: gateway.url }
      const key = await adminClient(gateway.url)<Made>('POST', 'keys', {
        headers: cookie,
        body: { account: boss.account, name: 'k' },
      })
      expect(await reads(key.body.secret, said)).toEqual(ALL)
      expect(await listed(`made_by=${boss.email}`)).toHaveLength(2)
    })
  })

  test('spending is told by person, and for each member of an account', async () => {
    const [manager, member] = [await person('manager'), await person('spender')]
    await operate(gateway, 'account member', { account: manager.account, email: member.email, role: 'member' })
    await member.client.post('session/account', { account: manager.account })
    const own = await ownKey(manager.client)
    for (const { secret } of [await ownKey(member.client), await ownKey(member.client), own]) await status(secret)
    await status((await made<Made>('admin', 'keys', { account: manager.account, name: 'k' })).secret)
    const query = `usage?group_by=person&account=${manager.account}`
    for (const sort of ['', '&sort=-requests']) {
      const { data } = (await as<List>('owner', 'GET', `${query}${sort}`)).body
      const rows = new Map<unknown, unknown>(data.map(({ person, requests }) => [person, requests]))
      const expected: [unknown, unknown][] = [
        [null, 1],
        [manager.email, 1],
        [member.email, 2],
      ]
      expect(rows).toEqual(new Map(expected))
    }
    const { people } = (await as<{ people: Row[] }>('viewer', 'GET', `accounts/${manager.account}/members`)).body
    const spent = Object.fromEntries(people.map(({ email, spent_usd }) => [email, Number(spent_usd)]))
    expect(spent[member.email]).toBeCloseTo(2 * (spent[manager.email] ?? 0), 9)
    const reported = await operate<Row[]>(gateway, 'report spend', { by: 'person' })
    expect(reported.map(({ person }) => person)).toContain(member.email)
  })

  test('an admin key ends with the keys, invitations and sign-in links that it made, and says so before', async () => {
    const leaked = await made<Made>('owner', 'admin-keys', { name: 'leaked', role: 'admin' })
    clients.leaked = adminClient(gateway.url, leaked.secret)
    const child = await made<Made>('leaked', 'admin-keys', { name: 'child', role: 'support' })
    clients.child = adminClient(gateway.url, child.secret)
    const grandchild = await made<Made>('leaked', 'admin-keys', { name: 'second', role: 'admin' })
    clients.grandchild = adminClient(gateway.url, grandchild.secret)
    const last = await made<Made>('grandchild', 'admin-keys', { name: 'last', role: 'viewer' })
    clients.last = adminClient(gateway.url, last.secret)
    const invitation = await made<Row>('grandchild', 'invitations', { role: 'support' })
    expect(invitation).toMatchObject({ made_by: null, made_by_key: grandchild.id, made_by_key_name: 'second' })
    const locked = await person('locked-out')
    const link = await made<Row>('grandchild', `accounts/${locked.account}/sign-in-link`, {})
    const { data } = (await as<List>('owner', 'GET', 'admin-keys')).body
    expect(data.find(({ id }) => id === last.id)).toMatchObject({ made_by_key: grandchild.id })
    const dry = await as<DryRun>('owner', 'DELETE', `admin-keys/${leaked.id}?dry_run=true`)
    expect(dry.body.effects).toEqual({
      admin_keys_deleted: 3,
      admin_keys: `child (${child.id}), second (${grandchild.id}), last (${last.id})`,
      invitations_revoked: 1,
      sign_in_links_ended: 1,
      sign_in_links: locked.email,
    })
    expect(adminOutcome(await as('last', 'GET', 'accounts'))).toBe('200')
    expect(adminOutcome(await as('owner', 'DELETE', `admin-keys/${leaked.id}`))).toBe('200')
    for (const name of ['leaked', 'child', 'grandchild', 'last'])
      expect([name, adminOutcome(await as(name, 'GET', 'accounts'))]).toEqual([name, '401 invalid_admin_key'])
    const setup = String(link.url).split('#')[1]
    const set = await consoleClient(gateway.url).post('setup', {
      token: setup,
      password: 'taken over by the leaked key',
    })
    expect(outcomeOf(set)).toMatch(/^(404|410)/)
    const guest = await person('guest')
    const token = String(invitation.url).split('#')[1]
    expect(outcomeOf(await guest.client.post('invitations/accept', { token }))).toMatch(/^(404|410)/)
    const rows = await operate<{ action: string; before: object }[]>(gateway, 'audit-log')
    const row = rows.find(({ action }) => action === 'admin-key delete')
    expect(row?.before).toMatchObject({ admin_keys_made: expect.stringContaining(`child (${child.id})`) })
  })

  test('an admin key can have a part of the permissions of its role: a shop opens accounts, credits them and gives keys', async () => {
    const shop = await made<Made>('owner', 'admin-keys', {
      name: 'shop',
      role: 'admin',
      permissions: ['accounts', 'money', 'keys'],
    })
    expect(shop.permissions).toEqual(['see', 'accounts', 'money', 'keys'])
    clients.shop = adminClient(gateway.url, shop.secret)
    const { id } = await made<Row>('shop', 'accounts', { email: 'buyer@example.com', credit_usd: '0' })
    const outcomes: [string, string, object | undefined, string][] = [
      ['POST', `accounts/${id}/credits`, { amount_usd: '5', reason: 'order 1' }, '200'],
      ['POST', 'keys', { account: id, name: 'first' }, '201'],
      ['POST', `accounts/${id}/disable`, undefined, '200'],
      ['POST', `accounts/${id}/enable`, undefined, '200'],
      ['GET', `accounts/${id}`, undefined, '200'],
      ['PATCH', 'settings', { console: { name: 'Mine' } }, '403 forbidden'],
      ['POST', 'models', { id: 'x' }, '403 forbidden'],
      ['POST', 'admin-keys', { name: 'more', role: 'viewer' }, '403 forbidden'],
      ['POST', 'invitations', { role: 'admin' }, '403 forbidden'],
      ['GET', 'people', undefined, '404 not_found'],
    ]
    for (const [method, path, body, expected] of outcomes)
      expect([method, path, adminOutcome(await as('shop', method, path, body))]).toEqual([method, path, expected])
    const usage = await as<List>('shop', 'GET', 'usage')
    expect(JSON.stringify(usage.body)).not.toContain('margin_usd')
    const wrong: object[] = [
      { role: 'viewer', permissions: ['money'] },
      { role: 'admin', permissions: ['people'] },
      { role: 'admin', permissions: ['everything'] },
    ]
    for (const terms of wrong)
      expect(adminOutcome(await as('owner', 'POST', 'admin-keys', { name: 'x', ...terms }))).toBe('400 bad_request')
  })
})
