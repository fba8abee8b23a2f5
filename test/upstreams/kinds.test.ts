// Every built-in kind of upstream through a real gateway: the URL, the credential and the field names of its requests, and
// complete responses for clients of all four protocols, streamed and not.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { KINDS } from '../../packages/gateway/src/upstreams/kinds/index.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway, type UsageEntry } from '../support/gateway/gateway.ts'
import { callIn } from '../support/requests/dialect-calls.ts'
import { type KindsUpstream, keyOf, startKindsUpstream } from '../support/upstreams/kinds-upstream.ts'

/** The first dialect is the one that all others are translated into. `bearer` is the header authorization. */
type Expected = [TextDialectId, path: string, credential: string][]
const GEMINI = (base: string): string => `${base}/models/sandbox-text:generateContent`
const OPENAI = (base: string, credential = 'bearer'): Expected => [
  ['chat', `${base}/chat/completions`, credential],
  ['responses', `${base}/responses`, credential],
]
const EXPECTED: Record<string, Expected> = {
  openai: OPENAI('/v1').toReversed(),
  anthropic: [['messages', '/v1/messages', 'x-api-key']],
  gemini: [['generate-content', GEMINI('/v1beta'), 'x-goog-api-key']],
  ark: OPENAI('/api/v3'),
  azure: OPENAI('/openai/v1', 'api-key').toReversed(),
  'azure-classic': [['chat', '/openai/deployments/sandbox-text/chat/completions?api-version=2024-10-21', 'api-key']],
  'azure-claude': [['messages', '/anthropic/v1/messages', 'x-api-key']],
  vertex: [['generate-content', GEMINI('/v1/projects/PROJECT/locations/us-central1/publishers/google'), 'bearer']],
  'vertex-express': [['generate-content', GEMINI('/v1/publishers/google'), 'x-goog-api-key']],
  bedrock: OPENAI('/v1'),
  'bedrock-claude': [['messages', '/v1/messages', 'bearer']],
  'bedrock-mantle': [
    ['chat', '/v1/chat/completions', 'bearer'],
    ['responses', '/v1/responses', 'bearer'],
  ],
  deepseek: [
    ['chat', '/chat/completions', 'bearer'],
    ['messages', '/anthropic/v1/messages', 'x-api-key'],
  ],
  mistral: [['chat', '/v1/chat/completions', 'bearer']],
  groq: OPENAI('/v1'),
  xai: OPENAI('/v1').toReversed(),
  moonshot: [...OPENAI('/v1'), ['messages', '/anthropic/v1/messages', 'bearer']],
  qwen: [
    ['chat', '/compatible-mode/v1/chat/completions', 'bearer'],
    ['messages', '/apps/anthropic/v1/messages', 'x-api-key'],
  ],
  openrouter: [...OPENAI('/v1'), ['messages', '/v1/messages', 'bearer']],
  together: [['chat', '/v1/chat/completions', 'bearer']],
  fireworks: [...OPENAI('/v1'), ['messages', '/v1/messages', 'bearer']],
  ollama: [...OPENAI('/v1'), ['messages', '/v1/messages', 'bearer']],
  vllm: [...OPENAI('/v1'), ['messages', '/v1/messages', 'bearer']],
  'llama-cpp': [...OPENAI('/v1'), ['messages', '/v1/messages', 'x-api-key']],
  'lm-studio': [...OPENAI('/v1'), ['messages', '/v1/messages', 'x-api-key']],
  cohere: [['chat', '/compatibility/v1/chat/completions', 'bearer']],
  siliconflow: [['chat', '/v1/chat/completions', 'bearer']],
}

/** They change what is sent and what comes back: clouds/ has a server with their paths for each. */
const FRAMED = ['bedrock-invoke', 'vertex-claude']
/** Those with text models. */
const NAMES = [...KINDS.values()].flatMap(({ kind, endpoints }) =>
  endpoints.length > 0 && !FRAMED.includes(kind) ? [kind] : [],
)
const CREDENTIALS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']

let upstream: KindsUpstream
let gateway: Gateway
let secret = ''
let email = ''

beforeAll(async () => {
  upstream = startKindsUpstream()
  const model = (kind: string) =>
    `  - { id: at-${kind}, routes: [{ upstream: ${kind}, model: sandbox-text }], price: { input: 1, output: 4 } }`
  gateway = await startGateway({
    config: `upstreams:\n${NAMES.map(upstream.entry).join('\n')}\nmodels:\n${NAMES.map(model).join('\n')}`,
  })
  ;({ secret, email } = await newKey(gateway, '100'))
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop()
})

test('every kind is tested', () => {
  expect(Object.keys(EXPECTED)).toEqual(NAMES)
})

describe.each(NAMES)('%s', (kind) => {
  const expected = EXPECTED[kind] ?? []
  const [first] = expected

  describe.each([...TEXT_DIALECT_IDS])('called in %s', (client) => {
    test.each([
      ['whole', false],
      ['streamed', true],
    ])('%s', async (_, streamed) => {
      const answer = await callIn(client, gateway.url, secret, { model: `at-${kind}`, prompt: 'Hello', streamed })
      const text = await answer.text()
      expect([answer.status, text.replaceAll(/\s+/g, ' ')]).toEqual([200, expect.stringContaining('sandbox')])
      const [dialect, path, credential] = expected.find(([each]) => each === client) ?? first ?? []
      const { path: asked, headers, body } = upstream.sent(kind).at(-1) ?? { path: '', headers: {}, body: {} }
      const isGoogle = dialect === 'generate-content'
      expect(asked).toBe(
        isGoogle && streamed ? `${path?.replace(':generate', ':streamGenerate')}?alt=sse` : (path ?? ''),
      )
      const header = credential === 'bearer' ? 'authorization' : (credential ?? '')
      const value = credential === 'bearer' ? `Bearer ${keyOf(kind)}` : keyOf(kind)
      // Exactly one credential, and never the caller's.
      expect(CREDENTIALS.flatMap((name) => (name in headers ? [[name, headers[name]]] : []))).toEqual([[header, value]])
      expect(headers['anthropic-version']).toBe(
        dialect === 'messages' ? '2023-06-01' : (undefined as unknown as string),
      )
      if (!isGoogle) expect(body).toMatchObject({ model: 'sandbox-text', ...(streamed ? { stream: true } : {}) })
    })
  })
})

