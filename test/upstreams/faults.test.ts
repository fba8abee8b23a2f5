// Every fault of the embedded model, streamed and not: the response and the cost. The same faults over sockets, in every
// dialect, are in faults/.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { audit, cost, newKey, type Row } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'

/**
 * `status`: of the response. `outcome`: on the receipt. `costs`: nothing, the reported usage, or the counted output.
 * A 200 whose outcome is not `completed` must end with an error event.
 */
type Expected = { status: number; outcome: string; costs: 'nothing' | 'reported' | 'counted' }
type Case = { fault: string; streamed: Expected; single: Expected; timeouts?: 'short' | 'idle' | 'long' }

const done: Expected = { status: 200, outcome: 'completed', costs: 'reported' }
const counted: Expected = { status: 200, outcome: 'completed', costs: 'counted' }
const free: Expected = { status: 200, outcome: 'completed', costs: 'nothing' }
const rejected = (status: number, outcome = 'failed'): Expected => ({ status, outcome, costs: 'nothing' })
const brokenOff = (outcome: string): Expected => ({ status: 200, outcome, costs: 'counted' })
const both = (fault: string, expected: Expected): Case => ({ fault, streamed: expected, single: expected })

const each = (sent: number[], seen: number) => sent.map((status): [number, number] => [status, seen])

const STATUSES: [sent: number, seen: number][] = [
  ...each([400, 422], 400),
  ...each([401, 402, 403, 404, 405, 409, 418, 451, 500, 501, 502, 599], 502),
  [408, 504],
  [413, 413],
  [429, 429],
  [503, 503],
  [504, 504],
  [529, 503],
]

const CASES: Case[] = [
  ...STATUSES.map(([sent, seen]) => both(`status=${sent}`, rejected(seen))),
  { ...both('hang', rejected(504, 'timeout')), timeouts: 'short' },
  both('slow-headers=100', done),
  both('redirect', rejected(502)),
  both('html', rejected(502)),
  { fault: 'empty', streamed: rejected(502, 'cut'), single: rejected(502) },
  { fault: 'wrong-type', streamed: rejected(502), single: done },
  both('gzip', done),
  { fault: 'cut=1', streamed: rejected(502, 'cut'), single: rejected(502, 'cut') },
  { fault: 'cut', streamed: brokenOff('cut'), single: rejected(502, 'cut') },
  { fault: 'end=0', streamed: rejected(502, 'cut'), single: rejected(502) },
  { fault: 'end', streamed: brokenOff('cut'), single: rejected(502) },
  { fault: 'stall=1', streamed: rejected(504, 'timeout'), single: rejected(504, 'timeout'), timeouts: 'short' },
  // On a busy machine the first byte may be late.
  { fault: 'stall', streamed: brokenOff('timeout'), single: rejected(504, 'timeout'), timeouts: 'idle' },
  { fault: 'garbage=0', streamed: rejected(502), single: rejected(502) },
  { fault: 'garbage', streamed: brokenOff('failed'), single: rejected(502) },
  { fault: 'error-event=0', streamed: rejected(502), single: rejected(502) },
  { fault: 'error-event=1', streamed: rejected(502), single: rejected(502) },
  { fault: 'error-event', streamed: brokenOff('failed'), single: rejected(502) },
  both('huge-line=1', done),
  { fault: 'huge-line=17', streamed: rejected(502), single: done },
  { fault: 'huge-line=65', streamed: rejected(502), single: rejected(502) },
  both('drip=0', done),
  both('split-utf8', done),
  both('no-usage', counted),
  both('zero-usage', free),
  both('negative-usage', counted),
  both('huge-usage', counted),
  both('string-usage', counted),
  both('usage-every-chunk', done),
  both('no-finish', done),
  both('duplicate-start', done),
  both('crlf', done),
  both('no-space', done),
  both('comments', done),
]

let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>
let requests = 0
beforeAll(async () => {
  gateway = await startGateway({
    config: `
sandbox: { faults: true }
upstreams:
  - { id: long, kind: sandbox }
  - { id: short, kind: sandbox, timeouts: { first_byte: 600ms, idle: 600ms, total: 20s } }
  - { id: idle, kind: sandbox, timeouts: { first_byte: 10s, idle: 600ms, total: 20s } }
models:
  - { id: long, routes: [{ upstream: long, model: sandbox-text }], price: { input: 1, output: 4 } }
  - { id: short, routes: [{ upstream: short, model: sandbox-text }], price: { input: 1, output: 4 } }
  - { id: idle, routes: [{ upstream: idle, model: sandbox-text }], price: { input: 1, output: 4 } }
`,
  })
  key = await newKey(gateway)
})
afterAll(() => gateway.stop())

