// Tool loops of clients that lose reasoning, over upstreams that reject calls without it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { CallBlock } from '@trivium/protocol/canonical/reply.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { eventually } from '../../test/support/eventually.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES, homeOnSameDatabase } from '../../test/support/gateway/home.ts'
import { continueBy, WAYS, type Way } from '../../test/support/requests/continuing-client.ts'
import { BASE_PATH } from '../../test/support/requests/dialect-calls.ts'
import { type Answer, ask, CLIENTS, converse, type Step } from '../../test/support/requests/forgetful-client.ts'
import {
  type CalledTurn,
  SAID,
  type StrictUpstream,
  startStrictUpstream,
  turnsOf,
} from '../../test/support/upstreams/strict-reasoning.ts'

const MODELS: Record<TextDialectId, string> = {
  chat: 'deepseek-chat',
  responses: 'gpt-5',
  messages: 'claude-sonnet-4-5',
  'generate-content': 'gemini-3-pro',
}

function config(origin: string, more = ''): string {
  const upstreams = TEXT_DIALECT_IDS.map(
    (id) => `  - { id: ${id}, dialect: ${id}, base_url: "${origin}${BASE_PATH[id]}", keys: [k], breaker: false }`,
  )
  const price = 'price: { input: 1, output: 4 }'
  const models = TEXT_DIALECT_IDS.map(
    (id) => `  - { id: over-${id}, routes: [{ upstream: ${id}, model: ${MODELS[id]} }], ${price} }`,
  )
  const either = ['messages', 'responses'] as const
  const routes = either.map((id) => `{ upstream: ${id}, model: ${MODELS[id]} }`)
  return `${more}
upstreams:\n${upstreams.join('\n')}
models:\n${models.join('\n')}
  - { id: either, routes: [${routes.join(', ')}], ${price} }
`
}

let upstream: StrictUpstream
beforeAll(() => {
  upstream = startStrictUpstream()
})
afterAll(() => upstream.stop())

/** Client and upstream between which reasoning is lost unless the gateway keeps it. */
const LOSSY: [client: TextDialectId, upstream: TextDialectId][] = [
  ...TEXT_DIALECT_IDS.map((id): [TextDialectId, TextDialectId] => ['chat', id]),
  // These carry signatures, and lose the text that they did not want to see.
  ...[...TEXT_DIALECT_IDS.filter((id) => id !== 'chat')].map((id): [TextDialectId, TextDialectId] => [id, 'chat']),
]

const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status)
const COMPLETE = [200, 200, 200]

