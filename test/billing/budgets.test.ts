// Hard budgets of every kind under 50 requests at once, on both engines and on two nodes of PostgreSQL: none is exceeded by a nano-dollar,
// also if a node is killed meanwhile. Whoever is rejected learns which budget it was, and other requests go on.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { NewBudget } from '../../packages/gateway/src/storage/storage.ts'
import { budgetOf, newWallet, type Wallet, withStorage } from '../support/budgets.ts'
import { eventually } from '../support/eventually.ts'
import { audit } from '../support/gateway/accounts.ts'
import { askStore } from '../support/gateway/ask-store.ts'
import { chat, type Gateway, receiptOf, startGateway } from '../support/gateway/gateway.ts'
import { createDatabase, ENGINES, type Home, homeOnSameDatabase, newHomeWithTables } from '../support/gateway/home.ts'
import { chatBody } from '../support/requests/client.ts'
import {
  type Behaviour,
  chunk,
  configFor,
  event,
  reply,
  respondWith,
  role,
  STREAM_HEAD,
  startUpstream,
  type Upstream,
} from '../support/upstreams/raw-upstream.ts'

const CALLS = 50
const COST = 90_000n
/** What ten requests cost; each holds more than it costs, so that not even ten fit at once. */
const AMOUNT = 10n * COST
const TAGGED = { 'x-trivium-tags': 'team=search' }
const USED = { 'x-trivium-user': 'customer-7' }
const OTHER_TAG = { 'x-trivium-tags': 'team=ads' }

type Case = {
  name: string
  of(wallet: Wallet): Pick<NewBudget, 'kind'> & Partial<NewBudget>
  says: RegExp
  code: string
  headers?: Record<string, string>
  /** What the same key may send all the same. */
  other?: { model?: string; headers?: Record<string, string> }
}

const OF_ACCOUNT = 'account_quota_exceeded'
const OF_KEY = 'key_quota_exceeded'
const CASES: Case[] = [
  {
    name: 'account',
    of: ({ account }) => ({ kind: 'account', account }),
    says: /the budget of the account: 0\.0009 USD in all\./,
    code: OF_ACCOUNT,
  },
  {
    name: 'member',
    of: ({ account, person }) => ({ kind: 'member', account, person }),
    says: /the budget of the member who made the key: /,
    code: OF_KEY,
  },
  {
    name: 'key',
    of: ({ account, key }) => ({ kind: 'key', account, key, period: 'hours', everyHours: 5, startsAt: 0 }),
    says: /the budget of this key: 0\.0009 USD every 5 hours\. .* It begins anew at \d{4}-\d\d-\d\dT\d\d:00:00Z\./,
    code: OF_KEY,
  },
  {
    name: 'model of a key',
    of: ({ account, key }) => ({ kind: 'key_model', account, key, model: 'same' }),
    says: /the budget of model same of this key: /,
    code: OF_KEY,
    other: { model: 'renamed' },
  },
  {
    name: 'tag',
    of: ({ account }) => ({ kind: 'tag', account, value: 'team=search', period: 'day' }),
    says: /the budget of tag team=search: 0\.0009 USD a day\. .* It begins anew at \d{4}-\d\d-\d\dT00:00:00Z\./,
    code: OF_ACCOUNT,
    headers: TAGGED,
    other: { headers: OTHER_TAG },
  },
  {
    name: 'end user',
    of: ({ account }) => ({ kind: 'end_user', account, value: 'customer-7', period: 'month' }),
    says: /the budget of end user customer-7: 0\.0009 USD a month\./,
    code: OF_ACCOUNT,
    headers: USED,
    other: {},
  },
]

const CONFIG = (upstream: Upstream) => `${configFor(upstream)}
attribution: { end_users: plain }
console: { support_url: "mailto:help@example.com" }
`

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.stop())
beforeEach(() => upstream.behave(respondWith(reply())))

const bodyOf = (model = 'same', stream = false) => chatBody(model, stream, { max_tokens: 50 })

/** Sends all at once, in turn to each gateway, and counts the statuses. */
async function race(gateways: readonly Gateway[], secret: string, headers = {}): Promise<Record<number, number>> {
  const seen: Record<number, number> = {}
  const one = async (at: number): Promise<void> => {
    const response = await chat(gateways[at % gateways.length]?.url ?? '', secret, bodyOf(), headers)
    await response.text()
    // A gateway without CPU to spare rejects some, which no budget has counted.
    if (response.status === 503) return one(at)
    seen[response.status] = (seen[response.status] ?? 0) + 1
  }
  await Promise.all(Array.from({ length: CALLS }, (_, at) => one(at)))
  return seen
}