const modelOf = ({ fault, timeouts = 'long' }: Case) => `${timeouts}:${fault}`

type Figures = { prompt_tokens: number; completion_tokens: number }
type Frame = { usage?: Figures | null; error?: { message: string; type: string; param: null; code: string } }

function framesOf(text: string): Frame[] {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data:') && !line.endsWith('[DONE]'))
  return lines.map((line) => JSON.parse(line.slice(5)) as Frame)
}

function checkCost(row: Row | undefined, costs: Expected['costs'], reported: Figures | null | undefined): void {
  if (costs === 'nothing') {
    expect(row?.cost_usd).toBe('0.00')
    return
  }
  if (costs === 'reported') {
    expect(row?.cost_usd).toBe(cost(reported?.prompt_tokens ?? -1, reported?.completion_tokens ?? -1))
    expect(row?.receipt?.counted).toBeUndefined()
    return
  }
  const { input = 0, output = 0 } = row?.receipt?.units ?? {}
  expect(row?.receipt?.counted).toStartWith('usage was ')
  expect(input).toBeGreaterThan(0)
  expect(output).toBeGreaterThan(0)
  expect(row?.cost_usd).toBe(cost(input, output))
}

async function ask(model: string, streamed: boolean) {
  requests++
  const messages = [{ role: 'user', content: 'Say something 北京 🙂' }]
  const more = streamed ? { stream: true, stream_options: { include_usage: true } } : {}
  const response = await chat(gateway.url, key.secret, { model, messages, ...more })
  const text = await response.text()
  const id = response.headers.get('x-request-id')
  const row = (await key.rows()).find(({ request_id }) => request_id === id)
  expect(row).toBeDefined()
  return { response, text, row }
}

const NAMED = CASES.map((entry) => [entry.fault, entry] as const)

test.concurrent.each(NAMED)('streamed: %s', async (_, entry) => {
  const { status, outcome, costs } = entry.streamed
  const { response, text, row } = await ask(modelOf(entry), true)
  expect([response.status, row?.outcome]).toEqual([status, outcome])
  if (status !== 200) {
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(Object.keys((JSON.parse(text) as Frame).error ?? {})).toEqual(['message', 'type', 'param', 'code'])
    return checkCost(row, costs, undefined)
  }
  const frames = framesOf(text)
  if (outcome === 'completed') expect(text).toMatch(/data: ?\[DONE\]\s*$/)
  else {
    expect(frames.at(-1)?.error).toMatchObject({ type: 'server_error', param: null })
    expect(text).not.toContain('[DONE]')
  }
  expect(frames.slice(0, -1).some(({ error }) => error)).toBe(false)
  checkCost(row, costs, frames.at(-1)?.usage)
})

test.concurrent.each(NAMED)('unstreamed: %s', async (_, entry) => {
  const { status, outcome, costs } = entry.single
  const { response, text, row } = await ask(modelOf(entry), false)
  expect([response.status, row?.outcome]).toEqual([status, outcome])
  const body = JSON.parse(text) as Frame & { choices?: unknown[] }
  if (status === 200) expect(body.choices).toHaveLength(1)
  else expect(Object.keys(body.error ?? {})).toEqual(['message', 'type', 'param', 'code'])
  checkCost(row, costs, body.usage)
})

test('the upstream’s message reaches the caller only if the caller can act on it', async () => {
  const { text: own } = await ask('long:status=400', false)
  expect(own).toContain('Injected fault: status 400')
  for (const status of [401, 403, 404, 413, 429, 500, 503]) {
    const { text } = await ask(`long:status=${status}`, false)
    expect(text).not.toContain('asked for')
  }
  const { response } = await ask('long:status=429', true)
  expect(response.headers.get('retry-after')).toBe('1')
})

test('the upstream’s message is in the log', async () => {
  await ask('long:status=500', false)
  const lines = gateway.output().stderr.split('\n')
  expect(
    lines.some((line) => line.includes('upstream returned an error') && line.includes('Injected fault: status 500')),
  ).toBe(true)
})

test('after all of this: one row for each request, no hold, no error in the audit, and the next request succeeds', async () => {
  const { response } = await ask('long', false)
  expect(response.status).toBe(200)
  const rows = await key.rows()
  expect(rows.length).toBe(requests)
  expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(requests)
  expect((await key.account()).held_usd).toBe('0.00')
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toContain('request failed')
})
