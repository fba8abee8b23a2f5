import { afterAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { ChatCompletionCreateParamsNonStreaming, ChatCompletionTool } from 'openai/resources/chat/completions'
import { misfits } from '../../test-support/schema.ts'
import { startSandboxServer } from '../server.ts'

const server = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false, pace: 0 })
afterAll(() => server.stop())
const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 })

type Params = Partial<ChatCompletionCreateParamsNonStreaming>
const params = (prompt: string, extra: Params = {}): ChatCompletionCreateParamsNonStreaming => ({
  model: 'sandbox-text',
  messages: [{ role: 'user', content: prompt }],
  ...extra,
})
const ask = (prompt: string, extra: Params = {}) => client.chat.completions.create(params(prompt, extra))
const tokens = (text: string) => Math.ceil(Buffer.byteLength(text) / 4)

const tool = (
  name: string,
  properties: Record<string, unknown> = { city: { type: 'string' } },
): ChatCompletionTool => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties, required: Object.keys(properties) } },
})
const TOOLS = [tool('get_weather'), tool('add', { a: { type: 'integer' }, b: { type: 'integer' } })]

async function collect(prompt: string, extra: Params = {}) {
  const stream = await client.chat.completions.create({
    ...params(prompt, extra),
    stream: true,
    stream_options: { include_usage: true },
  })
  const texts: string[] = []
  const calls: { name: string; input: string }[] = []
  let reasoning = ''
  let finish: string | null = null
  let usage: OpenAI.CompletionUsage | null | undefined
  for await (const chunk of stream) {
    if (chunk.usage) usage = chunk.usage
    for (const { index, delta, finish_reason } of chunk.choices) {
      texts[index] = (texts[index] ?? '') + (delta.content ?? '')
      if ('reasoning_content' in delta) reasoning += delta.reasoning_content
      finish = finish_reason ?? finish
      for (const call of delta.tool_calls ?? []) {
        const known = calls[call.index] ?? { name: call.function?.name ?? '', input: '' }
        calls[call.index] = { ...known, input: known.input + (call.function?.arguments ?? '') }
      }
    }
  }
  return { texts, calls, reasoning, finish, usage }
}

const callsOf = (reply: OpenAI.ChatCompletion) =>
  (reply.choices[0]?.message.tool_calls ?? []).map((call) => (call.type === 'function' ? call.function : undefined))

