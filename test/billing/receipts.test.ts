// Receipts for callers, on both engines: every request has a receipt, every receipt can be recomputed, and their sum is the
// difference of the balance.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { ceilDiv, formatUsd, parseUsd } from '../../packages/gateway/src/money/amount.ts'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { CLIENTS, callIn, headersIn } from '../support/requests/dialect-calls.ts'

const CONFIG = `
server: { show_upstreams: true }
sandbox: { faults: true }
models:
  - id: odd
    routes: [{ upstream: sandbox, model: sandbox-text, cost: { input: 0.1, output: 0.3 } }]
    price: { input: 1.37, output: 4.01, cached_input: 0.3 }
groups:
  - { id: default, models: ["*"] }
  - { id: expensive, models: ["*"], multiplier: 1.333333 }
`

type Receipt = {
  request_id: string
  at: string
  model: string
  group: string | null
  upstream: string
  attempts: { upstream: string; model: string; outcome: string; upstream_model?: string }[]
  state: string
  outcome: string
  units: Record<string, number> | null
  price: { version: string; usd_per_million_tokens: Record<string, string>; multiplier: string } | null
  formula: string | null
  cost_usd: string
  shortfall_usd: string
  held_usd: string
  timing: { first_token_ms: number | null; total_ms: number | null }
}
type Usage = {
  balance_usd: string
  held_usd: string
  available_usd: string
  account: { spent_today_usd: string; spent_this_month_usd: string }
  key: { id: string; group: string; spent_usd: string; spent_today_usd: string; spent_this_month_usd: string }
  requests: Receipt[]
  has_more: boolean
}

const nanos = (usd: string): bigint => parseUsd(usd) ?? -1n
const sum = (amounts: readonly string[]): string => formatUsd(amounts.reduce((total, usd) => total + nanos(usd), 0n))

