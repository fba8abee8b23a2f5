import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { ANSWERS, usageOf } from '../../../../fixtures/chat/answers.ts'
import { answeringOf, eventsOf, framed } from '../../../../fixtures/chat/harness.ts'
import type { StreamEvent } from '../../../canonical/event.ts'
import { type Block, type CanonicalReply, fold, unfold } from '../../../canonical/reply.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import { encodeStreamError } from '../error.ts'
import { openStreamEncoder } from './encode-stream.ts'

const USAGE = usageOf({ input: 90, output: 20, cachedInput: 64, reasoning: 8 })

function written(events: Iterable<StreamEvent>, more: Partial<ReplyContext> = {}): string {
  const encoder = openStreamEncoder(answeringOf({ seal: (signature) => signature, ...more }))
  let frames = ''
  for (const event of events) frames += encoder.write(event)
  return frames
}

const answer = (blocks: Block[], more: Partial<CanonicalReply> = {}): CanonicalReply => ({
  id: 'x',
  choices: [{ blocks, stop: { raw: 'end_turn', reason: 'end' } }],
  usage: USAGE,
  omitted: [],
  ...more,
})

type Chunk = { choices: { delta: object; finish_reason: string | null }[]; usage?: unknown }

const chunksOf = (frames: string): Chunk[] =>
  frames
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)))

const deltasOf = (frames: string): object[] =>
  chunksOf(frames).flatMap(({ choices }) => choices.map(({ delta }) => delta))

test('one answer, frame by frame', () => {
  const frames = written([
    { type: 'start', id: 'x', usage: undefined },
    { type: 'open', index: 0, choice: 0, block: { type: 'reasoning', style: 'full' } },
    { type: 'delta', index: 0, text: 'Compare.' },
    { type: 'signature', index: 0, value: 'S' },
    { type: 'close', index: 0 },
    { type: 'open', index: 1, choice: 0, block: { type: 'text' } },
    { type: 'delta', index: 1, text: 'It is\n5.1 m.' },
    { type: 'close', index: 1 },
    { type: 'usage', usage: USAGE },
    { type: 'stop', choice: 0, stop: { raw: 'end_turn', reason: 'end' } },
    { type: 'end' },
  ])
  const head =
    '{"id":"chatcmpl-a1b2","object":"chat.completion.chunk","created":1767225600,"model":"harbour-1","choices":['
  const line = (delta: string, reason = 'null') =>
    `data: ${head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}],"usage":null}\n\n`
  expect(frames).toBe(
    line('{"role":"assistant","content":"","refusal":null}') +
      line('{"reasoning_content":"Compare."}') +
      line('{"content":"It is\\n5.1 m."}') +
      line('{}', '"stop"') +
      `data: ${head}],"usage":{"prompt_tokens":90,"completion_tokens":20,"total_tokens":110,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":8}}}\n\n` +
      'data: [DONE]\n\n',
  )
})

describe('usage', () => {
  const text: Block = { type: 'text', text: 'né', citations: [] }
  test('is not shown unless requested', () => {
    const frames = written(unfold(answer([text])), { showUsage: false })
    expect(frames).not.toContain('usage')
    expect(frames).toEndWith('data: [DONE]\n\n')
  })

  test('is counted when the upstream does not say', () => {
    const frames = written(unfold(answer([text], { usage: undefined })))
    expect(chunksOf(frames).at(-1)?.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 })
  })

  test('what was known at the start is not lost', () => {
    const [, ...rest] = unfold(answer([text], { usage: undefined }))
    const start: StreamEvent = { type: 'start', id: 'x', usage: usageOf({ input: 40 }) }
    expect(chunksOf(written([start, ...rest])).at(-1)?.usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 3 })
  })
})

describe('what the events leave open', () => {
  test('an end without a reason', () => {
    const call: Block = { type: 'call', id: 'c', name: 'f', arguments: '{}', custom: false }
    const words = (blocks: Block[]) =>
      chunksOf(written(unfold(answer(blocks, { choices: [{ blocks, stop: undefined }] })))).flatMap(({ choices }) =>
        choices.flatMap(({ finish_reason }) => finish_reason ?? []),
      )
    expect(words([])).toEqual(['stop'])
    expect(words([call])).toEqual(['tool_calls'])
  })

  test('nothing at all', () => {
    expect(deltasOf(written([{ type: 'end' }]))).toEqual([{ role: 'assistant', content: '', refusal: null }, {}])
  })

  test('hidden reasoning, and redacted reasoning', () => {
    const blocks: Block[] = [
      { type: 'reasoning', text: 'Hm.', style: 'full' },
      { type: 'redacted', data: 'x' },
    ]
    expect(deltasOf(written(unfold(answer(blocks)), { hideReasoning: true }))).toHaveLength(2)
  })
})

test('calls are numbered by themselves; those without arguments have an empty object', () => {
  const blocks: Block[] = [
    { type: 'text', text: 'Look.', citations: [] },
    { type: 'call', id: 'a', name: 'tide', arguments: '', custom: false, signature: 'S' },
    { type: 'call', id: 'b', name: 'note', arguments: 'x', custom: true },
  ]
  expect(deltasOf(written(unfold(answer(blocks))))).toEqual([
    { role: 'assistant', content: '', refusal: null },
    { content: 'Look.' },
    { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'tide', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '' }, extra_content: { google: { thought_signature: 'S' } } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
    { tool_calls: [{ index: 1, id: 'b', type: 'custom', custom: { name: 'note', input: '' } }] },
    { tool_calls: [{ index: 1, custom: { input: 'x' } }] },
    {},
  ])
})

