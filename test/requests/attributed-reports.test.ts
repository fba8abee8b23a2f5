// What was spent by tag, end user and session: in the APIs of operators and account holders, in files and on the command line, on both
// engines. A member of an account sees what the own keys spent alone.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminClient } from '../support/admin/admin-client.ts'
import { type ConsoleClient, consoleClient, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES, runCommand } from '../support/gateway/home.ts'
import { closeDatabase, operate } from '../support/gateway/operate.ts'

type Row = Record<string, unknown>
type List = { data: Row[]; has_more: boolean; last_id: string | null }
const said = ({ status, body }: { status: number; body: unknown }): string => `${status} ${JSON.stringify(body)}`
type Breakdown = { items: Row[]; others: Row | null }

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  let account: string
  let admin: ReturnType<typeof adminClient>
  let owner: ConsoleClient
  let member: ConsoleClient
  const ids: string[] = []

  async function send(secret: string, headers: Record<string, string>): Promise<void> {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect([response.status, (await response.json()) !== undefined]).toEqual([200, true])
    ids.push(response.headers.get('x-request-id') ?? '')
  }

  beforeAll(async () => {
    gateway = await startGateway({ engine })
    admin = adminClient(
      gateway.url,
      (await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'o', role: 'owner' })).secret,
    )
    const signedIn = async (email: string) => {
      const { id } = await operate<{ id: string }>(gateway, 'account create', {
        email,
        password: PASSWORD,
        credit_usd: '10',
      })
      const client = consoleClient(gateway.url)
      await client.post('sign-in', { email, password: PASSWORD })
      return { id, client }
    }
    const [boss, colleague] = [await signedIn('ada@example.com'), await signedIn('bob@example.com')]
    account = boss.id
    owner = boss.client
    member = colleague.client
    await operate(gateway, 'account member', { account, email: 'bob@example.com', role: 'member' })
    await member.post('session/account', { account })
    const key = async (client: ConsoleClient) =>
      (await client.post<{ secret: string }>('keys', { name: 'k' })).body.secret
    const [own, theirs] = [await key(owner), await key(member)]
    await send(own, {
      'x-trivium-tags': 'team=search,env=prod',
      'x-trivium-user': 'grace',
      'x-trivium-session': 'chat-1',
    })
    await send(own, { 'x-trivium-tags': 'team=mail', 'x-trivium-user': 'grace' })
    await send(theirs, { 'x-trivium-tags': 'team=search', 'x-trivium-user': 'linus', 'x-trivium-session': 'chat-1' })
    await send(own, {})
  })
  afterAll(async () => {
    await gateway.stop()
    await closeDatabase(gateway.home)
  })

  const usage = async (query: string) => {
    const { body } = await admin<List>('GET', `usage?account=${account}&${query}`)
    return body.data.map(({ requests, ...row }) => [row.tag ?? row.end_user ?? row.model ?? row.month, requests])
  }

  test('operators add up by tag, by the values of a tag, by end user, week and month', async () => {
    expect(await usage('group_by=tag')).toEqual([
      ['env=prod', 1],
      ['team=mail', 1],
      ['team=search', 2],
    ])
    expect(await usage('group_by=tag:team&sort=-requests')).toEqual([
      ['team=search', 2],
      ['team=mail', 1],
    ])
    expect(await usage('group_by=model&tag=team%3Dsearch')).toEqual([['sandbox-text', 2]])
    expect(await usage('group_by=month')).toEqual([[new Date().toISOString().slice(0, 7), 4]])
    expect((await usage('group_by=tag&person=bob@example.com')).map(([tag]) => tag)).toEqual(['team=search'])
    const { body } = await admin<List>('GET', `usage?group_by=end_user&account=${account}&sort=-requests`)
    expect(body.data).toMatchObject([
      { end_user: expect.stringMatching(/^u_[\w-]{22}$/), requests: 2 },
      { end_user: expect.stringMatching(/^u_/), requests: 1 },
    ])
    expect(body.data[0]).not.toHaveProperty('shortfall_usd')
    // As requests name the end user, whose hash is kept.
    expect(await usage('group_by=model&end_user=grace')).toEqual([['sandbox-text', 2]])
    expect(await usage('group_by=model&end_user=nobody')).toEqual([])
    const paged = await admin<List>('GET', `usage?group_by=tag,model&account=${account}&limit=2`)
    expect(paged.body).toMatchObject({ has_more: true, data: [{ tag: 'env=prod' }, { tag: 'team=mail' }] })
    const next = await admin<List>(
      'GET',
      `usage?group_by=tag,model&account=${account}&limit=2&after=${encodeURIComponent(paged.body.last_id ?? '')}`,
    )
    expect(next.body).toMatchObject({ has_more: false, data: [{ tag: 'team=search', model: 'sandbox-text' }] })
  })

  test('what sums do not keep is rejected with what to do', async () => {
    const rejected = async (query: string) => said(await admin('GET', `usage?${query}`))
    for (const query of ['group_by=tag,end_user', 'tag=a&end_user=b&account=1', 'group_by=tag:team&tag=env%3Dprod'])
      expect(await rejected(query)).toMatch(
        /400.*one tag or one end user at a time.*list of requests takes both as filters/s,
      )
    expect(await rejected(`group_by=tag,hour&from=${new Date().toISOString().slice(0, 10)}`)).toMatch(
      /400.*whole days/s,
    )
    expect(await rejected('tag=a&from=2026-01-01T12:00:00Z&to=2026-01-02')).toMatch(/400.*from: .*whole days/s)
    expect(await rejected('group_by=colour')).toMatch(/400.*tag:NAME/s)
  })

  test('requests are listed by tag, end user and session, with a total of the session', async () => {
    const listed = async (query: string) =>
      (await admin<List>('GET', `requests?account=${account}&${query}`)).body.data.map(({ id }) =>
        ids.indexOf(String(id)),
      )
    expect(await listed('tag=team%3Dsearch')).toEqual([2, 0])
    expect(await listed('session=chat-1&end_user=linus')).toEqual([2])
    const [row] = (await admin<List>('GET', `requests?id=${ids[0]}`)).body.data
    expect(row).toMatchObject({
      tags: ['env=prod', 'team=search'],
      end_user: expect.stringMatching(/^u_/),
      session: 'chat-1',
    })
    const { body } = await admin<Row>('GET', `usage/session?account=${account}&session=chat-1`)
    expect(body).toMatchObject({ requests: 2, running: 0, is_all: true, session: 'chat-1' })
    expect(Number(body.charged_usd)).toBeGreaterThan(0)
    const csv = await fetch(`${gateway.url}/console/api/requests.csv?session=chat-1`, {
      headers: { cookie: `trivium_session=${owner.token()}` },
    })
    const [head = '', first = ''] = (await csv.text()).split('\r\n')
    expect(head).toEndWith(',outcome,tags,end_user,session')
    expect(first).toMatch(/,completed,team=search,u_[\w-]{22},chat-1$/)
  })

  test('account holders see the same of their account, and a member of the own keys alone', async () => {
    const of = async (client: ConsoleClient, query: string) =>
      (await client.get<Breakdown>(`usage/breakdown?${query}`)).body.items.map(({ name, requests }) => [name, requests])
    expect((await of(owner, 'by=tag')).toSorted()).toEqual([
      ['env=prod', 1],
      ['team=mail', 1],
      ['team=search', 2],
    ])
    expect((await of(owner, 'by=tag:env')).toSorted()).toEqual([['env=prod', 1]])
    expect(await of(owner, 'by=model&end_user=grace')).toEqual([['sandbox-text', 2]])
    expect(await of(member, 'by=tag')).toEqual([['team=search', 1]])
    expect(await of(member, 'by=model&tag=team%3Dmail')).toEqual([])
    expect(await of(member, 'by=model&end_user=grace')).toEqual([])
    const total = async (client: ConsoleClient, query: string) =>
      (await client.get<{ total: Row }>(`usage?${query}`)).body.total.requests
    // A request counts once in the whole, whatever it is grouped by.
    expect([await total(owner, 'by=tag'), await total(member, 'by=tag')]).toEqual([4, 1])
    expect(await total(owner, 'tag=team%3Dsearch')).toBe(2)
    const session = async (client: ConsoleClient) =>
      (await client.get<Row>('usage/session?session=chat-1')).body.requests
    expect([await session(owner), await session(member)]).toEqual([2, 1])
    const listed = async (client: ConsoleClient, query: string) =>
      (await client.get<{ items: Row[] }>(`requests?${query}`)).body.items.map((row) =>
        ids.indexOf(String(row.request_id)),
      )
    expect(await listed(owner, 'tag=team%3Dsearch')).toEqual([2, 0])
    expect(await listed(member, 'tag=team%3Dsearch')).toEqual([2])
    expect(await listed(member, 'session=chat-1&end_user=grace')).toEqual([])
    expect((await owner.get<Row>(`requests/${ids[0]}`)).body).toMatchObject({
      tags: ['env=prod', 'team=search'],
      session: 'chat-1',
    })
    expect(said(await owner.get('usage?by=tag&step=hour'))).toMatch(/400.*step=day/s)
    expect(said(await owner.get('usage?by=tag&end_user=grace'))).toMatch(/400.*not by both together/s)
    expect(said(await owner.get('usage/breakdown?by=none'))).toMatch(/400/)
    expect((await owner.get<Row>('usage/session')).body).toMatchObject({ requests: 0, charged_usd: '0.00' })
  })

  test('the command line reports the same, as a table and as comma-separated values', async () => {
    const printed = async (...args: string[]) => (await runCommand(gateway.home, args)).stdout
    const spend = ['report', 'spend', '--account', account]
    expect(await printed(...spend, '--by', 'tag:team', '--csv')).toMatch(
      /^tag,requests,.*\r?\nteam=search,2,.*\r?\nteam=mail,1,/,
    )
    expect(await printed(...spend, '--by', 'end_user', '--csv')).toMatch(/^end_user,account_id,account,requests,/)
    expect(await printed(...spend, '--by', 'model', '--tag', 'team=mail')).toContain('sandbox-text')
    expect(await printed('report', 'usage', '--by', 'week,tag')).toContain('team=mail')
    expect(await printed('request', 'list', '--session', 'chat-1', '--json')).toContain('"team=search"')
    expect(await printed('report', 'session', '--account', account, '--session', 'chat-1')).toContain('requests: 2')
  })
})
