// Responses cut short by the client, the balance or the gateway, in all sixteen pairs of dialects: clients disconnect,
// balances run out, the server stops.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { eventually } from '../../test/support/eventually.ts'
import { audit, cost, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway, type UsageEntry } from '../../test/support/gateway/gateway.ts'
import {
  type CallOptions,
  CLIENTS,
  callIn,
  errorIn,
  PAIRS,
  readUntil,
  sandboxConfig,
  streamErrorIn,
} from '../../test/support/requests/dialect-calls.ts'
import { readWith } from '../../test/support/sdk/readers.ts'

/** The events that the embedded model sends before its first output. */
const BEFORE: Record<TextDialectId, number> = { chat: 1, responses: 4, messages: 2, 'generate-content': 0 }
/** A stream of many minutes. */
const ENDLESS = 'say 100000 words, pace 20 ms'

let gateway: Gateway
/** Begun before all others, since they wait for seconds: for usage, and for a server that still accepts requests. */
let disconnects: Promise<unknown[]>
let shutdown: Promise<Shutdown>
beforeAll(async () => {
  gateway = await startGateway({ config: sandboxConfig(), streamTiming: { usageWaitMs: 1_000 } })
  disconnects = disconnectInMidStream()
  shutdown = shutDownDuringStreams()
  for (const begun of [disconnects, shutdown]) begun.catch(() => {})
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
})

/** Sends a request, waits for `when` and disconnects; resolves with the receipt once it is settled. */
async function disconnecting(
  client: TextDialectId,
  calling: CallOptions,
  when: (answer: Promise<Response>) => Promise<unknown>,
) {
  const { secret, settled, rows, account } = await newKey(gateway)
  const abort = new AbortController()
  const answer = callIn(client, gateway.url, secret, { ...calling, signal: abort.signal })
  answer.catch(() => {})
  await when(answer)
  await eventually(async () => (await rows()).length === 1)
  abort.abort()
  const [row] = await settled()
  expect([(await rows()).length, (await account()).held_usd]).toEqual([1, '0.00'])
  expect(row?.outcome).toBe('client_disconnected')
  const { input = 0, output = 0 } = row?.receipt?.units ?? {}
  expect(row?.cost_usd).toBe(cost(input, output))
  return { input, output, counted: row?.receipt?.counted }
}

const aMoment = () => Bun.sleep(100)

describe.each(PAIRS)('%s client, %s upstream: the client disconnects', (client, upstream) => {
  test.concurrent.each([
    ['before the headers, streamed', true, 'hang'],
    ['before the headers, unstreamed', false, 'hang'],
    ['before any output', true, `stall=${BEFORE[upstream]}`],
  ])('%s: free', async (_, streamed, fault) => {
    const { input, output } = await disconnecting(client, { model: `over-${upstream}:${fault}`, streamed }, aMoment)
    expect([input, output]).toEqual([0, 0])
  })

  test.concurrent('during an unstreamed response: it is read to its end and charged as reported', async () => {
    const calling = { model: `over-${upstream}:drip=1`, prompt: 'say 5 words' }
    const seen = await disconnecting(client, calling, aMoment)
    expect(seen.counted).toBeUndefined()
    expect([seen.input > 0, seen.output > 0]).toEqual([true, true])
  })
})

function disconnectInMidStream(): Promise<unknown[]> {
  const all = PAIRS.map(async ([client, upstream]) => {
    const calling = { model: `over-${upstream}`, streamed: true, prompt: ENDLESS }
    const seen = await disconnecting(client, calling, async (answer) => readUntil(await answer, '[sandbox]'))
    return [client, upstream, seen.counted, seen.input > 0, seen.output > 0, seen.output < 1_000]
  })
  return Promise.all(all)
}

test('the client disconnects in mid-stream, in all pairs: input and delivered output are counted', async () => {
  const expected = PAIRS.map(([client, upstream]) => [client, upstream, 'usage was missing', true, true, true])
  expect(await disconnects).toEqual(expected)
})