test('citations of all blocks are in one list, with positions in the whole text', () => {
  const citation = { kind: 'url', url: 'https://x.test', start: 1, end: 3 } as const
  const blocks: Block[] = [
    { type: 'text', text: 'One. ', citations: [citation] },
    { type: 'text', text: 'Two.', citations: [citation, { kind: 'document', title: 'T' }] },
  ]
  const cited = (start_index: number, end_index: number) => ({
    type: 'url_citation',
    url_citation: { start_index, end_index, title: '', url: 'https://x.test' },
  })
  expect(deltasOf(written(unfold(answer(blocks)))).at(-2)).toEqual({ annotations: [cited(1, 3), cited(6, 8)] })
})

test('a caller that speaks of functions is answered so', () => {
  const blocks: Block[] = ['a', 'b'].map((id) => ({ type: 'call', id, name: 'f', arguments: '{"x":1}', custom: false }))
  const frames = written(unfold(answer(blocks, { choices: [{ blocks, stop: { raw: 'x', reason: 'tool' } }] })), {
    echo: { legacy_functions: true },
  })
  expect(deltasOf(frames).slice(1)).toEqual([
    { function_call: { name: 'f', arguments: '' } },
    { function_call: { arguments: '{"x":1}' } },
    {},
  ])
  expect(frames).toContain('"finish_reason":"function_call"')
})

describe('what is written is read again', () => {
  test.each([...ANSWERS])('$name', ({ stream }) => {
    const reply = fold(eventsOf(framed(stream)))
    const again = fold(eventsOf(written(eventsOf(framed(stream)))))
    expect(again.usage).toEqual(usageOf({ ...reply.usage, cachedInput: 0, reasoning: 0 }))
    for (const [index, { blocks, stop }] of reply.choices.entries()) {
      expect(again.choices[index]?.blocks).toEqual(blocks.map(asWritten))
      expect(again.choices[index]?.stop?.reason).toBe(stop?.reason ?? 'end')
    }
  })

  /** What the dialect demands and the upstream did not say. */
  function asWritten(block: Block): Block {
    if (block.type === 'call') return { ...block, arguments: block.arguments || '{}' }
    if (block.type !== 'text') return block
    return { ...block, citations: block.citations.map((one) => ({ start: 0, end: block.text.length, ...one })) }
  }
})

describe('the official SDK', () => {
  let frames = ''
  let server: ReturnType<typeof Bun.serve>
  let client: OpenAI
  beforeAll(() => {
    const headers = { 'content-type': 'text/event-stream' }
    server = Bun.serve({ port: 0, fetch: () => new Response(frames, { headers }) })
    client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${server.port}/v1`, maxRetries: 0 })
  })
  afterAll(() => server.stop(true))

  const REQUEST = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], stream: true as const }
  const withoutCustom = ANSWERS.filter(({ name }) => !name.includes('custom'))

  test.each(withoutCustom)('.stream(): $name', async ({ stream }) => {
    const events = eventsOf(framed(stream))
    frames = written(events)
    const reply = fold(events)
    const final = await client.chat.completions.stream(REQUEST).finalChatCompletion()
    expect(final.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 })
    expect(final.choices).toHaveLength(reply.choices.length)
    for (const [index, { blocks }] of reply.choices.entries()) {
      const message = final.choices[index]?.message
      const texts = (type: string) => blocks.map((one) => (one.type === type && 'text' in one ? one.text : '')).join('')
      expect(message?.role).toBe('assistant')
      expect(message?.content ?? '').toBe(texts('text'))
      expect(message?.refusal ?? '').toBe(texts('refusal'))
      const called = (message?.tool_calls ?? []).map((call) => [call.id, call.type, call.function])
      const expected = blocks.flatMap((block) =>
        block.type === 'call'
          ? [[block.id, 'function', expect.objectContaining({ name: block.name, arguments: block.arguments || '{}' })]]
          : [],
      )
      expect(called).toEqual(expected)
    }
  })

  test('iterated: all text arrives, reasoning included', async () => {
    frames = written(
      unfold(
        answer([
          { type: 'reasoning', text: 'Hm.', style: 'summary' },
          { type: 'text', text: 'Yes 北.', citations: [] },
        ]),
      ),
    )
    let text = ''
    let thoughts = ''
    for await (const chunk of await client.chat.completions.create(REQUEST)) {
      const delta = chunk.choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined
      text += delta?.content ?? ''
      thoughts += delta?.reasoning_content ?? ''
    }
    expect([thoughts, text]).toEqual(['Hm.', 'Yes 北.'])
  })

  test('an answer that fails on the way throws', async () => {
    const encoder = openStreamEncoder(answeringOf())
    const error = { code: 'upstream_error', message: 'It broke.' } as const
    frames = encoder.write({ type: 'start', id: 'x', usage: undefined })
    frames += encoder.write({ type: 'open', index: 0, choice: 0, block: { type: 'text' } })
    frames += encoder.write({ type: 'delta', index: 0, text: 'Well' })
    frames += encoder.abandon(error) + encodeStreamError(error, 'r1')
    const reading = async () => {
      for await (const _chunk of await client.chat.completions.create(REQUEST));
    }
    await expect(reading()).rejects.toMatchObject({
      code: 'upstream_error',
      message: expect.stringContaining('It broke.'),
    })
    expect(eventsOf(frames).at(-1)).toMatchObject({ type: 'error' })
  })
})
