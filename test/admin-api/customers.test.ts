// What operators do with customers: find accounts and keys, note, change many at once, and know the effects before.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type AdminAnswer, type AdminClient, adminClient, adminOutcome } from '../support/admin/admin-client.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { closeDatabase, operate } from '../support/gateway/operate.ts'

type Row = Record<string, unknown> & { id: string }
type List = { data: Row[] }
type Bulk = { changed: number; unchanged: number; rejected: number; results: { id: string; result: string }[] }
type DryRun = { object: string; effects: Record<string, unknown> }

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  const clients: Record<string, AdminClient> = {}
  const accounts: string[] = []
  const keys: string[] = []
  let secret = ''

  const as = <T>(role: string, method: string, path: string, body?: unknown) =>
    clients[role]?.<T>(method, path, body === undefined ? {} : { body }) as Promise<AdminAnswer<T>>

  beforeAll(async () => {
    gateway = await startGateway({ engine })
    for (const role of ['owner', 'finance', 'support', 'viewer']) {
      const made = await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })
      clients[role] = adminClient(gateway.url, made.secret)
    }
    for (const name of ['one', 'two', 'three']) {
      const email = `${name}@customers.example.com`
      const { id } = (await as<Row>('owner', 'POST', 'accounts', { email, credit_usd: '5' })).body
      const terms = name === 'one' ? { cap_usd: '0.000001', expires_at: '2099-01-31T12:00:00Z' } : {}
      const key = (await as<Row & { secret: string }>('owner', 'POST', 'keys', { account: id, name, ...terms })).body
      accounts.push(id)
      keys.push(key.id)
      if (name === 'two') secret = key.secret
    }
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(answer.status).toBe(200)
  })
  afterAll(async () => {
    await gateway.stop()
    await closeDatabase(gateway.home)
  })

  const get = async <T>(path: string): Promise<T> => {
    const answer = await as<T>('viewer', 'GET', path)
    expect([path, adminOutcome(answer)]).toEqual([path, '200'])
    return answer.body
  }
  const ids = async (path: string) => (await get<List>(path)).data.map(({ id }) => id)
  /** The newest rows of the audit log about customers, oldest first. */
  const actions = async (count: number) =>
    (await get<List>(`audit-log?limit=${count}`)).data.map(({ action, target }) => `${action} ${target}`).reverse()

  test('accounts are found by a part of their address, newest first, with what they do', async () => {
    expect(await ids('accounts?search=@CUSTOMERS.ex&order=newest')).toEqual([...accounts].reverse())
    for (const order of ['spent', 'last_used'])
      expect((await ids(`accounts?search=@CUSTOMERS.ex&order=${order}`))[0]).toBe(accounts[1] ?? '')
    expect((await ids('accounts?search=@CUSTOMERS.ex&order=unused')).at(-1)).toBe(accounts[1] ?? '')
    expect(await ids('accounts?search=hree@')).toEqual(accounts.slice(2))
    const { data } = await get<List>('accounts?search=customers.example')
    const [idle, busy] = data
    expect(idle).toMatchObject({ spent_30_days_usd: '0.00', active_keys: 1, running_requests: 0, last_used_at: null })
    expect(busy).toMatchObject({ active_keys: 1, groups: ['default'], last_used_at: expect.stringMatching(/^20/) })
    expect(busy?.spent_30_days_usd).toBe(busy?.spent_today_usd)
    expect(Number(busy?.spent_30_days_usd)).toBeGreaterThan(0)
  })

  test('keys are found by what is wrong with them', async () => {
    const [one = '', two = '', three = ''] = keys
    const found = (query: string) =>
      ids(`keys?${query}&state=active`).then((all) => all.filter((id) => keys.includes(id)))
    expect(await found('never_used=true')).toEqual([three, one])
    expect(await found('never_used=false')).toEqual([two])
    expect(await found('has_cap=false')).toEqual([three, two])
    expect(await found('has_expiry=true')).toEqual([one])
    expect(await found('cap_used_percent=90')).toEqual([])
    expect(await found(`search=${secret.slice(-4)}`)).toEqual([two])
    expect((await get<Row>(`keys/${two}`)).account).toBe('two@customers.example.com')
  })

  test('a dry run names the effects', async () => {
    const [account] = accounts
    const effects = async (method: string, path: string, body?: unknown) =>
      (await as<DryRun>('owner', method, `${path}${path.includes('?') ? '&' : '?'}dry_run=true`, body)).body.effects
    const idle = { active_keys: 1, running_requests: 0, held_usd: '0.00' }
    expect(await effects('POST', `accounts/${account}/disable`)).toEqual(idle)
    expect(await effects('DELETE', `accounts/${account}?force=true`)).toEqual({ ...idle, balance_lost_usd: '5.00' })
    expect(await effects('POST', `accounts/${account}/credits`, { amount_usd: '-2' })).toEqual({
      balance_usd: '5.00',
      balance_after_usd: '3.00',
    })
    expect(await effects('DELETE', `keys/${keys[0]}`)).toEqual({ running_requests: 0, held_usd: '0.00' })
    expect(await effects('POST', 'codes', { amount_usd: '5', count: 3 })).toEqual({ codes: 3, total_usd: '15.00' })
  })

  test('the statement of a month has what an invoice says, and adds up', async () => {
    type Statement = Record<string, string> & { entries: Row[]; models: { model: string; charged_usd: string }[] }
    const month = new Date().toISOString().slice(0, 7)
    const path = `accounts/${accounts[1]}/statements`
    const statement = await get<Statement>(`${path}/${month}`)
    expect(statement).toMatchObject({
      account: 'two@customers.example.com',
      owners: ['two@customers.example.com'],
      month,
      is_complete: false,
      opening_balance_usd: '0.00',
      credited_usd: '5.00',
      requests: 1,
      models: [{ model: 'sandbox-text', requests: 1, charged_usd: statement.charged_usd }],
      entries: [
        { kind: 'credit', reason: 'opening credit', amount_usd: '5.00' },
        { kind: 'usage', requests: 1, amount_usd: `-${statement.charged_usd}` },
      ],
    })
    expect(Number(statement.charged_usd)).toBeGreaterThan(0)
    const { balance_usd } = await get<Row>(`accounts/${accounts[1]}`)
    expect(statement.closing_balance_usd).toBe(String(balance_usd))
    // A month without entries begins and ends with the balance before it.
    const balances = { opening_balance_usd: balance_usd, closing_balance_usd: balance_usd }
    expect(await get(`${path}/2999-01`)).toMatchObject({ ...balances, entries: [], models: [], requests: 0 })
    expect(await get(`${path}/2001-01`)).toMatchObject({ opening_balance_usd: '0.00', closing_balance_usd: '0.00' })
    expect((await as('viewer', 'GET', `${path}/2026-1`)).status).toBe(400)
    const { stdout } = await gateway.cli(
      'report',
      'statement',
      '--account',
      accounts[1] ?? '',
      '--month',
      month,
      '--csv',
    )
    expect(stdout.split('\n').map((line) => line.split(',').slice(1, 5).join())).toEqual([
      'kind,reason,requests,amount_usd',
      'credit,opening credit,0,5.00',
      `usage,,1,-${statement.charged_usd}`,
      '',
    ])
  })

  test('notes are for colleagues who look after accounts', async () => {
    const path = `accounts/${accounts[0]}/notes`
    expect(adminOutcome(await as('finance', 'POST', path, { text: 'pays late' }))).toBe('403 forbidden')
    expect(adminOutcome(await as('support', 'POST', path, { text: '  ' }))).toBe('400 bad_request')
    expect(adminOutcome(await as('support', 'POST', path, { text: 'x'.repeat(2_001) }))).toBe('400 bad_request')
    expect(adminOutcome(await as('support', 'POST', path, { text: ' pays late ' }))).toBe('201')
    const { notes } = await get<{ notes: Row[] }>(path)
    expect(notes).toMatchObject([
      { text: 'pays late', author: expect.stringMatching(/^admin-key\//), author_email: null },
    ])
    expect(adminOutcome(await as('support', 'DELETE', `accounts/${accounts[1]}/notes/${notes[0]?.id}`))).toBe(
      '404 not_found',
    )
    expect(adminOutcome(await as('support', 'DELETE', `${path}/${notes[0]?.id}`))).toBe('200')
    expect(await actions(2)).toEqual(['note add', 'note delete'].map((act) => `account ${act} account/${accounts[0]}`))
  })

  test('one act on many accounts: what is so already stays, each change has its own row', async () => {
    const [one = '', two = '', three = ''] = accounts
    const all = { accounts: [...accounts, '999999999'], act: 'disable' }
    await as('support', 'POST', `accounts/${one}/disable`)
    const dry = await as<DryRun>('support', 'POST', 'accounts/bulk?dry_run=true', all)
    expect(dry.body.effects).toMatchObject({ changed: 2, unchanged: 1, rejected: 1, active_keys: 2 })
    expect(dry.body.effects.first_rejection).toContain('999999999')
    expect((await get<Row>(`accounts/${two}`)).disabled).toBe(false)
    const { body } = await as<Bulk>('support', 'POST', 'accounts/bulk', { ...all, reason: 'abuse' })
    expect(body).toMatchObject({ changed: 2, unchanged: 1, rejected: 1, skipped: 0 })
    expect(body.results.map(({ result }) => result)).toEqual(['unchanged', 'changed', 'changed', 'rejected'])
    expect(await actions(2)).toEqual([`account disable account/${two}`, `account disable account/${three}`])
    expect((await get<List>('audit-log?limit=1')).data).toMatchObject([{ reason: 'abuse' }])
    const filter = { search: 'customers.example', state: 'disabled' }
    const enabled = await as<Bulk>('support', 'POST', 'accounts/bulk', { filter, act: 'enable' })
    expect(enabled.body).toMatchObject({ changed: 3, unchanged: 0 })
  })

  test('an act on many needs the permission of the act on one, and terms that fit', async () => {
    const bulk = (role: string, body: object) =>
      as(role, 'POST', 'accounts/bulk', { accounts, ...body }).then(adminOutcome)
    expect(await bulk('viewer', { act: 'disable' })).toBe('403 forbidden')
    expect(await bulk('finance', { act: 'enable' })).toBe('403 forbidden')
    expect(await bulk('support', { act: 'credit', terms: { amount_usd: '1' } })).toBe('403 forbidden')
    expect(await bulk('support', { act: 'limit', terms: { cap_usd: '1' } })).toBe('403 forbidden')
    expect(await bulk('owner', { act: 'credit' })).toBe('400 bad_request')
    expect(await bulk('owner', { act: 'disable', terms: { amount_usd: '1' } })).toBe('400 bad_request')
    expect(await bulk('owner', { act: 'enable', filter: {} })).toBe('400 bad_request')
    expect(await bulk('owner', { act: 'enable', accounts: Array(201).fill('1') })).toBe('400 bad_request')
  })

  test('a credit of many is booked once for each, however often it is repeated', async () => {
    const body = { accounts, act: 'credit', terms: { amount_usd: '1' }, reason: 'goodwill' }
    const before = await get<List>('accounts?search=customers.example')
    for (let time = 0; time < 2; time += 1)
      expect((await as<Bulk>('finance', 'POST', 'accounts/bulk', { ...body, id: 'may' })).body.changed).toBe(3)
    const after = await get<List>('accounts?search=customers.example')
    const gained = after.data.map(
      ({ balance_usd }, index) => Number(balance_usd) - Number(before.data[index]?.balance_usd),
    )
    expect(gained.map((each) => each.toFixed(6))).toEqual(Array(3).fill('1.000000'))
    const credits = await get<List>('ledger/transfers?kind=credit&reason=goodwill')
    expect(credits.data).toHaveLength(3)
  })

  test('many keys are edited or deleted at once', async () => {
    const [one = '', two = '', three = ''] = keys
    const edit = { keys: [one, two], act: 'edit', terms: { cap_usd: '9', cap_period: 'month', limits: { rpm: 60 } } }
    expect(adminOutcome(await as('finance', 'POST', 'keys/bulk', edit))).toBe('403 forbidden')
    expect((await as<Bulk>('support', 'POST', 'keys/bulk', edit)).body).toMatchObject({ changed: 2, unchanged: 0 })
    const again = await as<DryRun>('support', 'POST', 'keys/bulk?dry_run=true', { ...edit, keys })
    expect(again.body.effects).toMatchObject({ changed: 1, unchanged: 2, rejected: 0 })
    expect(await get<Row>(`keys/${two}`)).toMatchObject({ cap_usd: '9.00', limits: { rpm: 60, tpm: null } })
    const gone = { keys: [three, three], act: 'delete' }
    for (const result of ['changed', 'unchanged'])
      expect((await as<Bulk>('support', 'POST', 'keys/bulk', gone)).body).toMatchObject({ [result]: 1 })
    expect(await actions(1)).toEqual([`key delete key/${three}`])
  })

  test('an operator changes many customers at once one call after the other: callers of models do not wait for it', async () => {
    const many = Array.from({ length: 200 }, (_, place) => String(900_000 + place))
    const send = () => as<Bulk>('support', 'POST', 'accounts/bulk?dry_run=true', { accounts: many, act: 'disable' })
    const answers = await Promise.all(Array.from({ length: 6 }, send))
    const told = new Set(answers.map(adminOutcome))
    expect(told).toEqual(new Set(['200', '429 too_many_tries']))
    expect((await send()).status).toBe(200)
  })

  test('codes are summed by their batches', async () => {
    await as('finance', 'POST', 'codes', { amount_usd: '5', count: 4, label: 'spring' })
    await as('finance', 'POST', 'codes', { amount_usd: '2', count: 2, label: 'later' })
    const revoke = await as<DryRun>('finance', 'POST', 'codes/revoke?dry_run=true', { label: 'spring' })
    expect(revoke.body.effects).toEqual({ codes: 4, open_usd: '20.00' })
    await as('finance', 'POST', 'codes/revoke', { label: 'later' })
    await as('finance', 'POST', 'codes', { amount_usd: '1' })
    expect((await get<List>('codes?unlabelled=true')).data).toMatchObject([{ label: '', amount_usd: '1.00' }])
    const { data } = await get<List>('codes/batches')
    const batches = data.filter(({ label }) => label === 'spring' || label === 'later')
    expect(batches).toMatchObject([
      { label: 'later', codes: 2, amount_usd: '4.00', open: 0, revoked: 2, open_usd: '0.00' },
      { label: 'spring', codes: 4, amount_usd: '20.00', open: 4, redeemed: 0, open_usd: '20.00', expires_at: null },
    ])
    expect(await ids(`codes/batches?limit=1&after=${encodeURIComponent(batches[0]?.id ?? '')}`)).toEqual([
      batches[1]?.id ?? '',
    ])
  })
})
