// Changes at the same moment, on one node with SQLite and on two with PostgreSQL: a validator lets one of them pass, and the gateway keeps an
// owner. One caller with many requests leaves room for another.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type AdminClient, adminClient, adminOutcome } from '../../test/support/admin/admin-client.ts'
import { eventually } from '../../test/support/eventually.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'
import { closeDatabase, operate } from '../../test/support/gateway/operate.ts'

type Row = { id: string; secret: string; role: string | null; name: string }

describe.each([...ENGINES])('%s', (engine) => {
  let gateways: Gateway[]
  /** The same admin key, on each node. */
  let owners: AdminClient[]
  const [first] = [(): AdminClient => owners[0] as AdminClient]

  beforeAll(async () => {
    const one = await startGateway({ engine })
    gateways = engine === 'sqlite' ? [one] : [one, await startGateway({ home: one.home })]
    const { secret } = await operate<Row>(one, 'admin-key create', { name: 'owner', role: 'owner' })
    owners = gateways.map(({ url }) => adminClient(url, secret))
    await operate(one, 'account create', { email: 'holder@example.com' })
  })
  afterAll(async () => {
    await Promise.all(gateways.map((each) => each.stop()))
    if (gateways[0]) await closeDatabase(gateways[0].home)
  })

  /** The calls alternate between the nodes. */
  const atOnce = <T>(count: number, call: (client: AdminClient, index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => call(owners[index % owners.length] as AdminClient, index)))

  test('of changes with the same validator, one passes, and it is what the key has then', async () => {
    for (let round = 0; round < 5; round += 1) {
      const body = { account: 'holder@example.com', name: 'k' }
      const { id } = (await first()<Row>('POST', 'keys', { body })).body
      const tag = (await first()('GET', `keys/${id}`)).headers.get('etag') ?? ''
      const answers = await atOnce(6, (client, index) =>
        client<Row>('PATCH', `keys/${id}`, { body: { name: `name ${index}` }, headers: { 'if-match': tag } }),
      )
      const [passed, ...others] = answers.filter(({ status }) => status === 200)
      expect(others).toEqual([])
      const rest = answers.filter(({ status }) => status !== 200).map(adminOutcome)
      expect(new Set(rest)).toEqual(new Set(['412 precondition_failed']))
      expect((await first()<Row>('GET', `keys/${id}`)).body.name).toBe(passed?.body.name ?? '')
    }
  })

  test('owners who take the role of each other at once leave an owner', async () => {
    for (let round = 0; round < 3; round += 1) {
      const emails = ['a', 'b', 'c'].map((name) => `${name}${round}@example.com`)
      const ids: string[] = []
      for (const email of emails) {
        await first()('POST', 'accounts', { body: { email } })
        ids.push((await first()<Row>('PATCH', `people/${email}`, { body: { role: 'owner' } })).body.id)
      }
      // Those of the round before.
      for (const email of ['a', 'b', 'c'].map((name) => `${name}${round - 1}@example.com`))
        if (round > 0) await first()('PATCH', `people/${email}`, { body: { role: null } })
      const answers = await atOnce(6, (client, index) =>
        index % 2 === 0
          ? client('PATCH', `people/${ids[index % 3]}`, { body: { role: null } })
          : client('POST', `people/${ids[index % 3]}/disable`),
      )
      const people = await Promise.all(ids.map((id) => first()<Row & { disabled: boolean }>('GET', `people/${id}`)))
      expect(people.filter(({ body }) => body.role === 'owner' && !body.disabled)).toHaveLength(1)
      expect(answers.map(adminOutcome)).toContain('409 conflict')
      for (const id of ids) await first()('POST', `people/${id}/enable`)
    }
  })

  test('an idempotent request that is sent to all nodes at once makes one key', async () => {
    const body = { account: 'holder@example.com', name: 'once' }
    const call = (client: AdminClient) =>
      client<Row>('POST', 'keys', { body, headers: { 'idempotency-key': 'on-all-nodes' } })
    const answers = [...(await atOnce(8, call)), await call(first())]
    const made = answers.filter(({ status }) => status === 201).map((answer) => answer.body.secret)
    expect(new Set(made).size).toBe(1)
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true)
  })

  test('a caller with many requests at once leaves room for another one', async () => {
    const { secret } = (await first()<Row>('POST', 'admin-keys', { body: { name: 'greedy', role: 'owner' } })).body
    const url = new URL(gateways[0]?.url ?? '')
    // A body that does not arrive keeps a request running.
    const stalled = Array.from({ length: 20 }, () => stalledPost(url, secret))
    const rejected = () => stalled.filter(({ response }) => response().startsWith('HTTP/1.1 503 '))
    await eventually(() => rejected().length === 12)
    const polite = [0, 1, 2, 3, 4].map(() => first()('POST', 'codes?dry_run=true', { body: { amount_usd: '1' } }))
    expect((await Promise.all(polite)).map(adminOutcome)).toEqual(Array(5).fill('200'))
    for (const { end } of stalled) end()
  })
})

function stalledPost({ hostname, port }: URL, secret: string) {
  let received = ''
  const socket = connect(Number(port), hostname)
  socket.on('data', (bytes) => {
    received += bytes
  })
  socket.on('error', () => {})
  const head = ['POST /admin/v1/keys HTTP/1.1', `host: ${hostname}`, `authorization: Bearer ${secret}`]
  socket.write(`${[...head, 'content-type: application/json', 'content-length: 99'].join('\r\n')}\r\n\r\n`)
  return { response: () => received, end: () => socket.destroy() }
}

test('the admin API can be off, or open to certain networks only', async () => {
  const off = await startGateway({ config: 'server: { admin: off }' })
  const bound = await startGateway({
    config: 'server: { admin_networks: [192.0.2.0/24], trusted_proxies: [127.0.0.1] }',
  })
  try {
    const { secret } = await operate<Row>(off, 'admin-key create', { name: 'k', role: 'owner' })
    expect(adminOutcome(await adminClient(off.url, secret)('GET', 'admin-keys'))).toBe('404 not_found')
    const { secret: other } = await operate<Row>(bound, 'admin-key create', { name: 'k', role: 'owner' })
    const from = (address: string) =>
      adminClient(bound.url, other)('GET', 'admin-keys', { headers: { 'x-forwarded-for': address } })
    expect(adminOutcome(await from('198.51.100.7'))).toBe('403 address_not_allowed')
    expect(adminOutcome(await from('192.0.2.7'))).toBe('200')
  } finally {
    await Promise.all([off.stop(), bound.stop()])
  }
})
