// Budgets across accounts: once one is reached, every node stops new requests that count against it, and no others. Nobody learns what other
// accounts have spent.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { budgetOf, newWallet, type Wallet, withStorage } from '../support/budgets.ts'
import { eventually } from '../support/eventually.ts'
import { audit } from '../support/gateway/accounts.ts'
import { askStore } from '../support/gateway/ask-store.ts'
import { chat, type Gateway, receiptOf, startGateway } from '../support/gateway/gateway.ts'
import { createDatabase, ENGINES, type Home, homeOnSameDatabase, newHomeWithTables } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'
import { chatBody } from '../support/requests/client.ts'
import { configFor, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

const COST = 90_000n
/** What ten requests cost. */
const AMOUNT = 10n * COST
const TAGGED = { 'x-trivium-tags': 'env=prod' }
const BODY = chatBody('same', false, { max_tokens: 50 })

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.stop())

type Name = 'group' | 'tag' | 'soft' | 'all'

describe.each(ENGINES)('on %s', (engine) => {
  let home: Home
  const gateways: Gateway[] = []
  const budgets = new Map<Name, bigint>()
  let gold: [Wallet, Wallet]
  let plain: [Wallet, Wallet]

  beforeAll(async () => {
    const config = `${configFor(upstream)}\ngroups: [{ id: default, models: ["*"] }, { id: gold, models: ["*"] }]\n`
    home = await newHomeWithTables(engine, config)
    await createDatabase(home)
    await withStorage(home, async (storage) => {
      gold = [await newWallet(storage, 'gold'), await newWallet(storage, 'gold')]
      plain = [await newWallet(storage), await newWallet(storage)]
      const make = async (name: Name, terms: Parameters<typeof budgetOf>[0]) => {
        const made = await storage.budgets.create(budgetOf({ text: 'Wait until tomorrow.', ...terms }))
        budgets.set(name, made?.id ?? 0n)
      }
      await make('group', { kind: 'group', value: 'gold', amount: AMOUNT, period: 'day' })
      await make('tag', { kind: 'tag', value: 'env=prod', amount: AMOUNT })
      await make('soft', { kind: 'all', hard: false, amount: 1n })
      await make('all', { kind: 'all', amount: 20n * AMOUNT, period: 'month' })
    })
    gateways.push(await startGateway({ home }))
    if (engine === 'postgres') gateways.push(await startGateway({ home: homeOnSameDatabase(home, config) }))
  })
  afterAll(async () => {
    for (const gateway of gateways) expect(await audit(gateway)).toMatchObject({ ok: true })
    for (const gateway of gateways) await gateway.stop()
  })

  const send = async (gateway: Gateway | undefined, { secret }: Wallet, headers = {}) => {
    const response = await chat(gateway?.url ?? '', secret, BODY, headers)
    return { response, status: response.status, text: await response.clone().text() }
  }
  /** So many requests at once, in turn to each node and from each account. */
  const sendMany = (count: number, wallets: readonly Wallet[], headers = {}) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        send(gateways[at % gateways.length], wallets[at % wallets.length] as Wallet, headers),
      ),
    )
  /** Until every node rejects every account. */
  async function stopped(wallets: readonly Wallet[], headers = {}): Promise<string> {
    let last = ''
    for (const gateway of gateways)
      for (const wallet of wallets)
        await eventually(async () => {
          const { status, text } = await send(gateway, wallet, headers)
          last = text
          if (status === 200) await Bun.sleep(200)
          return status === 402
        })
    return (JSON.parse(last) as { error: { message: string } }).error.message
  }
  async function spentUnder(name: Name): Promise<bigint> {
    const query = `SELECT CAST(sum(spent) AS text) AS spent FROM budget_sum WHERE budget = ${budgets.get(name)}`
    return BigInt(String((await askStore(home, query))[0]?.spent))
  }

  test('of a group', async () => {
    for (const { status } of await sendMany(10, gold)) expect(status).toBe(200)
    expect(await stopped(gold)).toMatch(
      /^This request would exceed the budget of group gold\. It begins anew at \S+T00:00:00Z\. Wait until tomorrow\.$/,
    )
    for (const { status } of await sendMany(4, plain)) expect(status).toBe(200)
    await eventually(async () => (await spentUnder('group')) >= AMOUNT)
  })

  test('of a tag of all accounts', async () => {
    for (const { status } of await sendMany(10, plain, TAGGED)) expect(status).toBe(200)
    expect(await stopped(plain, TAGGED)).toBe(
      'This request would exceed the budget of tag env=prod over all accounts. Wait until tomorrow.',
    )
    for (const { status } of await sendMany(4, plain)) expect(status).toBe(200)
  })

  test('a receipt lists them for operators alone', async () => {
    const { response } = await send(gateways[0], plain[0])
    expect(await receiptOf(gateways[0]?.url ?? '', plain[0].secret, response)).toMatchObject({ budgets: [] })
    const request = response.headers.get('x-request-id') ?? ''
    const shown = async () =>
      await operate<{ state: string; budgets: object[] }>(gateways[0] as Gateway, 'request show', { key: request })
    await eventually(async () => (await shown()).state === 'settled')
    expect((await shown()).budgets).toEqual([
      { id: String(budgets.get('soft')), kind: 'all', value: null, hard: false, left_usd: null },
      { id: String(budgets.get('all')), kind: 'all', value: null, hard: true, left_usd: null },
    ])
  })

  test('of everything; a soft one that was exceeded long before has stopped nothing', async () => {
    const [{ count = 0 } = {}] = await askStore(
      home,
      'SELECT CAST(count(*) AS text) AS count FROM request WHERE cost > 0',
    )
    await sendMany(Math.max(0, 200 - Number(count)), plain)
    expect(await stopped([...plain, ...gold])).toMatch(/ the budget of (all accounts|group gold)\./)
    await eventually(async () => (await spentUnder('all')) === (await spentUnder('soft')))
    expect(await spentUnder('all')).toBeGreaterThanOrEqual(20n * AMOUNT)
  })
})
