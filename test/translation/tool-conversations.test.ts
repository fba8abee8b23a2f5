// A tool loop in all sixteen pairs of client and upstream, streamed and not: parallel calls reach the client, and their
// results reach the model.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import OpenAI from 'openai'
import { type SandboxGateway, startSandboxGateway } from '../support/gateway/sandbox-gateway.ts'
import { CONVERSATIONS } from '../support/sdk/tool-conversation.ts'

let gateway: SandboxGateway
beforeAll(async () => {
  gateway = await startSandboxGateway()
})
afterAll(() => gateway.stop())

const CALLS = [
  { name: 'tide_height', arguments: { port: 'Brest' } },
  { name: 'tide_height', arguments: { port: 'Cork' } },
  { name: 'wind', arguments: { port: 'Cork' } },
]
const PROMPT = `Think 5 words. ${CALLS.map((call) => `Call ${call.name} with ${JSON.stringify(call.arguments)}`).join(', ')}.`
const OUTCOMES = [{ text: '5.1 m 🙂' }, { text: '4.2 m' }, { text: 'station offline', failed: true }]

const PAIRS = TEXT_DIALECT_IDS.flatMap((client) => TEXT_DIALECT_IDS.map((upstream) => [client, upstream] as const))

describe.each(PAIRS)('%s client, %s upstream', (client: TextDialectId, upstream: TextDialectId) => {
  test.each([['unstreamed'], ['streamed']])('%s', async (how) => {
    const told = await CONVERSATIONS[client](
      {
        origin: gateway.url,
        key: gateway.key,
        model: `over-${upstream}`,
        streamed: how === 'streamed',
        prompt: PROMPT,
      },
      (_, index) => OUTCOMES[index] ?? { text: 'a call too many' },
    )
    expect(told.calls).toEqual(CALLS)
    expect(told.text).toContain('The tool tide_height returned: 5.1 m 🙂')
    expect(told.text).toContain('The tool tide_height returned: 4.2 m')
    expect(told.text).toMatch(/The tool wind (failed: station offline|returned: ERROR: station offline)/)
    expect(told.text).not.toContain('a call too many')
  })
})

// JSON.stringify of such a value fails after seconds, in which no other client is served.
test.each(
  TEXT_DIALECT_IDS,
)('arguments of a call that are nested without end do not stop a %s upstream’s clients', async (upstream) => {
  const openai = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const nested = `${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`
  const call = { id: 'call_1', type: 'function', function: { name: 'tide', arguments: nested } } as const
  const { choices } = await openai.chat.completions.create({
    model: `over-${upstream}`,
    tools: [{ type: 'function', function: { name: 'tide', parameters: { type: 'object', properties: {} } } }],
    messages: [
      { role: 'user', content: 'When is high tide?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'At five.' },
    ],
  })
  expect(choices[0]?.message.role).toBe('assistant')
})
