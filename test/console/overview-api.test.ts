// The overview of the console API, on both engines: its figures are those of the ledger.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Overview, Receipt } from '../../packages/console/src/api/types.ts'
import { formatUsd, parseUsd } from '../../packages/gateway/src/money/amount.ts'
import { eventually } from '../support/eventually.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'

const sum = (amounts: readonly string[]): string =>
  formatUsd(amounts.reduce((total, usd) => total + (parseUsd(usd) ?? 0n), 0n))
const dayOf = (time: number): number => Math.floor(time / 86_400_000)

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine })
  })
  afterAll(() => gateway.stop())

  async function person(name: string, credit: string): Promise<ConsoleClient> {
    const email = `${name}@example.com`
    await gateway.command('account', 'create', '--email', email, '--password', PASSWORD, '--credit', credit)
    const client = consoleClient(gateway.url)
    expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD }))).toBe('200')
    return client
  }
  const overviewOf = async (client: ConsoleClient): Promise<Overview> => (await client.get<Overview>('overview')).body

  test('a new account: its credit, fourteen empty days, no requests, no keys', async () => {
    const client = await person('fresh', '10')
    const { days, ...rest } = await overviewOf(client)
    expect(rest).toEqual({
      balance_usd: '10.00',
      credit_line_usd: '0.00',
      held_usd: '0.00',
      available_usd: '10.00',
      spent_today_usd: '0.00',
      spent_this_month_usd: '0.00',
      requests: [],
      keys: 0,
    })
    expect(days).toHaveLength(14)
    expect(days.every(({ cost_usd, requests }) => cost_usd === '0.00' && requests === 0)).toBe(true)
    const times = days.map(({ at }) => Date.parse(at))
    expect(
      times.every((time, index) => time % 86_400_000 === 0 && (index === 0 || time > (times[index - 1] ?? 0))),
    ).toBe(true)
    // Midnight may pass between the response and this line.
    expect([dayOf(Date.now()), dayOf(Date.now()) - 1]).toContain(dayOf(times.at(-1) ?? 0))
  })

  test('after twelve requests: the newest ten, and sums that equal their receipts', async () => {
    const client = await person('busy', '10')
    const { body } = await client.post<{ secret: string }>('keys', { name: 'laptop' })
    const ids: string[] = []
    for (let index = 0; index < 12; index++) {
      const request = { model: 'sandbox-text', messages: [{ role: 'user', content: `Hello ${index}` }] }
      const response = await chat(gateway.url, body.secret, request)
      expect(response.status).toBe(200)
      await response.text()
      ids.push(response.headers.get('x-request-id') ?? '')
    }
    const receipts = await Promise.all(ids.map(async (id) => (await client.get<Receipt>(`requests/${id}`)).body))
    const spent = sum(receipts.map(({ cost_usd }) => cost_usd))
    expect(spent).not.toBe('0.00')
    // Charges are booked in batches.
    await eventually(async () => sum((await overviewOf(client)).days.map(({ cost_usd }) => cost_usd)) === spent)
    const overview = await overviewOf(client)
    expect(overview.requests.map(({ request_id }) => request_id)).toEqual(ids.toReversed().slice(0, 10))
    expect(overview.requests[0]).toMatchObject({
      model: 'sandbox-text',
      key_name: 'laptop',
      outcome: 'completed',
      cost_usd: receipts.at(-1)?.cost_usd,
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
      total_ms: expect.any(Number),
    })
    expect(overview.days.reduce((total, { requests }) => total + requests, 0)).toBe(12)
    expect(overview.spent_this_month_usd).toBe(spent)
    expect(sum([overview.balance_usd, spent])).toBe('10.00')
    expect(overview.held_usd).toBe('0.00')
    expect(overview.available_usd).toBe(overview.balance_usd)
    expect(overview.keys).toBe(1)
    const [key] = (await client.get<{ items: { last_used_at: string; spent_usd: string }[] }>('keys')).body.items
    expect(key).toMatchObject({ spent_usd: spent, last_used_at: expect.any(String) })
  })

  test('the built-in key does not count as a key; deleted ones do', async () => {
    const client = await person('curious', '1')
    expect(outcomeOf(await client.get('playground/key'))).toBe('200')
    expect((await overviewOf(client)).keys).toBe(0)
    const { body } = await client.post<{ key: { id: string } }>('keys', { name: 'short-lived' })
    expect((await overviewOf(client)).keys).toBe(1)
    await client.delete(`keys/${body.key.id}`)
    // An account that has had a key needs no first-run path.
    expect((await overviewOf(client)).keys).toBe(1)
  })

  test('nothing of other accounts, and nothing without a session', async () => {
    const client = await person('alone', '3')
    expect(await overviewOf(client)).toMatchObject({ balance_usd: '3.00', requests: [], keys: 0 })
    expect(outcomeOf(await consoleClient(gateway.url).get('overview'))).toBe('401 not_signed_in')
  })
})
