// Budgets: made, seen, changed and deleted by operators and by the people of an account, who touch neither the operator's nor those of others.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type AdminAnswer, type AdminClient, adminClient, adminOutcome } from '../support/admin/admin-client.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { closeDatabase, operate } from '../support/gateway/operate.ts'

type Row = Record<string, unknown> & { id: string }
type List = { data: Row[]; has_more: boolean; first_id: string | null; last_id: string | null }
type DryRun = { effects: Record<string, unknown>; before: unknown; after: unknown }

const ACCOUNT = 'budgets@example.com'

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  const clients: Record<string, AdminClient> = {}
  const people: Record<string, ConsoleClient> = {}
  let account = ''
  const keys: Record<string, string> = {}

  const as = <T = Row>(role: string, method: string, path: string, body?: unknown) =>
    clients[role]?.<T>(method, path, body === undefined ? {} : { body }) as Promise<AdminAnswer<T>>
  const create = async (fields: object): Promise<Row> => {
    const answer = await as('finance', 'POST', 'budgets', { amount_usd: '5', ...fields })
    expect([fields, answer.body.error?.message, answer.status]).toEqual([fields, undefined, 201])
    return answer.body
  }
  const listed = async (query: string): Promise<List> => {
    const answer = await as<List>('viewer', 'GET', `budgets?${query}`)
    expect([query, adminOutcome(answer)]).toEqual([query, '200'])
    return answer.body
  }
  const idsOf = async (query: string) => (await listed(query)).data.map(({ id }) => id)

  beforeAll(async () => {
    gateway = await startGateway({ engine })
    for (const role of ['owner', 'finance', 'support', 'viewer']) {
      const made = await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })
      clients[role] = adminClient(gateway.url, made.secret)
    }
    for (const name of ['holder', 'member', 'stranger']) {
      const email = name === 'holder' ? ACCOUNT : `${name}-of-budgets@example.com`
      const { id } = await operate<{ id: string }>(gateway, 'account create', { email, password: PASSWORD })
      if (name === 'holder') account = id
      const client = consoleClient(gateway.url)
      expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD }))).toBe('200')
      people[name] = client
    }
    const member = { account, email: 'member-of-budgets@example.com', role: 'member' }
    await operate(gateway, 'account member', member)
    await people.member?.post('session/account', { account })
    for (const [name, client] of Object.entries(people))
      keys[name] = (
        await client.post<{ key: Row }>('keys', { name: `key of ${name}`, tags: [`of=${name}`] })
      ).body.key.id
  })
  afterAll(async () => {
    await gateway.stop()
    await closeDatabase(gateway.home)
  })

  test('each kind is kept as it was written, and found by what it is for', async () => {
    const kinds = [
      { kind: 'account', account: ACCOUNT, period: 'month', alerts: [100, 50, 80, 50], text: ' Ask Ada. ' },
      { kind: 'member', account, person: 'member-of-budgets@example.com', hard: false },
      { kind: 'key', key: keys.holder, period: 'hours', every_hours: 5, starts_at: '2026-03-01T12:00:00Z' },
      { kind: 'key_model', key: keys.holder, model: 'sandbox-text' },
      { kind: 'tag', account, value: ' team=search ' },
      { kind: 'tag', value: 'team=search' },
      { kind: 'end_user', account, value: 'grace@example.com' },
      { kind: 'group', value: 'default', period: 'day' },
      { kind: 'all' },
    ]
    const made = []
    for (const fields of kinds) made.push(await create(fields))
    expect(made[0]).toMatchObject({
      object: 'budget',
      is_cap: false,
      account_id: account,
      account: ACCOUNT,
      amount_usd: '5.00',
      alerts: [50, 80, 100],
      text: 'Ask Ada.',
      hard: true,
      set_by: 'operator',
      spent_usd: '0.00',
      held_usd: '0.00',
      left_usd: '5.00',
      used_percent: 0,
      reached: false,
      begins_anew_at: expect.stringMatching(/^20\d\d-\d\d-01T00:00:00.000Z$/),
    })
    expect(made[1]).toMatchObject({ email: 'member-of-budgets@example.com', hard: false, begins_anew_at: null })
    expect(made[2]).toMatchObject({ account_id: account, key: 'key of holder', period: 'hours', every_hours: 5 })
    expect(made[2]?.begins_anew_at).toMatch(/^20\d\d-\d\d-\d\dT\d\d:00:00.000Z$/)
    expect(made.map(({ value }) => value).slice(3, 6)).toEqual([null, 'team=search', 'team=search'])
    // The name of an end user is not kept, as nowhere else.
    expect(made[6]?.value).toMatch(/^u_[\w-]{22}$/)
    expect(made[7]).toMatchObject({ account_id: null, account: null, value: 'default' })
    const ids = made.map(({ id }) => id)
    const at = async (query: string) => (await idsOf(query)).map((id) => ids.indexOf(id))
    expect(await at('caps=false')).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0])
    expect(await at(`account=${account}`)).toEqual([6, 4, 3, 2, 1, 0])
    expect(await at('across_accounts=true')).toEqual([8, 7, 5])
    expect(await at('kind=tag')).toEqual([5, 4])
    expect(await at('value=team%3Dsearch')).toEqual([5, 4])
    expect(await at(`key=${keys.holder}`)).toEqual([3, 2])
    expect(await at('person=member-of-budgets@example.com')).toEqual([1])
    expect(await at('set_by=holder')).toEqual([])
    expect(await at('reached=true')).toEqual([])
    expect((await as('viewer', 'GET', `budgets/${ids[2]}`)).body).toEqual(made[2] as Row & { error: never })
    for (const id of ids) expect(adminOutcome(await as('finance', 'DELETE', `budgets/${id}`))).toBe('200')
    expect(await at('caps=false')).toEqual([])
    expect((await as('viewer', 'GET', `budgets/${ids[0]}`)).body.deleted_at).toMatch(/^20/)
    expect(adminOutcome(await as('finance', 'DELETE', `budgets/${ids[0]}`))).toBe('409 conflict')
  })

  test.each<[string, object, string]>([
    ['no amount', { kind: 'all', amount_usd: undefined }, 'amount_usd'],
    ['nothing', { kind: 'all', amount_usd: '0' }, 'amount_usd'],
    ['too much', { kind: 'all', amount_usd: '1000000000001' }, 'amount_usd'],
    ['an unknown kind', { kind: 'team' }, 'kind'],
    ['no account', { kind: 'account' }, 'account'],
    ['no key', { kind: 'key', account: ACCOUNT }, 'key'],
    ['no model', { kind: 'key_model', key: 'own' }, 'model'],
    ['a model that is not offered', { kind: 'key_model', key: 'own', model: 'gpt-none' }, 'model'],
    ['a value too many', { kind: 'account', account: ACCOUNT, value: 'x' }, 'value'],
    ['an account too many', { kind: 'group', account: ACCOUNT, value: 'default' }, 'account'],
    ['a tag of two', { kind: 'tag', value: 'a,b' }, 'value'],
    ['a blank tag', { kind: 'tag', value: '  ' }, 'value'],
    ['a long tag', { kind: 'tag', value: 'x'.repeat(65) }, 'value'],
    ['hours without a number', { kind: 'all', period: 'hours' }, 'every_hours'],
    ['a number of hours of a day', { kind: 'all', period: 'day', every_hours: 3 }, 'every_hours'],
    ['a start of all time', { kind: 'all', starts_at: '2026-01-01T00:00:00Z' }, 'starts_at'],
    [
      'a start before all times',
      { kind: 'all', period: 'hours', every_hours: 3, starts_at: '1960-01-01T00:00:00Z' },
      'starts_at',
    ],
    ['too many hours', { kind: 'all', period: 'hours', every_hours: 8785 }, 'every_hours'],
    ['an alert above all', { kind: 'all', alerts: [101] }, 'alerts[0]'],
    ['too many alerts', { kind: 'all', alerts: Array.from({ length: 11 }, (_, index) => index + 1) }, 'alerts'],
    ['a long text', { kind: 'all', text: 'x'.repeat(501) }, 'text'],
    ['a control character', { kind: 'all', text: 'a\u0007' }, 'text'],
  ])('%s is rejected, and named', async (_, fields, param) => {
    const body = { amount_usd: '5', ...fields, ...('key' in fields ? { key: keys.holder } : {}) }
    const answer = await as('finance', 'POST', 'budgets', body)
    expect([adminOutcome(answer), answer.body.error?.param]).toEqual(['400 bad_request', param])
    expect(await idsOf('caps=false')).toEqual([])
  })

  test.each<[string, object, string]>([
    ['an account that does not exist', { kind: 'account', account: 'nobody@example.com' }, '404 not_found'],
    ['a key that does not exist', { kind: 'key', key: '999999' }, '404 not_found'],
    [
      'a key of another account',
      { kind: 'key', account: 'stranger-of-budgets@example.com', key: 'own' },
      '404 not_found',
    ],
    [
      'a person who is no member',
      { kind: 'member', account: ACCOUNT, person: 'stranger-of-budgets@example.com' },
      '404 not_found',
    ],
    ['a group that does not exist', { kind: 'group', value: 'staff' }, '403 unknown_group'],
  ])('%s has no budget', async (_, fields, expected) => {
    const body = {
      amount_usd: '5',
      ...fields,
      ...('key' in fields && fields.key === 'own' ? { key: keys.holder } : {}),
    }
    expect(adminOutcome(await as('finance', 'POST', 'budgets', body))).toBe(expected)
  })

  test('budgets are money, and a dry run tells what they stop', async () => {
    const body = { kind: 'account', account, amount_usd: '5', period: 'day' }
    for (const role of ['support', 'viewer'])
      expect(adminOutcome(await as(role, 'POST', 'budgets', body))).toBe('403 forbidden')
    const rehearsed = await as<DryRun>('finance', 'POST', 'budgets?dry_run=true', body)
    expect(rehearsed.body).toMatchObject({
      effects: { keys_limited: 2 },
      after: { kind: 'account', amount_usd: '5.00', period: 'day', hard: true },
    })
    expect(await idsOf('caps=false')).toEqual([])
    const { id } = await create(body)
    for (const role of ['support', 'viewer']) {
      expect(adminOutcome(await as(role, 'PATCH', `budgets/${id}`, { amount_usd: '6' }))).toBe('403 forbidden')
      expect(adminOutcome(await as(role, 'DELETE', `budgets/${id}`))).toBe('403 forbidden')
    }
    const lowered = await as<DryRun>('finance', 'PATCH', `budgets/${id}?dry_run=true`, { amount_usd: '2' })
    expect(lowered.body).toMatchObject({ effects: { spent_usd: '0.00', left_usd: '5.00', left_after_usd: '2.00' } })
    const changed = await as('finance', 'PATCH', `budgets/${id}`, { amount_usd: '2', period: null, text: 'x' })
    expect(changed.body).toMatchObject({ amount_usd: '2.00', period: null, text: 'x', begins_anew_at: null })
    const again = { headers: { 'idempotency-key': 'one-budget' }, body: { ...body, amount_usd: '7' } }
    const [first, second] = [
      await clients.finance?.<Row>('POST', 'budgets', again),
      await clients.finance?.<Row>('POST', 'budgets', again),
    ]
    expect(second?.body).toEqual(first?.body as Row & { error?: never })
    expect((await listed('caps=false')).data.map(({ amount_usd }) => amount_usd)).toEqual(['7.00', '2.00'])
    const log = (await as<List>('viewer', 'GET', 'audit-log?action=budget&limit=3')).body.data
    expect(log.map(({ action, object: _, target }) => [action, target])).toEqual([
      ['budget create', `account/${account}`],
      ['budget change', `budget/${id}`],
      ['budget create', `account/${account}`],
    ])
    for (const each of await idsOf('caps=false')) await as('finance', 'DELETE', `budgets/${each}`)
  })

  test('caps are budgets of their kind, and are changed where they are', async () => {
    await operate(gateway, 'account limit', { account, cap: '50', 'cap-period': 'month' })
    const email = 'member-of-budgets@example.com'
    await operate(gateway, 'account member', { account, email, cap: '20', 'cap-period': 'week' })
    await operate(gateway, 'key limit', { key: keys.holder ?? '', cap: '9' })
    await operate(gateway, 'key limit', { key: keys.member ?? '', cap: '8' })
    const budget = await create({ kind: 'account', account })
    const { data } = await listed(`account=${account}`)
    const member = data[2]?.id ?? ''
    expect(data.map(({ id }) => id)).toEqual([
      budget.id,
      `cap:account:${account}`,
      expect.stringMatching(new RegExp(`^cap:member:${account}:\\d+$`)),
      `cap:key:${keys.member}`,
      `cap:key:${keys.holder}`,
    ])
    expect(data.map(({ kind, is_cap, amount_usd, period }) => [kind, is_cap, amount_usd, period])).toEqual([
      ['account', false, '5.00', null],
      ['account', true, '50.00', 'month'],
      ['member', true, '20.00', 'week'],
      ['key', true, '8.00', null],
      ['key', true, '9.00', null],
    ])
    // In pages, in both directions, over the parts of the list.
    const all = data.map(({ id }) => id)
    for (const size of [1, 2, 3]) {
      const pages: string[][] = []
      for (let after = ''; pages.flat().length < 9; ) {
        const page = await listed(`account=${account}&limit=${size}${after && `&after=${after}`}`)
        pages.push(page.data.map(({ id }) => id))
        if (!page.has_more) break
        after = page.last_id ?? ''
      }
      expect(pages.flat()).toEqual(all)
      const back: string[] = []
      for (let before = all.at(-1) ?? ''; ; ) {
        const page = await listed(`account=${account}&limit=${size}&before=${before}`)
        back.unshift(...page.data.map(({ id }) => id))
        if (!page.has_more) break
        before = page.first_id ?? ''
      }
      expect(back).toEqual(all.slice(0, -1))
    }
    expect(await idsOf(`kind=key&account=${account}`)).toEqual(all.slice(3))
    expect(await idsOf(`person=${email}`)).toEqual([member])
    expect(await idsOf('kind=member')).toContain(member)

    const change = async (id: string, body: object) => adminOutcome(await as('owner', 'PATCH', `budgets/${id}`, body))
    expect(await change(`cap:key:${keys.holder}`, { amount_usd: '7', period: 'day' })).toBe('200')
    expect((await as('viewer', 'GET', `keys/${keys.holder}`)).body).toMatchObject({
      cap_usd: '7.00',
      cap_period: 'day',
    })
    expect(await change(member, { amount_usd: '21' })).toBe('200')
    expect(await change(`cap:account:${account}`, { period: 'day' })).toBe('200')
    expect(await change(`cap:account:${account}`, { hard: false })).toBe('400 bad_request')
    expect(await change(`cap:account:${account}`, { period: 'hours' })).toBe('400 bad_request')
    expect(await change('cap:key:999999', { amount_usd: '1' })).toBe('404 not_found')
    expect(adminOutcome(await as('finance', 'PATCH', `budgets/cap:key:${keys.holder}`, { amount_usd: '1' }))).toBe(
      '403 forbidden',
    )
    for (const id of all.slice(1)) expect(adminOutcome(await as('owner', 'DELETE', `budgets/${id}`))).toBe('200')
    expect(await idsOf(`account=${account}`)).toEqual([budget.id])
    expect((await as('viewer', 'GET', `keys/${keys.holder}`)).body).toMatchObject({ cap_usd: null, cap_period: null })
    await as('finance', 'DELETE', `budgets/${budget.id}`)
  })

  test('the people of an account touch what is theirs, and see what applies to them', async () => {
    const operators = await create({ kind: 'account', account, period: 'month' })
    const foreign = await create({ kind: 'account', account: 'stranger-of-budgets@example.com' })
    const all = await create({ kind: 'all' })
    const post = (who: string, path: string, body: object) => people[who]?.post<Row>(path, body) as Promise<never>
    const outcome = async (who: string, path: string, body: object) => outcomeOf(await post(who, path, body))
    const own = async (fields: object) => {
      const answer = (await post('holder', 'budgets', { amount_usd: '3', ...fields })) as { body: Row }
      expect(answer.body).toMatchObject({ set_by: 'holder' })
      return answer.body.id
    }
    const mine = {
      account: await own({ kind: 'account', period: 'day' }),
      member: await own({ kind: 'member', person: 'member-of-budgets@example.com' }),
      key: await own({ kind: 'key', key: keys.holder }),
      memberKey: await own({ kind: 'key_model', key: keys.member, model: 'sandbox-text' }),
      tag: await own({ kind: 'tag', value: 'of=holder' }),
      memberTag: await own({ kind: 'tag', value: 'of=member' }),
      endUser: await own({ kind: 'end_user', value: 'grace' }),
    }
    const seenBy = async (who: string) =>
      ((await people[who]?.get<{ items: Row[] }>('budgets'))?.body.items ?? []).map(({ id }) => id).sort()
    expect(await seenBy('holder')).toEqual([operators.id, ...Object.values(mine)].sort())
    const { account: ofAccount, member, memberKey, memberTag } = mine
    expect(await seenBy('member')).toEqual([operators.id, ofAccount, member, memberKey, memberTag].sort())
    expect(await seenBy('stranger')).toEqual([foreign.id])

    const guards: [string, string, object, string][] = [
      ['holder', `budgets/${operators.id}`, { amount_usd: '9' }, '403 forbidden'],
      ['holder', `budgets/${foreign.id}`, { amount_usd: '9' }, '404 not_found'],
      ['holder', `budgets/${all.id}`, { amount_usd: '9' }, '404 not_found'],
      ['holder', 'budgets', { kind: 'all', amount_usd: '9' }, '400 bad_request'],
      ['holder', 'budgets', { kind: 'group', value: 'default', amount_usd: '9' }, '400 bad_request'],
      ['holder', 'budgets', { kind: 'key', key: keys.stranger, amount_usd: '9' }, '404 not_found'],
      [
        'holder',
        'budgets',
        { kind: 'member', person: 'stranger-of-budgets@example.com', amount_usd: '9' },
        '404 not_found',
      ],
      ['holder', 'budgets', { kind: 'account', account: '1', amount_usd: '9' }, '400 bad_request'],
      ['member', 'budgets', { kind: 'account', amount_usd: '9' }, '403 owners_only'],
      ['member', `budgets/${memberKey}`, { amount_usd: '9' }, '403 owners_only'],
      ['stranger', `budgets/${ofAccount}`, { amount_usd: '9' }, '404 not_found'],
    ]
    for (const [who, path, body, expected] of guards)
      expect([who, path, body, await outcome(who, path, body)]).toEqual([who, path, body, expected])
    const remove = async (who: string, id: string) =>
      outcomeOf((await people[who]?.delete(`budgets/${id}`)) as Awaited<ReturnType<ConsoleClient['delete']>>)
    expect(await remove('holder', operators.id)).toBe('403 forbidden')
    expect(await remove('holder', foreign.id)).toBe('404 not_found')
    expect(await remove('member', memberKey)).toBe('403 owners_only')
    expect(await remove('stranger', mine.tag)).toBe('404 not_found')
    expect(outcomeOf((await people.member?.get(`budgets/${mine.tag}`)) as never)).toBe('404 not_found')

    // The operator's caps are seen, and stay; a cap that the owner set is the owner's.
    await operate(gateway, 'account limit', { account, cap: '50' })
    await operate(gateway, 'key limit', { key: keys.holder ?? '', cap: '9' })
    expect(await seenBy('member')).toContain(`cap:account:${account}`)
    expect(await seenBy('member')).not.toContain(`cap:key:${keys.holder}`)
    expect(await outcome('holder', `budgets/cap:account:${account}`, { amount_usd: '60' })).toBe('403 forbidden')
    expect(await outcome('holder', `budgets/cap:key:${keys.holder}`, { amount_usd: '60' })).toBe('400 bad_request')
    expect(await outcome('holder', `budgets/cap:key:${keys.holder}`, { amount_usd: '6' })).toBe('200')
    expect(await outcome('stranger', `budgets/cap:key:${keys.holder}`, { amount_usd: '6' })).toBe('404 not_found')

    expect(await outcome('holder', `budgets/${mine.tag}`, { amount_usd: '4', alerts: [80] })).toBe('200')
    for (const id of Object.values(mine)) expect(await remove('holder', id)).toBe('200')
    expect((await as('viewer', 'GET', `budgets/${operators.id}`)).body).toMatchObject({ amount_usd: '5.00' })
  })

  test('a ninth that would always apply together with the others is not made; the operator comes before the holder', async () => {
    for (const each of await idsOf('across_accounts=true')) await as('finance', 'DELETE', `budgets/${each}`)
    const { id } = await operate<{ id: string }>(gateway, 'account create', { email: 'full-of-budgets@example.com' })
    const key = (await operate<{ id: string }>(gateway, 'key create', { account: id, name: 'full' })).id
    const tag = { kind: 'tag', account: id, value: 'team=search' }
    for (let each = 0; each < 6; each++) await create(tag)
    for (let each = 0; each < 2; each++) await create({ kind: 'account', account: id })
    const message = 'At most 8 budgets count for a request, and so many others apply already where this one would.'
    const rejected = await as('finance', 'POST', 'budgets', { amount_usd: '5', ...tag })
    expect([rejected.status, rejected.body.error?.message]).toEqual([409, message])
    for (const fields of [
      { kind: 'tag', account: id, value: 'team=ads' },
      { kind: 'key', key },
      { kind: 'account', account: id },
    ])
      await create(fields)
    for (let each = 0; each < 4; each++) await create({ kind: 'key_model', key, model: 'sandbox-text' })
    const model = { amount_usd: '5', kind: 'key_model', key, model: 'sandbox-text' }
    expect(adminOutcome(await as('finance', 'POST', 'budgets', model))).toBe('409 conflict')
    const owner = consoleClient(gateway.url)
    const email = 'own-budgets@example.com'
    await operate(gateway, 'account create', { email, password: PASSWORD })
    expect(outcomeOf(await owner.post('sign-in', { email, password: PASSWORD }))).toBe('200')
    const whole = { kind: 'account', amount_usd: '5' }
    for (let each = 0; each < 8; each++) expect((await owner.post('budgets', whole)).status).toBe(201)
    expect((await owner.post('budgets', whole)).status).toBe(409)
    await create({ ...whole, account: email })
  })
})
