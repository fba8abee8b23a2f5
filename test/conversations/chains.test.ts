// Chained responses over upstreams of all four dialects, streamed and not, with the official SDK.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import type OpenAI from 'openai'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { openaiAt, respondTo, spoken, systemOf, type Turn } from '../support/sdk/chained.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'
import { type RecordingSandbox, startRecordingSandbox } from '../support/upstreams/recording-sandbox.ts'

let upstream: RecordingSandbox
let gateway: Gateway
let client: OpenAI
beforeAll(async () => {
  upstream = startRecordingSandbox()
  gateway = await startGateway({ config: configOfDialects(upstream.origin, 'sandbox-text') })
  client = openaiAt(gateway.url, (await newKey(gateway, '1000')).secret)
})
afterAll(async () => {
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
  upstream.stop()
})

const CASES = TEXT_DIALECT_IDS.flatMap((dialect) => [false, true].map((streamed) => [dialect, streamed] as const))
const WEATHER = {
  type: 'function' as const,
  name: 'wind',
  description: 'Wind at a port',
  strict: false,
  parameters: { type: 'object', properties: { port: { type: 'string' } } },
}

describe.each(CASES)('over %s, streamed: %p', (dialect, streamed) => {
  const model = `over-${dialect}`
  const say = (turn: Omit<Turn, 'model'>) => respondTo(client, streamed, { model, ...turn })

  test('each turn sees all earlier ones, in order', async () => {
    const history: string[] = []
    let previous: string | undefined
    for (const words of ['one', 'two', 'three', 'four']) {
      const input = `Say 3 words about ${words}.`
      const answer = await say({ input, ...(previous ? { previous_response_id: previous } : {}) })
      expect(answer).toMatchObject({ previous_response_id: previous ?? null, store: true, status: 'completed' })
      expect(answer.id).toMatch(/^resp_/)
      history.push(`user: ${input}`)
      expect(spoken(dialect, upstream.last())).toEqual(history)
      expect(JSON.stringify(upstream.last())).not.toContain('previous_response_id')
      history.push(`assistant: ${answer.output_text}`)
      previous = answer.id
    }
  })

  test('forks see the history of their parent only', async () => {
    const root = await say({ input: 'Say 2 words: root.' })
    const left = await say({ input: 'Say 2 words: left.', previous_response_id: root.id })
    await say({ input: 'Say 2 words: right.', previous_response_id: root.id })
    const trunk = ['user: Say 2 words: root.', `assistant: ${root.output_text}`]
    expect(spoken(dialect, upstream.last())).toEqual([...trunk, 'user: Say 2 words: right.'])
    await say({ input: 'Say 2 words: leaf.', previous_response_id: left.id })
    expect(spoken(dialect, upstream.last())).toEqual([
      ...trunk,
      'user: Say 2 words: left.',
      `assistant: ${left.output_text}`,
      'user: Say 2 words: leaf.',
    ])
  })

  test('instructions are replaced, not inherited', async () => {
    const first = await say({ input: 'Hello.', instructions: 'Answer like a pirate.' })
    expect(systemOf(dialect, upstream.last())).toBe('Answer like a pirate.')
    const second = await say({ input: 'Again.', previous_response_id: first.id, instructions: 'Answer like a monk.' })
    expect(systemOf(dialect, upstream.last())).toBe('Answer like a monk.')
    await say({ input: 'Once more.', previous_response_id: second.id })
    expect(systemOf(dialect, upstream.last())).toBe('')
  })

  test('function calls and their outputs', async () => {
    const asked = await say({ input: 'Think 4 words. Call wind with {"port":"Cork"}.', tools: [WEATHER] })
    const call = asked.output.find((item) => item.type === 'function_call')
    if (call?.type !== 'function_call') throw new Error(`no call: ${JSON.stringify(asked.output)}`)
    const output = [{ type: 'function_call_output' as const, call_id: call.call_id, output: '7 knots' }]
    const answer = await say({ input: output, previous_response_id: asked.id, tools: [WEATHER] })
    expect(answer.output_text).toContain('The tool wind returned: 7 knots')
    const later = await say({ input: 'Say 2 words.', previous_response_id: answer.id })
    expect(later.status).toBe('completed')
    expect(JSON.stringify(upstream.last())).toContain('7 knots')
  })

  test('custom tools', async () => {
    const tools = [{ type: 'custom' as const, name: 'shell', description: 'Runs a command' }]
    const asked = await say({ input: 'Call shell with {"input":"ls -l"}.', tools })
    const call = asked.output.find((item) => item.type === 'custom_tool_call')
    if (call?.type !== 'custom_tool_call') throw new Error(`no call: ${JSON.stringify(asked.output)}`)
    const output = [{ type: 'custom_tool_call_output' as const, call_id: call.call_id, output: 'a file' }]
    const answer = await say({ input: output, previous_response_id: asked.id, tools })
    expect(answer.output_text).toContain('The tool shell returned: a file')
  })

  test('images, files and refusals stay in the history', async () => {
    const image_url = `data:image/png;base64,${PIXEL}`
    const file_data = `data:application/pdf;base64,${PDF}`
    const content = [
      { type: 'input_text' as const, text: 'Refuse.' },
      { type: 'input_image' as const, image_url, detail: 'auto' as const },
      ...(dialect === 'chat' ? [] : [{ type: 'input_file' as const, filename: 'a.pdf', file_data }]),
    ]
    const first = await say({ input: [{ role: 'user', content }] })
    await say({ input: 'Say 2 words.', previous_response_id: first.id })
    const sent = JSON.stringify(upstream.last())
    expect(sent).toContain(PIXEL)
    if (dialect !== 'chat') expect(sent).toContain(PDF)
    const [item] = first.output
    if (item?.type !== 'message') throw new Error(`no message: ${JSON.stringify(first.output)}`)
    const [part] = item.content
    const refused = part?.type === 'refusal' ? part.refusal : part?.text
    expect(refused?.length).toBeGreaterThan(5)
    expect(sent).toContain(JSON.stringify(refused).slice(1, -1))
  })

  test('an item of an earlier response by its id', async () => {
    const first = await say({ input: 'Say 4 words.' })
    const id = first.output.find(({ type }) => type === 'message')?.id ?? ''
    const user = (content: string) => ({ role: 'user' as const, content })
    await say({ input: [user('Begin.'), { type: 'item_reference', id }, user('Say 2 words.')] })
    expect(spoken(dialect, upstream.last())).toEqual([
      'user: Begin.',
      `assistant: ${first.output_text}`,
      'user: Say 2 words.',
    ])
    expect(JSON.stringify(upstream.last())).not.toContain(id)
  })

  test('store: false is not stored', async () => {
    const first = await say({ input: 'Say 2 words.', store: false })
    expect(first.store).toBe(false)
    const error = await say({ input: 'And?', previous_response_id: first.id }).catch((error) => error)
    expect(error).toMatchObject({ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' })
    expect(await client.responses.retrieve(first.id).catch((error) => error)).toMatchObject({ status: 404 })
  })

  test('a chain that is continued without being stored', async () => {
    const first = await say({ input: 'Say 2 words.' })
    const second = await say({ input: 'Say 3 words.', previous_response_id: first.id, store: false })
    expect(second).toMatchObject({ store: false, previous_response_id: first.id })
    expect(spoken(dialect, upstream.last())).toHaveLength(3)
  })
})

test('the model may change in the middle of a chain, over every dialect', async () => {
  let previous: string | undefined
  const history: string[] = []
  for (const dialect of [...TEXT_DIALECT_IDS, ...TEXT_DIALECT_IDS.toReversed()]) {
    const input = `Think 3 words. Say 3 words over ${dialect}.`
    const chained = previous ? { previous_response_id: previous } : {}
    const answer = await respondTo(client, false, { model: `over-${dialect}`, input, ...chained })
    history.push(`user: ${input}`)
    expect(spoken(dialect, upstream.last())).toEqual(history)
    history.push(`assistant: ${answer.output_text}`)
    previous = answer.id
  }
})

test('a native upstream stores nothing and is sent reasoning in its encrypted form', async () => {
  const model = 'over-responses'
  const input = 'Think 6 words. Say 3 words.'
  const first = await respondTo(client, true, { model, input, reasoning: { effort: 'low' } })
  expect(upstream.last()).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
  await respondTo(client, true, { model, input: 'And?', previous_response_id: first.id })
  const sent = upstream.last().input as { type?: string; id?: string; encrypted_content?: string }[]
  const reasoning = sent.filter(({ type }) => type === 'reasoning')
  expect(reasoning).toHaveLength(1)
  expect(reasoning[0]?.encrypted_content).toBeString()
  for (const { type, id } of sent) if (type !== 'reasoning') expect(id).toBeUndefined()
})

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF').toString('base64')