describe.each(PAIRS)('%s client, %s upstream: the balance', (client, upstream) => {
  test('runs out in mid-stream: a complete response with finish reason length', async () => {
    const { secret, settled, account } = await newKey(gateway, '0.02')
    const reading = await readWith(client, {
      origin: gateway.url,
      key: secret,
      model: `over-${upstream}`,
      mode: 'helper',
      cap: 1_000_000,
      prompt: 'say 100000 words, pace 0 ms',
    })
    const rows = await settled()
    const { input = 0, output = 0 } = rows[0]?.receipt?.units ?? {}
    expect(reading).toMatchObject({ answer: { finish: 'length', usage: { input, output } } })
    expect(rows).toMatchObject([{ outcome: 'stopped_by_balance' }])
    const due = Number(rows[0]?.cost_usd) + Number(rows[0]?.shortfall_usd)
    expect(due).toBeCloseTo(Number(cost(input, output)), 9)
    // At most one event more than the balance covers.
    expect(Number(rows[0]?.shortfall_usd)).toBeLessThan(0.001)
    expect(rows[0]?.receipt?.warnings).toContain('output;stopped-by-balance')
    expect(Number(rows[0]?.cost_usd)).toBeGreaterThan(0.01)
    const { balance_usd, held_usd } = await account()
    expect([Number(balance_usd) >= 0, held_usd]).toEqual([true, '0.00'])
  })

  const CAPS: Record<TextDialectId, string> = {
    chat: 'max_tokens',
    responses: 'max_output_tokens',
    messages: 'max_tokens',
    'generate-content': 'generationConfig.maxOutputTokens',
  }

  test('does not cover an unstreamed response: the cap is lowered, with a warning', async () => {
    const { secret, settled } = await newKey(gateway, '0.001')
    const calling = { model: `over-${upstream}`, prompt: 'say 2000 words' }
    const response = await callIn(client, gateway.url, secret, calling)
    const warning = `${CAPS[client]};lowered-to-balance`
    expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, warning])
    const rows = await settled()
    expect(rows).toMatchObject([{ outcome: 'incomplete', receipt: { warnings: [warning] }, shortfall_usd: '0.00' }])
    expect(Number(rows[0]?.cost_usd)).toBeGreaterThan(0)
  })
})

describe.each(CLIENTS)('%s client: too little for any response', (client) => {
  test.each(PAIRS.filter(([id]) => id === client))('%s to %s: 402, and no row', async (_, upstream) => {
    const { secret, rows } = await newKey(gateway, '0.00005')
    for (const streamed of [false, true]) {
      const response = await callIn(client, gateway.url, secret, { model: `over-${upstream}`, streamed })
      expect(response.status).toBe(402)
      expect(errorIn(client, await response.json()).message).toContain('Available: 0.00005 USD')
    }
    expect(await rows()).toEqual([])
  })
})

type Shutdown = { streams: string[]; array: string; exitCode: number; rows: UsageEntry[]; audit: object }

async function shutDownDuringStreams(): Promise<Shutdown> {
  const stopping = await startGateway({ config: sandboxConfig('server: { drain: 200ms }') })
  const { secret, email } = await newKey(stopping)
  const begun = await Promise.all(
    PAIRS.map(async ([client, upstream]) => {
      const calling = { model: `over-${upstream}`, streamed: true, prompt: ENDLESS }
      return await readUntil(await callIn(client, stopping.url, secret, calling), '[sandbox]')
    }),
  )
  const array = await callIn('generate-content', stopping.url, secret, {
    model: 'over-messages',
    streamed: true,
    prompt: ENDLESS,
    alt: 'json',
  })
  const open = await readUntil(array, '[sandbox]')
  stopping.signal('SIGTERM')
  const streams = await Promise.all(begun.map((each) => each.rest()))
  const wholeArray = open.begun + (await open.rest())
  const exitCode = await stopping.exited
  const next = await startGateway({ home: stopping.home })
  const rows = await next.command<UsageEntry[]>('usage', '--account', email)
  const audited = await next.command<object>('audit')
  await next.stop()
  return { streams, array: wholeArray, exitCode, rows, audit: audited }
}

test('the server stops: every running stream ends in its own error, and is in the ledger', async () => {
  const { streams, array, exitCode, rows, audit: audited } = await shutdown
  for (const [index, [client]] of PAIRS.entries()) {
    const rest = streams[index] ?? ''
    expect(streamErrorIn(client, rest).message).toContain('shutting down')
    expect(rest).not.toMatch(/\[DONE\]|message_stop|response\.completed|finishReason/)
  }
  const elements = JSON.parse(array) as unknown[]
  expect(errorIn('generate-content', elements.at(-1)).message).toContain('shutting down')
  expect(exitCode).toBe(0)
  expect(rows.map(({ outcome, cost_usd }) => [outcome, Number(cost_usd) > 0])).toEqual(
    Array(PAIRS.length + 1).fill(['shutdown', true]),
  )
  expect(audited).toMatchObject({ ok: true, open_holds: 0 })
})
