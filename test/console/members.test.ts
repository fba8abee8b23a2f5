// Several people in one account, and one person in several: what each sees, and when it ends.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type {
  KeyPage,
  KeyWithSecret,
  MemberRow,
  Overview,
  RejectedPage,
  RejectedSummary,
  RequestPage,
  SessionInfo,
} from '../../packages/console/src/api/types.ts'
import { eventually } from '../support/eventually.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'

const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine })
  })
  afterAll(() => gateway.stop())

  const session = async (client: ConsoleClient): Promise<SessionInfo> => (await client.get<SessionInfo>('session')).body
  const signIn = async (email: string): Promise<ConsoleClient> => {
    const client = consoleClient(gateway.url)
    expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD }))).toBe('200')
    return client
  }
  async function person(name: string): Promise<{ email: string; account: string; client: ConsoleClient }> {
    const email = `${name}@example.com`
    const { id } = await gateway.command<{ id: string }>(
      ...['account', 'create', '--email', email, '--password', PASSWORD, '--credit', '10'],
    )
    return { email, account: id, client: await signIn(email) }
  }
  const setMember = (account: string, email: string, role: string) =>
    gateway.command('account', 'member', '--account', account, '--email', email, '--role', role)
  const switchTo = (client: ConsoleClient, account: string) => client.post('session/account', { account })
  /** A key, and one request with it. */
  async function spend(client: ConsoleClient, name: string): Promise<{ id: string; secret: string; request: string }> {
    const { key, secret } = (await client.post<KeyWithSecret>('keys', { name })).body
    const answer = await chat(gateway.url, secret, HELLO)
    expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true])
    return { id: key.id, secret, request: answer.headers.get('x-request-id') ?? '' }
  }

  test('a member sees the keys that they made and what these cost, and the money of the account', async () => {
    const [owner, member] = [await person('owner'), await person('member')]
    await setMember(owner.account, member.email, 'member')
    expect(outcomeOf(await switchTo(member.client, owner.account))).toBe('204')
    expect(await session(member.client)).toMatchObject({
      account: { id: owner.account, name: owner.email, role: 'member', email: member.email, disabled: false },
      accounts: [
        { id: owner.account, name: owner.email, role: 'member' },
        { id: member.account, name: member.email, role: 'owner' },
      ],
      gateway_role: null,
    })
    const [foreign, own] = [await spend(owner.client, 'of the owner'), await spend(member.client, 'of the member')]
    const seenBy = async ({ client }: { client: ConsoleClient }) => {
      const keys = (await client.get<KeyPage>('keys')).body
      const requests = (await client.get<RequestPage>('requests')).body
      const overview = (await client.get<Overview>('overview')).body
      const usage = (await client.get<{ total: { requests: number } }>('usage?by=model')).body
      const breakdown = (await client.get<{ items: { label: string }[] }>('usage/breakdown?by=key')).body
      return {
        keys: keys.items.map(({ name }) => name),
        requests: requests.items.map(({ request_id }) => request_id),
        overview: [overview.keys, overview.requests.length, overview.days.at(-1)?.requests],
        usage: usage.total.requests,
        breakdown: breakdown.items.map(({ label }) => label).sort(),
        csv: (await client.get('requests.csv')).text.split('\n').filter((line) => line !== '').length - 1,
      }
    }
    expect(await seenBy(owner)).toEqual({
      keys: ['of the member', 'of the owner'],
      requests: [own.request, foreign.request],
      overview: [2, 2, 2],
      usage: 2,
      breakdown: ['of the member', 'of the owner'],
      csv: 2,
    })
    expect(await seenBy(member)).toEqual({
      keys: ['of the member'],
      requests: [own.request],
      overview: [1, 1, 1],
      usage: 1,
      breakdown: ['of the member'],
      csv: 1,
    })
    const wallets = await Promise.all(
      [owner, member].map(({ client }) => client.get<{ balance_usd: string }>('wallet')),
    )
    expect(new Set(wallets.map(({ body }) => body.balance_usd)).size).toBe(1)
    // What is another's is reported as unknown.
    const reads = [`keys/${foreign.id}`, `requests/${foreign.request}`]
    for (const path of reads) {
      expect(outcomeOf(await member.client.get(path))).toBe('404 not_found')
      expect(outcomeOf(await owner.client.get(path))).toBe('200')
    }
    expect(outcomeOf(await member.client.post(`keys/${foreign.id}`, { name: 'mine' }))).toBe('404 not_found')
    expect(outcomeOf(await member.client.delete(`keys/${foreign.id}`))).toBe('404 not_found')
    // Money and name belong to owners.
    expect(outcomeOf(await member.client.post('wallet/redeem', { code: 'abcd' }))).toBe('403 owners_only')
    // What the account was credited for, and what others spent.
    for (const path of ['wallet/history', 'wallet/statements', 'wallet/statements/2026-01.csv']) {
      expect([path, outcomeOf(await member.client.get(path))]).toEqual([path, '403 owners_only'])
      expect([path, outcomeOf(await owner.client.get(path))]).toEqual([path, '200'])
    }
    expect(outcomeOf(await member.client.post('account', { name: 'ours' }))).toBe('403 owners_only')

    // Who is removed has lost the account with the next request, and so have the keys.
    await setMember(owner.account, member.email, 'none')
    expect(outcomeOf(await member.client.get('keys'))).toBe('401 not_signed_in')
    const again = await signIn(member.email)
    expect(await session(again)).toMatchObject({ account: { id: member.account }, accounts: [{ id: member.account }] })
    expect(outcomeOf(await switchTo(again, owner.account))).toBe('404 not_found')
    const answer = await chat(gateway.url, own.secret, HELLO)
    expect([answer.status, (await answer.text()).length > 0]).toEqual([401, true])
  })

  test('rejected requests: an owner sees those of the account, a member those of their own keys, others none', async () => {
    const [owner, member, other] = [await person('denied'), await person('denied-member'), await person('bystander')]
    await setMember(owner.account, member.email, 'member')
    await switchTo(member.client, owner.account)
    const reject = async ({ client }: { client: ConsoleClient }, name: string, model: string) => {
      const { key, secret } = (await client.post<KeyWithSecret>('keys', { name })).body
      const answer = await chat(gateway.url, secret, { ...HELLO, model })
      expect([answer.status, (await answer.text()).length > 0]).toEqual([404, true])
      return { key: key.id, name, request: answer.headers.get('x-request-id') ?? '', model }
    }
    const [foreign, own] = [
      await reject(owner, 'of the owner', 'gpt-0'),
      await reject(member, 'of the member', 'gpt-1'),
    ]
    const listOf = async ({ client }: { client: ConsoleClient }, query = '') =>
      (await client.get<RejectedPage>(`rejected-requests${query}`)).body.items
    // Counts are stored every few seconds.
    await eventually(async () => (await listOf(owner)).length === 2)
    const shown = ({ key, name, request, model }: typeof own) => ({
      request_id: request,
      at: expect.stringMatching(/^20\d\d-/),
      key_id: key,
      key_name: name,
      code: 'model_not_found',
      status: 404,
      count: 1,
      message: expect.stringContaining(model),
    })
    const byName = (rows: readonly RejectedSummary[]) =>
      rows.toSorted((one, two) => (one.request_id < two.request_id ? 1 : -1))
    expect(byName(await listOf(owner))).toMatchObject([shown(own), shown(foreign)])
    expect(await listOf(member)).toMatchObject([shown(own)])
    expect(await listOf(member, `?key=${foreign.key}`)).toEqual([])
    expect(await listOf(owner, `?key=${foreign.key}`)).toMatchObject([shown(foreign)])
    expect(await listOf(owner, '?to=2026-01-01T00:00:00Z')).toEqual([])
    expect(await listOf(other)).toEqual([])
    const [newest] = await listOf(owner)
    expect(await listOf(owner, `?before=${newest?.id}`)).toHaveLength(1)
    expect(outcomeOf(await owner.client.get('rejected-requests?before=x'))).toBe('400 bad_request')
    expect((await owner.client.get(`requests/${foreign.request}`)).body).toMatchObject({
      request_id: foreign.request,
      state: 'rejected',
      outcome: 'rejected',
      error: { code: 'model_not_found', status: 404, message: expect.stringContaining('gpt-0') },
      cost_usd: '0.00',
    })
    for (const { client } of [member, other])
      expect(outcomeOf(await client.get(`requests/${foreign.request}`))).toBe('404 not_found')
    expect((await member.client.get(`requests/${own.request}`)).status).toBe(200)
  })

  test('the keys of a member stay under the cap that the owner set; the owner has none', async () => {
    const [owner, member] = [await person('capping'), await person('capped')]
    await setMember(owner.account, member.email, 'member')
    await switchTo(member.client, owner.account)
    const [first, own] = [await spend(member.client, 'one'), await spend(owner.client, 'of the owner')]
    const second = (await member.client.post<KeyWithSecret>('keys', { name: 'two' })).body.secret
    const cap = { email: member.email, cap_usd: '0.000001', cap_period: 'day' }
    for (const [client, outcome] of [[member.client, '403 owners_only'] as const, [owner.client, '200'] as const])
      expect(outcomeOf(await client.post('members', cap))).toBe(outcome)
    for (const secret of [first.secret, second]) {
      const answer = await chat(gateway.url, secret, HELLO)
      const { error } = (await answer.json()) as { error: { code: string; message: string } }
      expect([answer.status, error.code]).toEqual([402, 'key_quota_exceeded'])
      expect(error.message).toContain(
        'This request would exceed the spending cap of 0.000001 USD per day of the member who made this key',
      )
    }
    const answer = await chat(gateway.url, own.secret, HELLO)
    expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true])
    const rowsOf = async ({ client }: { client: ConsoleClient }) => (await client.get<MemberRow[]>('members')).body
    const row = {
      email: member.email,
      role: 'member',
      cap_usd: '0.000001',
      cap_period: 'day',
      cap_left_usd: '0.00',
    } as const
    const uncapped = { email: owner.email, role: 'owner', cap_usd: null, cap_left_usd: null } as const
    expect(await rowsOf(owner)).toMatchObject([uncapped, row])
    expect(await rowsOf(member)).toMatchObject([row])
    expect(outcomeOf(await owner.client.post('members', { ...cap, email: owner.email }))).toBe('409 conflict')
    expect(outcomeOf(await owner.client.post('members', { ...cap, email: 'nobody@example.com' }))).toBe('404 not_found')
    // The operator's command changes the same cap.
    const limit = (...options: string[]) =>
      gateway.command<{ people: MemberRow[] }>(
        ...['account', 'member', '--account', owner.account, '--email', member.email, ...options],
      )
    expect((await limit('--cap', '5')).people[1]).toMatchObject({ cap_usd: '5.00', cap_period: 'day' })
    expect((await limit('--cap-period', 'week')).people[1]).toMatchObject({ cap_usd: '5.00', cap_period: 'week' })
    expect((await limit('--cap', 'none')).people[1]).toMatchObject({ cap_usd: null, cap_period: null })
    expect(limit('--cap-period', 'week')).rejects.toThrow('cap_period requires cap_usd')
    expect((await limit('--cap', '7')).people[1]).toMatchObject({ cap_usd: '7.00', cap_period: 'month' })
    const changes = await gateway.command<{ action: string; after: object; actor: string }[]>(
      ...['audit-log', '--object', `account/${owner.account}`, '--limit', '1'],
    )
    expect(changes).toMatchObject([{ action: 'account member', after: { email: member.email, cap_usd: '7.00' } }])
  })

  test('an account without a person is named by its id or its name', async () => {
    const create = (...options: string[]) => gateway.command<{ id: string }>('account', 'create', ...options)
    const { id } = await create('--name', 'nightly builds', '--credit', '3')
    const show = (named: string) => gateway.command<object>('account', 'show', '--account', named)
    const shown = { id, name: 'nightly builds', email: null, balance_usd: '3.00', people: [] }
    for (const named of [id, 'nightly builds']) expect(await show(named)).toMatchObject(shown)
    const { secret } = await gateway.command<{ secret: string }>(
      ...['key', 'create', '--account', 'nightly builds', '--name', 'ci', '--group', 'sandbox'],
    )
    const answer = await chat(gateway.url, secret, HELLO)
    expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true])
    const other = await create('--name', 'nightly builds')
    expect(show('nightly builds')).rejects.toThrow(`use the id of one of them: ${id} (nightly builds), ${other.id}`)
    expect(create('--name', '17')).rejects.toThrow('name must not be a number')
    expect(create('--name', 'a@b')).rejects.toThrow('name must not contain an @')
    expect(create('--name', 'x', '--email', 'x@example.com')).rejects.toThrow('Either email or name is required')
    expect(create('--name', 'x', '--password', PASSWORD)).rejects.toThrow('password requires email')
    const [entry] = await gateway.command<object[]>('audit-log', '--object', `account/${other.id}`, '--limit', '1')
    expect(entry).toMatchObject({ action: 'account create', after: { name: 'nightly builds' } })
  })

  test('a page that shows another account than the session changes nothing', async () => {
    const [one, other] = [await person('one'), await person('other')]
    await setMember(one.account, other.email, 'owner')
    const asShown = (account: string) => other.client.post('keys', { name: 'new' }, { 'x-trivium-account': account })
    await switchTo(other.client, other.account)
    expect(outcomeOf(await asShown(one.account))).toBe('409 account_switched')
    expect(outcomeOf(await asShown(other.account))).toBe('201')
  })

  test('an owner renames the account; a name cannot pass for an id or an address', async () => {
    const { client, account, email } = await person('renaming')
    const rename = async (name: string) => outcomeOf(await client.post('account', { name }))
    expect([await rename('17'), await rename('someone@example.com'), await rename(' ')]).toEqual(
      Array(3).fill('400 bad_request'),
    )
    expect(await rename(' Research team ')).toBe('204')
    expect((await session(client)).account.name).toBe('Research team')
    const show = (named: string) => gateway.command<object>('account', 'show', '--account', named)
    const shown = { id: account, name: 'Research team', email, people: [{ email, role: 'owner' }] }
    for (const named of [account, 'Research team', email]) expect(await show(named)).toMatchObject(shown)
    expect(await rename(email)).toBe('204')
    const rows = await gateway.command<object[]>('audit-log', '--object', `account/${account}`, '--limit', '2')
    const renamed = { action: 'account rename', actor: expect.stringMatching(/^person\/\d+$/) }
    expect(rows).toMatchObject([
      { ...renamed, before: { name: 'Research team' }, after: { name: email } },
      { ...renamed, before: { name: email }, after: { name: 'Research team' } },
    ])
  })

  test('a disabled account can be read, and nothing in it changed', async () => {
    const { client, account } = await person('disabled')
    const { secret, id } = await spend(client, 'laptop')
    await gateway.command('account', 'disable', '--account', account)
    expect((await session(client)).account.disabled).toBe(true)
    for (const path of ['keys', `keys/${id}`, 'wallet', 'requests'])
      expect(outcomeOf(await client.get(path))).toBe('200')
    expect(outcomeOf(await client.post('keys', { name: 'second' }))).toBe('403 account_disabled')
    expect(outcomeOf(await client.delete(`keys/${id}`))).toBe('403 account_disabled')
    expect(outcomeOf(await client.post('playground/v1/chat/completions', {}))).toBe('403 account_disabled')
    // What belongs to the person stays theirs.
    expect(outcomeOf(await client.post('preferences', { language: 'zh' }))).toBe('204')
    const answer = await chat(gateway.url, secret, HELLO)
    expect([answer.status, (await answer.text()).includes('disabled')]).toEqual([403, true])
  })

  test('--account names the account that has the address as its name, else the only one owned, else one by its id', async () => {
    const [ada, bob] = [await person('ada'), await person('bob')]
    const shown = async () => (await gateway.command<{ id: string }>('account', 'show', '--account', bob.email)).id
    await setMember(ada.account, bob.email, 'owner')
    expect(await shown()).toBe(bob.account)
    await gateway.command('account', 'edit', '--account', bob.account, '--name', 'renamed')
    await expect(shown()).rejects.toThrow(
      `Several accounts have the email address ${bob.email}; use the id of one of them: ${ada.account} (${ada.email}), ${bob.account} (renamed)`,
    )
    await setMember(ada.account, bob.email, 'member')
    expect(await shown()).toBe(bob.account)
  })

  test('people have roles in the gateway', async () => {
    const ada = await person('cleo')
    const role = async (written: string) =>
      (await gateway.command<{ role: string | null }>('person', 'role', '--email', ada.email, '--role', written)).role
    expect(await role('finance')).toBe('finance')
    // A higher role ends the sessions from before.
    expect(outcomeOf(await ada.client.get('session'))).toBe('401 not_signed_in')
    const again = await signIn(ada.email)
    expect((await session(again)).gateway_role).toBe('finance')
    expect([await role('none'), (await session(again)).gateway_role]).toEqual([null, null])
    await expect(role('king')).rejects.toThrow('role must be one of owner, admin, finance, support, viewer, or null.')
  })
})