describe.each(ENGINES.map((engine) => [engine] as const))('on %s', (engine) => {
  let gateway: Gateway
  let secret: string
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: config(upstream.origin) })
    secret = (await newKey(gateway, '1000')).secret
  })
  afterAll(async () => {
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
    expect(gateway.output().stderr).not.toMatch(/"level":"error"|not kept|not read/)
    await gateway.stop()
  })
  const talk = (client: TextDialectId, model: string, steps: Step[] = [], streamed = false) =>
    converse(client, { url: gateway.url, secret, model, streamed }, steps)

  describe.each([[false], [true]])('streamed: %p', (streamed) => {
    test.each(LOSSY)('%s client, %s upstream: two rounds of parallel calls', async (client, over) => {
      const answers = await talk(client, `over-${over}`, [], streamed)
      expect(answers.map(({ calls }) => calls.length)).toEqual([2, 2, 0])
      expect(answers.at(-1)).toMatchObject({ status: 200, text: SAID })
      expect(answers.at(-1)?.warnings).not.toContain(';dropped')
      const { body } = upstream.asked.at(-1) ?? { body: {} }
      expect(turnsOf[over](body)).toHaveLength(2)
      expect(JSON.stringify(body)).not.toContain('gw1.')
    })
  })

  describe.each(Object.entries(WAYS))('responses client that continues by %s', (name, way) => {
    const cases = TEXT_DIALECT_IDS.flatMap((over) => [[over, false] as const, [over, true] as const])
    test.each(cases)('%s upstream, streamed: %p', async (over, streamed) => {
      const models = [`over-${over}`]
      const continued = await continueBy(way, { url: gateway.url, secret, models, streamed })
      expect(continued).toMatchObject({ calls: [2, 2, 0], text: expect.stringContaining(SAID), warnings: ['', '', ''] })
      const { body } = upstream.asked.at(-1) ?? { body: {} }
      expect(turnsOf[over](body)).toHaveLength(2)
      expect(JSON.stringify(body)).not.toContain('gw1.')
      const reasoning = continued.turns.flatMap(({ output }) => output.filter(({ type }) => type === 'reasoning'))
      const isSealed = name === 'encrypted reasoning' && over !== 'responses'
      if (isSealed) for (const { encrypted_content } of reasoning) expect(encrypted_content).toContain('gw1.')
      // Who did not ask for it, and may name the stored item instead, does not get it.
      const isIncluded = JSON.stringify(way.always).includes('encrypted_content')
      if (!isIncluded && way.always.store !== false) expect(continued.received).not.toContain('encrypted_content')
    })
  })

  test('reasoning of a call that is sent many times counts as often, and is not put together beyond a body', async () => {
    const call = { id: 'call_many', type: 'function', function: { name: 'look', arguments: '{"at":"sea"}' } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const reasoned = { ...message, reasoning_content: 'think '.repeat(40_000) }
    const choices = [{ index: 0, finish_reason: 'tool_calls', message: reasoned }]
    const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 }
    upstream.intercept = () =>
      Response.json({ id: 'c', object: 'chat.completion', model: 'm', created: 1, choices, usage })
    const send = (times: number) => {
      const rounds = Array.from({ length: times }, () => [
        message,
        { role: 'tool', tool_call_id: call.id, content: 'x' },
      ])
      const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
      return fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'over-chat',
          messages: [{ role: 'user', content: 'Hi' }, ...rounds.flat()],
          tools,
        }),
      })
    }
    expect((await send(0)).status).toBe(200)
    expect((await send(2)).status).toBe(200)
    expect(JSON.stringify(upstream.asked.at(-1)?.body).length).toBeGreaterThan(2 * 240_000)
    const before = upstream.asked.length
    const rejected = await send(200)
    expect([rejected.status, await rejected.json()]).toMatchObject([413, { error: { type: 'invalid_request_error' } }])
    expect(upstream.asked.length).toBe(before)
    upstream.intercept = undefined
  })

  test.each([
    'messages',
    'responses',
  ])('%s upstream: a stored response shows encrypted reasoning to who includes it', async (over) => {
    const setting = { url: gateway.url, secret, models: [`over-${over}`], streamed: true }
    const { turns } = await continueBy(WAYS.previous_response_id as Way, setting)
    const get = async (path: string) => {
      const response = await fetch(`${gateway.url}/v1/responses/${path}`, {
        headers: { authorization: `Bearer ${secret}` },
      })
      return [response.status, (await response.text()).includes('encrypted_content')]
    }
    const include = 'include[]=reasoning.encrypted_content'
    for (const path of [`${turns[0]?.id}`, `${turns[2]?.id}/input_items`])
      expect([await get(path), await get(`${path}?${include}`)]).toEqual([
        [200, false],
        [200, true],
      ])
  })

  test('text of a chat service does not keep a conversation from passing through to a responses upstream', async () => {
    const way = { ...(WAYS.previous_response_id as Way), always: { unknown_field: { of: 1 } } }
    upstream.intercept = (dialect) => (dialect === 'responses' ? accepted(dialect) : undefined)
    const models = ['over-chat', 'over-responses']
    const { calls } = await continueBy(way, { url: gateway.url, secret, models, streamed: false })
    upstream.intercept = undefined
    expect(calls).toEqual([2, 0])
    const { body } = upstream.asked.at(-1) ?? { body: {} }
    expect(body).toMatchObject({ unknown_field: { of: 1 } })
    expect((body as { input: { type?: string }[] }).input.map(({ type }) => type)).not.toContain('reasoning')
  })

  test.each(TEXT_DIALECT_IDS)('%s upstream: another account gets nothing of it', async (over) => {
    const other = (await newKey(gateway, '10')).secret
    const before = upstream.asked.length
    const answers = await talk('chat', `over-${over}`, [{ setting: { secret: other } }])
    const { body } = upstream.asked[before + 1] ?? { body: {} }
    expect(JSON.stringify(body)).not.toMatch(/thought \d|signature \d|c2lnbmF0dXJl/)
    expect(answers[1]?.warnings).not.toContain('reasoning_content')
  })

  test.each(TEXT_DIALECT_IDS)('%s upstream: calls that the client has changed are other calls', async (over) => {
    const alter: Step['alter'] = (call) => ({ ...call, arguments: call.arguments.replace('knots', 'm/s') })
    const before = upstream.asked.length
    await talk('chat', `over-${over}`, [{ alter }])
    const { body } = upstream.asked[before + 1] ?? { body: {} }
    expect(JSON.stringify(body)).toContain('m/s')
    expect(JSON.stringify(body)).not.toMatch(/thought \d|signature \d|c2lnbmF0dXJl/)
  })

  test('arguments that the client has written anew are the same', async () => {
    const alter: Step['alter'] = (call) => {
      const { unit, port } = JSON.parse(call.arguments)
      return { ...call, arguments: JSON.stringify({ port, unit }, undefined, 2) }
    }
    expect(statuses(await talk('chat', 'over-messages', [{ alter }, { alter }]))).toEqual(COMPLETE)
  })

  test.each([
    ['messages', 'responses'],
    ['messages', 'generate-content'],
    ['responses', 'messages'],
    ['generate-content', 'messages'],
    ['chat', 'messages'],
    ['messages', 'chat'],
  ] as const)('from %s to %s: reasoning is dropped, with a warning, and found again on the way back', async (from, to) => {
    upstream.intercept = (dialect) => (dialect === to ? accepted(dialect) : undefined)
    const moved = await talk('chat', `over-${from}`, [{ setting: { model: `over-${to}` } }])
    upstream.intercept = undefined
    expect(statuses(moved)).toEqual([200, 200])
    expect(moved[1]?.warnings).toContain('reasoning_content;dropped')
    const { body } = upstream.asked.at(-1) ?? { body: {} }
    expect(JSON.stringify(body)).not.toMatch(/thought \d|signature \d|c2lnbmF0dXJl/)
    expect(turnsOf[to](body)).toEqual(repairedFor(to, moved[0]?.calls ?? []))
    expect(moved[0]?.warnings).not.toContain('reasoning_content')
  })

  test('a conversation returns to the upstream that has made its reasoning', async () => {
    for (let turn = 0; turn < 8; turn++) {
      const before = upstream.asked.length
      expect(statuses(await talk('chat', 'either', [{ setting: { more: { user: `someone ${turn}` } } }]))).toEqual(
        COMPLETE,
      )
      expect(new Set(upstream.asked.slice(before).map(({ dialect }) => dialect)).size).toBe(1)
    }
  })

  test('an upstream that rejects its own reasoning is called once more without it', async () => {
    let rejections = 0
    upstream.intercept = (dialect, body) => {
      if (!JSON.stringify(body).includes('function_call_output')) return undefined
      if (!JSON.stringify(body).includes('encrypted_content":"signature')) return accepted(dialect)
      rejections++
      const error = { message: 'The encrypted content could not be verified.', code: 'invalid_encrypted_content' }
      return Response.json({ error }, { status: 400 })
    }
    const answers = await talk('chat', 'over-responses')
    upstream.intercept = undefined
    expect([rejections, statuses(answers)]).toEqual([1, [200, 200]])
    expect(answers[1]?.warnings).toContain('reasoning_effort;dropped')
  })

  test('reasoning that the client sends back is not replaced', async () => {
    const [first] = await talk('chat', 'over-chat')
    const { body } = upstream.asked.at(-1) ?? {}
    const messages = (body?.messages as Record<string, unknown>[]).map((message) =>
      message.tool_calls ? { ...message, reasoning_content: 'my own words' } : message,
    )
    upstream.intercept = accepted
    await ask('chat', { url: gateway.url, secret, model: 'over-chat', more: { messages } }, [])
    upstream.intercept = undefined
    expect(first?.status).toBe(200)
    const last = upstream.asked.at(-1)?.body ?? {}
    expect(turnsOf.chat(last).map(({ text }) => text)).toEqual(['my own words', 'my own words'])
  })

  test('reasoning that is put back is paid for like any other input', async () => {
    upstream.words = 4_000
    const { secret: own, settled } = await newKey(gateway, '1000')
    await converse('chat', { url: gateway.url, secret: own, model: 'over-messages' })
    upstream.words = 1
    const held = (await settled()).map(({ held_usd }) => Number(held_usd)).toSorted((a, b) => a - b)
    expect(held).toHaveLength(3)
    expect((held[2] ?? 0) - (held[0] ?? 0)).toBeGreaterThan(0.004)
  })
})