describe.each(ENGINES)('on %s', (engine) => {
  let home: Home
  let gateways: Gateway[]
  const wallets = new Map<string, Wallet & { budget: bigint }>()

  beforeAll(async () => {
    home = await newHomeWithTables(engine, CONFIG(upstream))
    await createDatabase(home)
    await withStorage(home, async (storage) => {
      const text = 'Ask Ada for more.'
      for (const { name, of } of [...CASES, STREAMED, KILLED]) {
        const wallet = await newWallet(storage)
        const made = await storage.budgets.create(budgetOf({ amount: AMOUNT, text, ...of(wallet) }))
        if (!made) throw new Error(`no budget: ${name}`)
        wallets.set(name, { ...wallet, budget: made.id })
      }
    })
    gateways = [await startGateway({ home })]
    if (engine === 'postgres') gateways.push(await startGateway({ home: homeOnSameDatabase(home, CONFIG(upstream)) }))
  })
  afterAll(async () => {
    for (const gateway of gateways) await gateway.stop()
  })

  const of = (name: string) => {
    const wallet = wallets.get(name)
    const [first] = gateways
    if (!wallet || !first) throw new Error(`there is no ${name}`)
    return { ...wallet, url: first.url, first }
  }
  /** As the ledger has it. */
  async function meterOf(budget: bigint): Promise<{ spent: bigint; held: bigint }> {
    const columns = 'CAST(spent AS text) AS spent, CAST(held AS text) AS held'
    const [row] = await askStore(home, `SELECT ${columns} FROM budget WHERE id = ${budget}`)
    return { spent: BigInt(String(row?.spent)), held: BigInt(String(row?.held)) }
  }
  /** Once what ran has ended; SQLite writes a moment later what it has answered. */
  async function spends(budget: bigint, amount: bigint): Promise<void> {
    let meter = { spent: 0n, held: 0n }
    await eventually(async () => {
      meter = await meterOf(budget)
      return meter.held === 0n && meter.spent >= amount
    })
    expect(meter.spent).toBe(amount)
  }

  test.each(CASES.map((each) => [each.name, each] as const))('%s: 50 requests at once', async (name, each) => {
    const { secret, budget, url } = of(name)
    const seen = await race(gateways, secret, each.headers)
    const served = seen[200] ?? 0
    expect(served).toBeGreaterThan(0)
    expect(seen).toEqual({ 200: served, 402: CALLS - served })
    expect(BigInt(served) * COST).toBeLessThanOrEqual(AMOUNT)
    await spends(budget, BigInt(served) * COST)
    // To the end, one after the other.
    let rejected: Response
    do rejected = await chat(url, secret, bodyOf(), each.headers ?? {})
    while (rejected.status === 200 && (await rejected.text()))
    expect(rejected.status).toBe(402)
    const { error } = (await rejected.json()) as { error: { message: string; code: string } }
    expect(error.message).toMatch(each.says)
    expect(error.message).toMatch(/Available: 0\.00\d* USD; this request needs at least 0\.00\d+ USD\./)
    expect(error.message).toMatch(/ Ask Ada for more\.$/)
    expect(error.code).toBe(each.code)
    expect(rejected.headers.get('retry-after')).toBeNull()
    expect((await meterOf(budget)).spent).toBeLessThanOrEqual(AMOUNT)
    if (!each.other) return
    const { model = 'same', headers = {} } = each.other
    for (const { url: at } of gateways) expect((await chat(at, secret, bodyOf(model), headers)).status).toBe(200)
  })

  test('a stream that reaches it while it runs ends as length, and charges no more than was left', async () => {
    const { secret, budget, url } = of(STREAMED.name)
    upstream.behave(endless)
    const response = await chat(url, secret, chatBody('same', true), TAGGED)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('"finish_reason":"length"')
    expect(await receiptOf(url, secret, response)).toMatchObject({
      outcome: 'stopped_by_balance',
      budgets: [{ id: String(budget), kind: 'tag', value: 'team=search', hard: true, left_usd: '0.0009' }],
    })
    await eventually(async () => (await meterOf(budget)).held === 0n)
    expect((await meterOf(budget)).spent).toBeLessThanOrEqual(AMOUNT)
  })

  test('a node that is killed while requests run under it', async () => {
    const { secret, budget, first } = of(KILLED.name)
    const before = upstream.received.length
    upstream.behave(() => new Promise(() => {}))
    const lost = Array.from({ length: 2 }, () => chat(first.url, secret, bodyOf(), TAGGED).catch(() => undefined))
    await eventually(() => upstream.received.length >= before + 2)
    await first.kill()
    await Promise.all(lost)
    upstream.behave(respondWith(reply()))
    gateways[0] = await startGateway({ home })
    const seen = await race(gateways, secret, TAGGED)
    const { spent, held } = await meterOf(budget)
    expect(spent + held).toBeLessThanOrEqual(AMOUNT)
    await spends(budget, BigInt(seen[200] ?? 0) * COST)
    const again = await race(gateways, secret, TAGGED)
    const served = (seen[200] ?? 0) + (again[200] ?? 0)
    expect(served).toBeGreaterThan(0)
    expect(served).toBeLessThanOrEqual(10)
    await spends(budget, BigInt(served) * COST)
    expect(await audit(gateways[0])).toMatchObject({ ok: true, open_holds: 0 })
  })
})

const STREAMED: Pick<Case, 'name' | 'of'> = {
  name: 'streamed',
  of: ({ account }) => ({ kind: 'tag', account, value: 'team=search' }),
}
const KILLED: Pick<Case, 'name' | 'of'> = {
  name: 'killed',
  of: ({ account }) => ({ kind: 'tag', account, value: 'team=search' }),
}

const delta = (content: string) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
/** Text without end, until the client has had enough. */
const endless: Behaviour = async (socket) => {
  socket.write(STREAM_HEAD)
  socket.write(chunk(role()))
  while (!socket.destroyed) {
    socket.write(chunk(delta('word '.repeat(40))))
    await Bun.sleep(1)
  }
}
