// Every outcome of a request, in all sixteen pairs of client and upstream dialect, streamed and not: what the client's
// official SDK reads, and what is in the ledger.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { audit, cost, newKey, type Row } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { PAIRS } from '../../test/support/requests/dialect-calls.ts'
import type { Answer } from '../../test/support/sdk/answer.ts'
import { type Reading, readWith } from '../../test/support/sdk/readers.ts'

/** The events of the embedded model before its first output, and some number of events after it. */
const BEFORE: Record<TextDialectId, number> = { chat: 1, responses: 4, messages: 2, 'generate-content': 0 }
const AFTER: Record<TextDialectId, number> = { chat: 4, responses: 7, messages: 5, 'generate-content': 3 }

/**
 * `status`: of a failure before anything was sent. `finish`: of an answer. Neither: an error after output.
 * `costs`: nothing, what the upstream reported, or what was counted.
 */
type Expected = {
  outcome: string
  costs: 'nothing' | 'reported' | 'counted'
  status?: number
  finish?: Answer['finish']
}
type Case = { name: string; fault?: (upstream: TextDialectId) => string; prompt?: string; cap?: number; short?: true }
type Entry = Case & { expected: Expected }

const answered = (outcome: string, finish: Answer['finish']): Expected => ({ outcome, finish, costs: 'reported' })
const rejected = (status: number, outcome = 'failed'): Expected => ({ outcome, status, costs: 'nothing' })
const brokenOff = (outcome: string): Expected => ({ outcome, costs: 'counted' })
const always = (fault: string) => () => fault
const before = (fault: string) => (upstream: TextDialectId) => `${fault}=${BEFORE[upstream]}`
const after = (fault: string) => (upstream: TextDialectId) => `${fault}=${AFTER[upstream]}`

const EITHER: Entry[] = [
  { name: 'completed', expected: answered('completed', 'completed') },
  { name: 'incomplete', prompt: 'say 100 words', cap: 20, expected: answered('incomplete', 'length') },
  { name: 'filtered', prompt: 'be filtered', expected: answered('content_filtered', 'filter') },
  {
    name: 'completed without usage',
    fault: always('no-usage'),
    expected: { outcome: 'completed', finish: 'completed', costs: 'counted' },
  },
  ...[
    [400, 400],
    [401, 502],
    [429, 429],
    [500, 502],
    [503, 503],
  ].map(
    ([sent = 0, seen = 0]): Entry => ({
      name: `rejected with ${sent}`,
      fault: always(`status=${sent}`),
      expected: rejected(seen),
    }),
  ),
  { name: 'a redirect', fault: always('redirect'), expected: rejected(502) },
  { name: 'a page', fault: always('html'), expected: rejected(502) },
  { name: 'no headers in time', fault: always('hang'), short: true, expected: rejected(504, 'timeout') },
]

const STREAMED: Entry[] = [
  ...EITHER,
  { name: 'failed before output', fault: before('error-event'), expected: rejected(502) },
  { name: 'failed after output', fault: after('error-event'), expected: brokenOff('failed') },
  { name: 'garbage before output', fault: before('garbage'), expected: rejected(502) },
  { name: 'garbage after output', fault: after('garbage'), expected: brokenOff('failed') },
  { name: 'cut before output', fault: before('cut'), expected: rejected(502, 'cut') },
  { name: 'cut after output', fault: after('cut'), expected: brokenOff('cut') },
  { name: 'ended before output', fault: before('end'), expected: rejected(502, 'cut') },
  { name: 'ended after output', fault: after('end'), expected: brokenOff('cut') },
  { name: 'silent before output', fault: before('stall'), short: true, expected: rejected(504, 'timeout') },
  { name: 'silent after output', fault: after('stall'), short: true, expected: brokenOff('timeout') },
]

const UNSTREAMED: Entry[] = [
  ...EITHER,
  { name: 'an error in a 200', fault: always('error-event'), expected: rejected(502) },
  { name: 'garbage', fault: always('garbage'), expected: rejected(502) },
  { name: 'cut', fault: always('cut'), expected: rejected(502, 'cut') },
  { name: 'ended in mid JSON', fault: always('end'), expected: rejected(502) },
  { name: 'nothing', fault: always('empty'), expected: rejected(502) },
  { name: 'silent', fault: always('stall'), short: true, expected: rejected(504, 'timeout') },
]