describe('text', () => {
  test('the echo shows what arrived', async () => {
    const pixel = `data:image/png;base64,${Buffer.alloc(70).toString('base64')}`
    const reply = await client.chat.completions.create({
      model: 'sandbox-text',
      messages: [
        { role: 'system', content: 'Be terse.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look: 北京' },
            { type: 'image_url', image_url: { url: pixel } },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png?signature=secret' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
          ],
        },
      ],
      temperature: 0.5,
      seed: 7,
      stop: ['never'],
      reasoning_effort: 'low',
      tools: TOOLS,
      // @ts-expect-error no field of this protocol
      top_k: 5,
    })
    expect(reply.choices[0]?.message.content).toBe(
      [
        '[sandbox] You said: Look: 北京',
        '- messages: 2 (system 1, user 1)',
        '- system: "Be terse."',
        '- attachments: image image/png 70 bytes; image https://example.com/a.png; audio wav 3 bytes; file a.pdf application/pdf 3 bytes',
        '- tools: get_weather, add',
        '- parameters: temperature=0.5, stop=[5 characters], seed=7, reasoning_effort="low"',
        '- unknown fields: top_k',
      ].join('\n'),
    )
    expect(reply.usage?.prompt_tokens).toBe(
      tokens(`Be terse.Look: 北京${TOOLS.map((t) => JSON.stringify(t)).join('')}`) + 4 * 85,
    )
    expect(reply.system_fingerprint).toBe('sandbox')
  })

  test('max_tokens cuts after exactly that many tokens, between characters', async () => {
    const reply = await ask('北京北京北京', { max_tokens: 7 })
    const text = reply.choices[0]?.message.content ?? ''
    expect([text, reply.choices[0]?.finish_reason, reply.usage?.completion_tokens]).toEqual([
      '[sandbox] You said: 北京',
      'length',
      7,
    ])
  })

  test('max_completion_tokens wins over max_tokens', async () => {
    const reply = await ask('Hello', { max_tokens: 50, max_completion_tokens: 2 })
    expect(reply.choices[0]?.message.content).toBe('[sandbox')
  })

  test.each([
    ['You', '[sandbox] '],
    [['zzz', 'aid: He'], '[sandbox] You s'],
    ['llo\n- mess', '[sandbox] You said: He'],
  ])('the stop sequence %p ends the text, also across chunks', async (stop, expected) => {
    const [single, streamed] = [await ask('Hello', { stop }), await collect('Hello', { stop })]
    expect([single.choices[0]?.message.content, single.choices[0]?.finish_reason]).toEqual([expected, 'stop'])
    expect([streamed.texts[0], streamed.finish]).toEqual([expected, 'stop'])
    expect(single.usage?.completion_tokens).toBe(tokens(expected))
  })

  test('several choices, single and streamed', async () => {
    const [single, streamed] = [await ask('Hello', { n: 3 }), await collect('Hello', { n: 3 })]
    const texts = single.choices.map((choice) => choice.message.content ?? '')
    expect(texts[2]).toStartWith('[sandbox] (choice 3) You said: Hello')
    expect(streamed.texts).toEqual(texts)
    expect(single.usage?.completion_tokens).toBe(texts.reduce((sum, text) => sum + tokens(text), 0))
  })

  test('say N words', async () => {
    const reply = await ask('Please say 5,000 words about anything.')
    expect(reply.choices[0]?.message.content?.split(' ').length).toBe(5001)
  })

  test('a refusal', async () => {
    const message = (await ask('Please refuse.')).choices[0]?.message
    expect([message?.content, message?.refusal]).toEqual([null, '[sandbox] I will not help with that.'])
  })

  test('cached tokens are reported on request, never more than the prompt has', async () => {
    expect((await ask('cached 3 tokens, please')).usage?.prompt_tokens_details?.cached_tokens).toBe(3)
    expect((await ask('cached 900 tokens')).usage?.prompt_tokens_details?.cached_tokens).toBe(5)
  })
})

describe('tools', () => {
  test.each<[string, Params, { name: string; arguments: string }[]]>([
    ['Call get_weather with {"city":"Brest"}', {}, [{ name: 'get_weather', arguments: '{"city":"Brest"}' }]],
    ['Use the tool add: call add with {"a":2,"b":3}', {}, [{ name: 'add', arguments: '{"a":2,"b":3}' }]],
    ['use the tool add', {}, [{ name: 'add', arguments: '{"a":1,"b":1}' }]],
    [
      'Call add with {"a":2,"b":3} and get_weather, then add({"a":4,"b":5})',
      {},
      [
        { name: 'add', arguments: '{"a":2,"b":3}' },
        { name: 'get_weather', arguments: '{"city":"sample"}' },
        { name: 'add', arguments: '{"a":4,"b":5}' },
      ],
    ],
    [
      'call all tools',
      {},
      [
        { name: 'get_weather', arguments: '{"city":"sample"}' },
        { name: 'add', arguments: '{"a":1,"b":1}' },
      ],
    ],
    ['call all tools', { parallel_tool_calls: false }, [{ name: 'get_weather', arguments: '{"city":"sample"}' }]],
    ['Hello', { tool_choice: 'required' }, [{ name: 'get_weather', arguments: '{"city":"sample"}' }]],
    [
      'Hello',
      { tool_choice: { type: 'function', function: { name: 'add' } } },
      [{ name: 'add', arguments: '{"a":1,"b":1}' }],
    ],
    ['call get_weather', { tool_choice: 'none' }, []],
    ['do not call get_weather', {}, []],
    ['call get_weather_now', {}, []],
    ['I like get_weather', {}, []],
  ])('%s %p', async (prompt, extra, expected) => {
    const [single, streamed] = [
      await ask(prompt, { tools: TOOLS, ...extra }),
      await collect(prompt, { tools: TOOLS, ...extra }),
    ]
    expect(callsOf(single)).toEqual(expected)
    expect(streamed.calls).toEqual(expected.map((call) => ({ name: call.name, input: call.arguments })))
    const finish = expected.length > 0 ? 'tool_calls' : 'stop'
    expect([single.choices[0]?.finish_reason, streamed.finish]).toEqual([finish, finish])
    if (expected.length === 0) return
    const spent = expected.reduce((sum, call) => sum + tokens(call.name) + tokens(call.arguments), 0)
    expect(single.usage?.completion_tokens).toBe(spent)
  })

  test("the SDK's own loop: call, run, answer", async () => {
    const runner = client.chat.completions.runTools({
      ...params('Call get_weather with {"city":"Brest"}'),
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'The weather of a city.',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
            function: (input: string) => `rain in ${JSON.parse(input).city}`,
          },
        },
      ],
    })
    expect(await runner.finalContent()).toBe('[sandbox] The tool get_weather returned: rain in Brest')
  })

  test('the streaming helper of the SDK assembles parallel calls', async () => {
    const helper = client.chat.completions.stream({ ...params('call all tools', { tools: TOOLS }), stream: true })
    const final = await helper.finalChatCompletion()
    expect(callsOf(final).map((call) => call?.name)).toEqual(['get_weather', 'add'])
    const ids = final.choices[0]?.message.tool_calls?.map((call) => call.id) ?? []
    expect(new Set(ids).size).toBe(2)
  })

  test('arguments are cut by max_tokens', async () => {
    const reply = await ask('call get_weather with {"city":"Brest"}', { tools: TOOLS, max_tokens: 5 })
    expect([callsOf(reply)[0]?.arguments, reply.choices[0]?.finish_reason]).toEqual(['{"city":', 'length'])
  })

  test('a custom tool gets free text', async () => {
    const custom: ChatCompletionTool = { type: 'custom', custom: { name: 'shell' } }
    const reply = await ask('run shell', { tools: [custom] })
    expect(reply.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      type: 'custom',
      custom: { name: 'shell', input: '[sandbox] input' },
    })
  })
})

