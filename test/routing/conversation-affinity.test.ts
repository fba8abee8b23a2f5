// A conversation with reasoning stays with the upstream and the key that can read its signatures.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { BASE_PATH } from '../support/requests/dialect-calls.ts'
import { type Received, respondInDialect, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

let upstreams: Upstream[]
let gateway: Gateway
let secret: string

beforeAll(async () => {
  upstreams = [await startUpstream(respondInDialect), await startUpstream(respondInDialect)]
  const entries = TEXT_DIALECT_IDS.flatMap((dialect) =>
    upstreams.map(({ url }, index) => {
      const base = url.replace('/v1', BASE_PATH[dialect])
      const keys = [1, 2].map((number) => `${dialect}-${index}-${number}`)
      return `  - { id: ${dialect}-${index}, dialect: ${dialect}, base_url: "${base}", keys: [${keys}] }`
    }),
  )
  const models = TEXT_DIALECT_IDS.map(
    (dialect) =>
      `  - { id: by-${dialect}, routes: [{ upstream: ${dialect}-0 }, { upstream: ${dialect}-1 }], price: { input: 1, output: 4 } }`,
  )
  gateway = await startGateway({ config: `upstreams:\n${entries.join('\n')}\nmodels:\n${models.join('\n')}\n` })
  secret = (await newKey(gateway, '5')).secret
})
afterAll(async () => {
  await gateway.stop()
  for (const upstream of upstreams) upstream.stop()
})

const LONG = 'word '.repeat(2_000)

type Body = Record<string, unknown>
/** The requests of one conversation: a short one, one with reasoning, and a long one. */
const CONVERSATIONS: Record<
  TextDialectId,
  { path: (model: string) => string; turns: (topic: string, model: string) => Body[] }
> = {
  chat: {
    path: () => '/v1/chat/completions',
    turns(topic, model) {
      const system = { role: 'system', content: 'Be brief.' }
      const first = { role: 'user', content: topic }
      const thought = {
        role: 'assistant',
        content: 'Well.',
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
      }
      const asked = { model, reasoning_effort: 'low' }
      return [
        { ...asked, messages: [system, first] },
        { ...asked, messages: [system, first, thought, { role: 'user', content: 'And?' }] },
        { ...asked, messages: [system, first, thought, { role: 'user', content: LONG }] },
      ]
    },
  },
  responses: {
    path: () => '/v1/responses',
    turns(topic, model) {
      const first = { role: 'user', content: topic }
      const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'opaque' }
      const asked = { model, store: false, include: ['reasoning.encrypted_content'] }
      return [
        { ...asked, input: topic },
        {
          ...asked,
          input: [first, thought, { role: 'assistant', content: 'Well.' }, { role: 'user', content: 'And?' }],
        },
        { ...asked, input: [first, thought, { role: 'assistant', content: 'Well.' }, { role: 'user', content: LONG }] },
      ]
    },
  },
  messages: {
    path: () => '/v1/messages',
    turns(topic, model) {
      const mark = { cache_control: { type: 'ephemeral' } }
      const first = (more = {}) => ({ role: 'user', content: [{ type: 'text', text: topic, ...more }] })
      const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'opaque' }
      const thought = { role: 'assistant', content: [thinking, { type: 'text', text: 'Well.' }] }
      const asked = { model, max_tokens: 2_000, thinking: { type: 'enabled', budget_tokens: 1_024 } }
      // The cache mark moves on with the conversation, as agents do it.
      return [
        { ...asked, messages: [first(mark)] },
        {
          ...asked,
          messages: [first(), thought, { role: 'user', content: [{ type: 'text', text: 'And?', ...mark }] }],
        },
        { ...asked, messages: [first(), thought, { role: 'user', content: LONG }] },
      ]
    },
  },
  'generate-content': {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    turns(topic) {
      const first = { role: 'user', parts: [{ text: topic }] }
      const thought = { role: 'model', parts: [{ text: 'Well.', thoughtSignature: 'b3BhcXVl' }] }
      const asked = { generationConfig: { thinkingConfig: { includeThoughts: true } } }
      return [
        { ...asked, contents: [first] },
        { ...asked, contents: [first, thought, { role: 'user', parts: [{ text: 'And?' }] }] },
        { ...asked, contents: [first, thought, { role: 'user', parts: [{ text: LONG }] }] },
      ]
    },
  },
}

const keyIn = ({ headers }: Received): string =>
  headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization?.replace('Bearer ', '') ?? ''

/** The upstream key that a request was sent with. */
async function keyFor(path: string, body: Body): Promise<string> {
  const before = upstreams.map(({ received }) => received.length)
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'msg-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
  expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, ''])
  await response.arrayBuffer()
  return upstreams.flatMap(({ received }, index) => received.slice(before[index]).map(keyIn)).join()
}

const PAIRS = TEXT_DIALECT_IDS.flatMap((client) => TEXT_DIALECT_IDS.map((upstream) => [client, upstream] as const))

test.each(PAIRS)('%s from %s: stays where it started', async (client, upstream) => {
  const model = `by-${upstream}`
  const { path, turns } = CONVERSATIONS[client]
  const used = new Set<string>()
  for (let talk = 0; talk < 12; talk++) {
    const keys: string[] = []
    for (const body of turns(`Topic ${talk}: why is it so?`, model)) keys.push(await keyFor(path(model), body))
    expect(keys).toEqual(keys.map(() => keys[0] ?? ''))
    used.add(keys[0] ?? '')
  }
  // Conversations are spread over upstreams.
  expect(used.size).toBeGreaterThan(1)
})

test('short requests without reasoning go to the least busy upstream', async () => {
  const used = new Set<string>()
  // One by chance of those that are equally busy: 30 calls would miss one in 1,400 runs.
  for (let call = 0; call < 100; call++) {
    const messages = [{ role: 'user', content: 'always the same' }]
    used.add(await keyFor('/v1/chat/completions', { model: 'by-chat', messages }))
  }
  expect(used.size).toBe(4)
})