let gateway: Gateway
const LANES = 10
/** Requests that run into a timeout, sent in parallel. */
const timeouts = new Map<string, Promise<Outcome>>()

beforeAll(async () => {
  const short = 'timeouts: { first_byte: 2s, idle: 2s, total: 20s }'
  const all = TEXT_DIALECT_IDS.flatMap((id) => [
    { name: `over-${id}`, more: `dialect: ${id}` },
    { name: `short-${id}`, more: `dialect: ${id}, ${short}` },
  ])
  const models = all.map(
    ({ name }) =>
      `  - { id: ${name}, routes: [{ upstream: ${name}, model: sandbox-text }], price: { input: 1, output: 4 } }`,
  )
  gateway = await startGateway({
    config: `
sandbox: { faults: true }
upstreams:
${all.map(({ name, more }) => `  - { id: ${name}, kind: sandbox, ${more} }`).join('\n')}
models:
${models.join('\n')}
`,
  })
  // A few at a time: all at once would keep a busy machine from renewing the lease of the gateway.
  const lanes: Promise<unknown>[] = Array.from({ length: LANES }, () => Promise.resolve())
  let begun = 0
  for (const pair of PAIRS)
    for (const [entries, streamed] of [[STREAMED, true] as const, [UNSTREAMED, false] as const])
      for (const entry of entries) {
        if (!entry.short) continue
        const lane = begun++ % LANES
        const outcome = (lanes[lane] ?? Promise.resolve()).then(() => outcomeOf(pair, entry, streamed))
        lanes[lane] = outcome.catch(() => {})
        timeouts.set(`${pair} ${streamed} ${entry.name}`, outcome)
      }
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
})

type Outcome = { reading: Reading; rows: Row[]; held: string }

async function outcomeOf(
  [client, upstream]: (typeof PAIRS)[number],
  entry: Entry,
  streamed: boolean,
): Promise<Outcome> {
  const { fault, prompt = 'Say something 北京 🙂', cap, short } = entry
  const { secret, settled, account } = await newKey(gateway)
  const reading = await readWith(client, {
    origin: gateway.url,
    key: secret,
    prompt,
    ...(cap === undefined ? {} : { cap }),
    model: `${short ? 'short' : 'over'}-${upstream}${fault ? `:${fault(upstream)}` : ''}`,
    // An SDK's helper may object to a service of its own dialect; that is not the gateway's concern.
    mode: streamed ? (client === upstream ? 'raw' : 'helper') : 'unstreamed',
  })
  return { reading, rows: await settled(), held: (await account()).held_usd }
}

function checkReading(reading: Reading, { status, finish }: Expected): void {
  if (finish !== undefined) expect(reading).toMatchObject({ answer: { finish } })
  else if (status !== undefined) expect(reading).toMatchObject({ failure: { status } })
  else expect(reading).toEqual({ failure: expect.anything() })
}

function checkCost(row: Row | undefined, costs: Expected['costs'], reading: Reading): void {
  const { input = 0, output = 0 } = row?.receipt?.units ?? {}
  expect(row?.cost_usd).toBe(cost(input, output))
  if (costs === 'nothing') expect(row?.cost_usd).toBe('0.00')
  else expect(input).toBeGreaterThan(0)
  if (costs === 'counted') {
    expect(row?.receipt?.counted).toBe('usage was missing')
    expect(output).toBeGreaterThan(0)
  }
  if (costs === 'reported') {
    expect(row?.receipt?.counted).toBeUndefined()
    expect(reading).toMatchObject({ answer: { usage: { input, output } } })
  }
}

describe.each(PAIRS)('%s client, %s upstream', (...pair) => {
  const check = async (entry: Entry, streamed: boolean) => {
    const begun = timeouts.get(`${pair} ${streamed} ${entry.name}`)
    const { reading, rows, held } = await (begun ?? outcomeOf(pair, entry, streamed))
    checkReading(reading, entry.expected)
    expect([rows.length, rows[0]?.outcome, held]).toEqual([1, entry.expected.outcome, '0.00'])
    checkCost(rows[0], entry.expected.costs, reading)
  }

  test.each(STREAMED.map((entry) => [entry.name, entry] as const))('streamed: %s', (_, entry) => check(entry, true))
  test.each(UNSTREAMED.map((entry) => [entry.name, entry] as const))('whole: %s', (_, entry) => check(entry, false))
})