describe('JSON', () => {
  test('json_object', async () => {
    const reply = await ask('Hello', { response_format: { type: 'json_object' } })
    expect(JSON.parse(reply.choices[0]?.message.content ?? '')).toMatchObject({ sandbox: true, you_said: 'Hello' })
  })

  test('json_schema, single and streamed', async () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { enum: ['a', 'b'] },
        at: { type: 'string', format: 'date-time' },
        n: { type: ['integer', 'null'] },
      },
      required: ['kind', 'at', 'n'],
      additionalProperties: false,
    }
    const response_format = { type: 'json_schema', json_schema: { name: 'thing', strict: true, schema } } as const
    const text = (await ask('Hello', { response_format })).choices[0]?.message.content ?? ''
    expect(misfits(schema, JSON.parse(text))).toEqual([])
    expect((await collect('Hello', { response_format })).texts).toEqual([text])
  })
})

describe('usage', () => {
  test.each<[string, Params]>([
    ['Hello 北京 🙂', {}],
    ['think about it', {}],
    ['think 40 words and say 30 words', {}],
    ['think 40 words and say 30 words', { max_tokens: 20 }],
    ['think 5 words and say 30 words', { max_tokens: 20 }],
    ['call all tools', { tools: TOOLS }],
    ['Hello', { n: 2, max_tokens: 9 }],
    ['Please refuse', {}],
  ])('is the same single and streamed: %s %p', async (prompt, extra) => {
    const [single, streamed] = [await ask(prompt, extra), await collect(prompt, extra)]
    expect(streamed.usage).toEqual(single.usage)
    expect(streamed.finish).toBe(single.choices[0]?.finish_reason ?? '')
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = single.usage ?? {}
    expect(total_tokens).toBe(prompt_tokens + completion_tokens)
    if (extra.max_tokens) expect(completion_tokens).toBe(extra.max_tokens * (extra.n ?? 1))
  })

  test('counts exactly the reasoning and the text that were produced', async () => {
    const { texts, reasoning, usage } = await collect('think 40 words and say 30 words')
    expect(reasoning).toStartWith('[sandbox] amber birch')
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(tokens(reasoning))
    expect(usage?.completion_tokens).toBe(tokens(reasoning) + tokens(texts[0] ?? ''))
  })
})