/** The cost, computed from nothing but what the caller is shown. */
function recomputed({ units, price }: Receipt): string | undefined {
  if (!units || !price) return undefined
  const perMillion = Object.entries(units).map(
    ([name, count]) => BigInt(count) * nanos(price.usd_per_million_tokens[name] ?? ''),
  )
  const total = perMillion.reduce((one, other) => one + other, 0n)
  return formatUsd(ceilDiv(total * nanos(price.multiplier), 1_000_000n * 1_000_000_000n))
}

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  let ada: { secret: string; email: string; keyId: string }
  let bob: { secret: string; email: string; keyId: string }
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: CONFIG, streamTiming: { usageWaitMs: 100 } })
    ada = await newKey(gateway, undefined, { group: 'expensive' })
    bob = await newKey(gateway)
  })
  afterAll(async () => {
    await gateway.stop()
    rmSync(gateway.home.dataDir, { recursive: true, force: true })
  })

  const get = async <T>(path: string, secret = ada.secret) => {
    const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${secret}` } })
    return { status: response.status, body: (await response.json()) as T }
  }
  const usage = async (query = '', secret = ada.secret) => (await get<Usage>(`/v1/usage${query}`, secret)).body

  test('a new key has spent nothing', async () => {
    expect(await usage()).toMatchObject({
      object: 'usage',
      balance_usd: '10.00',
      held_usd: '0.00',
      available_usd: '10.00',
      has_more: false,
      account: { spent_today_usd: '0.00', spent_this_month_usd: '0.00' },
      key: { id: ada.keyId, name: 'test', group: 'expensive', cap_usd: null, spent_usd: '0.00' },
      requests: [],
    })
  })

  test.each(CLIENTS)('%s: a completed request has its receipt at once', async (dialect) => {
    for (const streamed of [false, true]) {
      const response = await callIn(dialect, gateway.url, ada.secret, { model: 'odd', streamed })
      expect(response.status).toBe(200)
      await response.text()
      const id = response.headers.get('x-request-id')
      // In the caller's dialect, with its headers.
      const own = await fetch(`${gateway.url}/v1/usage/${id}`, { headers: headersIn(dialect, ada.secret) })
      expect(own.status).toBe(200)
      const receipt = (await own.json()) as Receipt
      expect(receipt).toMatchObject({
        request_id: id,
        model: 'odd',
        group: 'expensive',
        upstream: 'sandbox',
        state: 'settled',
        outcome: 'completed',
        attempts: [{ upstream: 'sandbox', model: 'odd', outcome: 'completed' }],
      })
      expect(receipt.timing.total_ms).toBeGreaterThanOrEqual(0)
      expect(nanos(receipt.cost_usd)).toBeGreaterThan(0n)
      expect(JSON.stringify(receipt)).not.toContain('upstream_cost')
      expect((await usage('?limit=1')).requests).toEqual([receipt])
    }
  })

  test('a failed request has a receipt with cost 0', async () => {
    const response = await callIn('chat', gateway.url, ada.secret, { model: 'sandbox-text:status=500' })
    expect(response.status).toBeGreaterThanOrEqual(500)
    const { body } = await get<Receipt>(`/v1/usage/${response.headers.get('x-request-id')}`)
    expect(body).toMatchObject({
      state: 'voided',
      outcome: 'failed',
      cost_usd: '0.00',
      attempts: [{ outcome: 'failed' }],
    })
  })

  test('a running request shows its hold', async () => {
    const abort = new AbortController()
    const calling = { model: 'sandbox-text:stall=3', streamed: true, signal: abort.signal }
    const response = await callIn('chat', gateway.url, ada.secret, calling)
    const id = response.headers.get('x-request-id')
    const open = (await get<Receipt>(`/v1/usage/${id}`)).body
    expect(open).toMatchObject({ state: 'open', outcome: 'running', cost_usd: '0.00', formula: null })
    const { balance_usd, held_usd, available_usd } = await usage()
    expect(held_usd).toBe(open.held_usd)
    expect(nanos(held_usd)).toBeGreaterThan(0n)
    expect(available_usd).toBe(formatUsd(nanos(balance_usd) - nanos(held_usd)))
    abort.abort()
    const ended = async () => (await get<Receipt>(`/v1/usage/${id}`)).body
    await eventually(async () => (await ended()).state !== 'open')
    expect(await ended()).toMatchObject({ state: 'settled', outcome: 'client_disconnected' })
  })

  test('the receipts add up to the difference of the balance, and each can be recomputed', async () => {
    const receipts: Receipt[] = []
    for (let before = ''; ; ) {
      const { requests, has_more } = await usage(`?limit=3${before}`)
      receipts.push(...requests)
      if (!has_more) break
      before = `&before=${requests.at(-1)?.request_id}`
    }
    expect(receipts).toHaveLength(10)
    expect(new Set(receipts.map(({ request_id: id }) => id)).size).toBe(10)
    expect(receipts.map(({ at }) => at)).toEqual(
      receipts
        .map(({ at }) => at)
        .sort()
        .reverse(),
    )
    for (const receipt of receipts) {
      expect(recomputed(receipt)).toBe(receipt.cost_usd)
      expect(receipt.formula).toEndWith(` = ${receipt.cost_usd} USD`)
      expect(receipt).toMatchObject({ configuration: { revision: 0, file: expect.stringMatching(/^[0-9a-f]{12}$/) } })
    }
    const spent = sum(receipts.map(({ cost_usd: usd }) => usd))
    const now = await usage()
    expect(now.balance_usd).toBe(formatUsd(nanos('10') - nanos(spent)))
    expect(now.account).toMatchObject({ spent_today_usd: spent, spent_this_month_usd: spent })
    expect(now.key).toMatchObject({ spent_usd: spent, spent_today_usd: spent, spent_this_month_usd: spent })

    const listed = await gateway.command<(Receipt & { upstream_cost_usd: string | null })[]>(
      'usage',
      '--account',
      ada.email,
    )
    expect(listed.map(({ request_id: id }) => id)).toEqual(receipts.map(({ request_id: id }) => id))
    expect(listed.at(-1)).toMatchObject({ ...receipts.at(-1), attempts: [{ upstream_model: 'sandbox-text' }] })
    expect(await gateway.command<object>('audit')).toMatchObject({ ok: true, open_holds: 0 })
  })

  test('an account sees only its own requests', async () => {
    const [newest] = (await usage('?limit=1')).requests
    const { status, body } = await get<{ error: object }>(`/v1/usage/${newest?.request_id}`, bob.secret)
    expect([status, body.error]).toMatchObject([404, { code: 'not_found' }])
    const unknown = await get<{ error: object }>('/v1/usage/req_0000000000000001', bob.secret)
    expect(unknown.status).toBe(404)
    expect(await usage('', bob.secret)).toMatchObject({ balance_usd: '10.00', requests: [], has_more: false })
    expect((await usage(`?before=${newest?.request_id}`, bob.secret)).requests).toEqual([])
  })

  test('a deleted key gets no receipts', async () => {
    const eve = await newKey(gateway)
    expect((await get('/v1/usage', eve.secret)).status).toBe(200)
    await gateway.command('key', 'delete', eve.keyId)
    await eventually(async () => (await get('/v1/usage', eve.secret)).status === 401)
  })
})