/** As a service that does not look at signatures. */
const accepted = (dialect: TextDialectId): Response => upstream.say(dialect)

/** What upstreams get that did not make the reasoning. */
function repairedFor(dialect: TextDialectId, [first]: readonly CallBlock[]): CalledTurn[] {
  const { port } = JSON.parse(first?.arguments ?? '{}')
  if (dialect === 'chat') return [{ port, text: '' }]
  if (dialect === 'responses') return [{ port, signature: undefined }]
  // Thinking is off.
  return dialect === 'messages' ? [] : [{ port, signature: 'skip_thought_signature_validator' }]
}

test('another node puts the reasoning back', async () => {
  const one = await startGateway({ engine: 'postgres', config: config(upstream.origin) })
  const two = await startGateway({ home: homeOnSameDatabase(one.home, config(upstream.origin)) })
  try {
    const { secret } = await newKey(one, '10')
    for (const over of TEXT_DIALECT_IDS) {
      const setting = { url: one.url, secret, model: `over-${over}`, streamed: true }
      expect(statuses(await converse('chat', setting, [{ setting: { url: two.url } }]))).toEqual(COMPLETE)
    }
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
})

describe.each([
  ['retention.reasoning: off', 'retention: { reasoning: off }'],
  ['after the time of retention.reasoning', 'retention: { reasoning: 1s }'],
])('%s', (_, retention) => {
  let gateway: Gateway
  let secret: string
  beforeAll(async () => {
    gateway = await startGateway({ config: config(upstream.origin, retention) })
    secret = (await newKey(gateway, '10')).secret
  })
  afterAll(() => gateway.stop())

  test.each(TEXT_DIALECT_IDS)('%s upstream: the request is repaired', async (over) => {
    const setting = { url: gateway.url, secret, model: `over-${over}` }
    const { first, turn, results } = CLIENTS.chat
    const { calls } = await ask('chat', setting, [first])
    expect(calls).toHaveLength(2)
    upstream.intercept = accepted
    await eventually(async () => {
      expect((await ask('chat', setting, [first, ...turn(calls), ...results(calls)])).status).toBe(200)
      return Bun.deepEquals(turnsOf[over](upstream.asked.at(-1)?.body ?? {}), repairedFor(over, calls))
    })
    upstream.intercept = undefined
  })
})