/** What each chat service is sent for the same options, in its own field names. */
const WISHES = { maxOutputTokens: 50, seed: 7, thinkingConfig: { thinkingBudget: 2_000 } }
const IN_CHAT: Record<string, Record<string, unknown>> = {
  ark: { max_completion_tokens: 50, seed: 7, thinking: { type: 'enabled' } },
  'azure-classic': { max_completion_tokens: 50, seed: 7, reasoning_effort: 'low', user: expect.any(String) },
  bedrock: { max_completion_tokens: 50, seed: 7, reasoning_effort: 'low' },
  'bedrock-mantle': { max_completion_tokens: 50, seed: 7, reasoning_effort: 'low' },
  deepseek: {
    max_tokens: 50,
    seed: 7,
    thinking: { type: 'enabled' },
    reasoning_effort: 'low',
    user_id: expect.any(String),
  },
  mistral: { max_tokens: 50, random_seed: 7, reasoning_effort: 'low' },
  groq: { max_completion_tokens: 50, seed: 7, reasoning_effort: 'low', user: expect.any(String) },
  moonshot: {
    max_completion_tokens: 50,
    seed: 7,
    reasoning_effort: 'low',
    safety_identifier: expect.any(String),
  },
  qwen: { max_tokens: 50, seed: 7, enable_thinking: true },
  openrouter: { max_tokens: 50, seed: 7, reasoning: { effort: 'low' }, user: expect.any(String) },
  together: { max_tokens: 50, seed: 7, reasoning_effort: 'low' },
  fireworks: { max_tokens: 50, seed: 7, reasoning_effort: 'low', user: expect.any(String) },
  ollama: { max_tokens: 50, seed: 7, reasoning_effort: 'low' },
  vllm: { max_completion_tokens: 50, seed: 7, reasoning_effort: 'low' },
  'llama-cpp': { max_tokens: 50, seed: 7, reasoning_effort: 'low' },
  'lm-studio': { max_tokens: 50, seed: 7, reasoning_effort: 'low' },
  cohere: { max_tokens: 50, seed: 7, reasoning_effort: 'low' },
  siliconflow: { max_tokens: 50, seed: 7, enable_thinking: true },
}

test.each(Object.entries(IN_CHAT))('field names of %s in translation', async (kind, words) => {
  const answer = await callIn('generate-content', gateway.url, secret, {
    model: `at-${kind}`,
    prompt: 'Hello',
    streamed: true,
    more: { generationConfig: WISHES },
  })
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('sandbox')])
  const { model: _model, messages: _messages, ...fields } = upstream.sent(kind).at(-1)?.body ?? {}
  const usage = kind === 'mistral' ? {} : { stream_options: { include_usage: true } }
  expect(fields).toEqual({ stream: true, ...usage, ...words })
})

test.each([
  ['mistral', { stream: true, max_tokens: 50 }],
  ['ollama', { stream: true, max_tokens: 50, stream_options: { include_usage: true } }],
  [
    'groq',
    { stream: true, max_completion_tokens: 50, stream_options: { include_usage: true }, user: expect.any(String) },
  ],
])('field names of %s in pass-through', async (kind, fields) => {
  const more = { max_completion_tokens: 50, stream_options: { include_usage: true } }
  const answer = await callIn('chat', gateway.url, secret, { model: `at-${kind}`, streamed: true, more })
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('sandbox')])
  const { model: _model, messages: _messages, ...sent } = upstream.sent(kind).at(-1)?.body ?? {}
  expect(sent).toEqual(fields)
})

test('each of these calls has a receipt with a cost, and the audit finds no error', async () => {
  const rows = await gateway.command<UsageEntry[]>('usage', '--account', email, '--limit', '0')
  expect(rows).toHaveLength(NAMES.length * 8 + Object.keys(IN_CHAT).length + 3)
  expect(rows.filter(({ outcome, cost_usd }) => outcome !== 'completed' || Number(cost_usd) <= 0)).toEqual([])
  expect(await gateway.command<{ ok: boolean }>('audit')).toMatchObject({ ok: true })
})

test('upstream list shows the dialects of each, and whether it was tested', async () => {
  const list = await gateway.command<{ id: string; protocols: string[]; tested_with: string }[]>('upstream', 'list')
  const of = (id: string) => list.find((each) => each.id === id)
  expect(of('openai')).toMatchObject({
    kind: 'openai',
    dialect: 'responses',
    protocols: ['responses', 'chat', 'images'],
  })
  expect([of('openai')?.tested_with, of('azure')?.tested_with]).toEqual(['sandbox', 'none'])
  const { stdout } = await gateway.cli('upstream', 'list')
  expect(stdout).toMatch(/^azure +azure +responses,chat,images +\S+ +1\.1 +reachable +1 /m)
  expect(stdout).not.toContain('key-of')
})
