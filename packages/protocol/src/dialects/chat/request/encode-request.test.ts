import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../../fixtures/chat/harness.ts'
import { call, messagesOf, mistakeOf, said, TOOL, written } from '../../../../fixtures/chat/requests.ts'
import { originOf } from '../../../../fixtures/origins.ts'
import type { CanonicalRequest } from '../../../canonical/request.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeRequest } from './encode-request.ts'

test('a plain request has nothing that the caller did not set', () => {
  expect(written({})).toEqual({
    body: { model: 'some-model', messages: [{ role: 'user', content: 'Hi.' }] },
    tools: { changed: new Map(), wrapped: new Set(), firstCallOnly: false },
    warnings: [],
  })
})

test('a stream asks for its usage', () => {
  expect(written({ stream: true }).body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
})

describe('fields', () => {
  const table: [name: string, more: Partial<CanonicalRequest>, body: object, warnings?: string[]][] = [
    [
      'sampling',
      {
        sampling: {
          temperature: 0.5,
          topP: 0.9,
          presencePenalty: 1,
          frequencyPenalty: 1,
          seed: 3,
          choices: 2,
          stop: ['a'],
          maxOutput: 9,
          logprobs: { top: 2 },
          logitBias: { 5: 1 },
        },
      },
      {
        max_completion_tokens: 9,
        temperature: 0.5,
        top_p: 0.9,
        n: 2,
        stop: ['a'],
        presence_penalty: 1,
        frequency_penalty: 1,
        seed: 3,
        logit_bias: { 5: 1 },
        logprobs: true,
        top_logprobs: 2,
      },
    ],
    ['one choice is the usual', { sampling: { choices: 1 } }, {}],
    ['top_k has no place', { sampling: { topK: 4 } }, {}, ['topK;dropped']],
    [
      'at most four stops',
      { sampling: { stop: ['a', 'b', 'c', 'd', 'e'] } },
      { stop: ['a', 'b', 'c', 'd'] },
      ['stop;clipped'],
    ],
    ['effort', { reasoning: { effort: 'low' } }, { reasoning_effort: 'low' }],
    ['a budget', { reasoning: { mode: 'on', budget: 8_000 } }, { reasoning_effort: 'medium' }],
    ['no reasoning', { reasoning: { mode: 'off' } }, { reasoning_effort: 'none' }],
    ['as it likes', { reasoning: { mode: 'auto' } }, {}],
    [
      'the rest',
      {
        verbosity: 'low',
        tier: 'flex',
        endUser: 'u',
        metadata: { a: 'b' },
        store: false,
        cacheKey: 'k',
      },
      {
        verbosity: 'low',
        service_tier: 'flex',
        safety_identifier: 'u',
        metadata: { a: 'b' },
        store: false,
        prompt_cache_key: 'k',
      },
    ],
  ]
  test.each(table)('%s', (_name, more, expected, warnings = []) => {
    const { body, warnings: warned } = written(more)
    const { model: _model, messages: _messages, ...fields } = body
    expect(fields).toEqual(expected as Record<string, unknown>)
    expect(warned).toEqual(warnings)
  })

  test.each([
    ['some-model', 'max_completion_tokens', 'safety_identifier', 'system'],
    ['gpt-4.1', 'max_completion_tokens', 'safety_identifier', 'system'],
    ['o4-mini', 'max_completion_tokens', 'safety_identifier', 'developer'],
    ['openai/gpt-5.2', 'max_completion_tokens', 'safety_identifier', 'developer'],
    ['deepseek-reasoner', 'max_tokens', 'user', 'system'],
    ['mistralai/Mistral-Small', 'max_tokens', 'user', 'system'],
  ])('words of the service behind %s', (model, cap, user, role) => {
    const { body } = written({ sampling: { maxOutput: 3 }, endUser: 'u', instructions: [{ text: 'Be brief.' }] }, model)
    expect(body).toMatchObject({ [cap]: 3, [user]: 'u', messages: [{ role, content: 'Be brief.' }, {}] })
  })
})

test.each([
  ['deepseek-chat', { effort: 'medium' }, { thinking: { type: 'enabled' }, reasoning_effort: 'high' }, []],
  ['deepseek-chat', { effort: 'xhigh' }, { thinking: { type: 'enabled' }, reasoning_effort: 'high' }, []],
  ['deepseek-chat', { mode: 'on', budget: 30_000 }, { thinking: { type: 'enabled' }, reasoning_effort: 'max' }, []],
  ['deepseek-chat', { mode: 'off' }, { thinking: { type: 'disabled' } }, []],
  ['deepseek-chat', { mode: 'auto' }, {}, []],
  ['kimi-k2.6', { mode: 'on' }, { thinking: { type: 'enabled' } }, []],
  ['kimi-k3', { mode: 'on' }, {}, []],
  ['kimi-k3', { effort: 'low' }, { reasoning_effort: 'low' }, []],
  ['kimi-k3', { effort: 'xhigh' }, { reasoning_effort: 'max' }, []],
  ['glm-5', { effort: 'low' }, { thinking: { type: 'enabled' } }, ['reasoning;changed']],
] as const)('how hard %s is to think: %j', (model, reasoning, expected, warnings) => {
  const { body, warnings: warned } = written({ reasoning }, model)
  const { model: _model, messages: _messages, ...fields } = body
  expect(fields).toEqual(expected)
  expect(warned).toEqual([...warnings])
})

describe('structured output', () => {
  const strict = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
  const loose = { type: 'object', properties: { a: { type: 'string' } } }
  const formatOf = (more: Partial<CanonicalRequest>) => {
    const { body, warnings } = written(more)
    return { format: body.response_format, warnings }
  }
  test('the promise of another dialect is kept where the schema allows it', () => {
    expect(formatOf({ format: { type: 'schema', schema: strict } })).toEqual({
      format: { type: 'json_schema', json_schema: { name: 'output', schema: strict, strict: true } },
      warnings: [],
    })
    expect(formatOf({ format: { type: 'schema', schema: loose } })).toEqual({
      format: { type: 'json_schema', json_schema: { name: 'output', schema: loose, strict: false } },
      warnings: ['format;changed'],
    })
  })

  test.each([
    [{ ...strict, properties: { a: { type: 'string', default: 'x' } } }],
    [{ ...strict, properties: { a: { oneOf: [] } } }],
    [{ ...strict, properties: { a: { type: 'array', items: loose } } }],
    [{ ...strict, $defs: { b: loose } }],
    [{ ...strict, required: [] }],
    [{ ...strict, anyOf: [strict] }],
  ])('not strict: %j', (schema) => {
    expect(formatOf({ format: { type: 'schema', schema } }).warnings).toEqual(['format;changed'])
  })

  test('the word of a dialect that has it is taken as it is', () => {
    const format = { type: 'schema', schema: loose, name: 'my schema', strict: true } as const
    expect(formatOf({ from: originOf('responses'), format })).toEqual({
      format: { type: 'json_schema', json_schema: { name: 'my_schema', schema: loose, strict: true } },
      warnings: [],
    })
  })

  test('a list is wrapped in an object, unless the caller uses a dialect with the same rule', () => {
    const format = { type: 'schema', schema: { type: 'array', items: strict } } as const
    const { body, tools, warnings } = written({ from: originOf('generate-content'), format })
    const wrapped = {
      type: 'object',
      properties: { value: format.schema },
      required: ['value'],
      additionalProperties: false,
    }
    expect(body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema: wrapped, strict: true },
    })
    expect({ valueInObject: tools.valueInObject, warnings }).toEqual({ valueInObject: true, warnings: [] })
    const own = written({ from: originOf('responses'), format })
    expect(own.body.response_format).toMatchObject({ json_schema: { schema: format.schema } })
    expect(own.tools.valueInObject).toBeUndefined()
  })

  test('JSON without a schema has to be spoken of', () => {
    const format = { type: 'json' } as const
    expect(messagesOf({ format })).toEqual([
      { role: 'system', content: 'Answer with a JSON object.' },
      { role: 'user', content: 'Hi.' },
    ])
    expect(messagesOf({ format, instructions: [{ text: 'Be brief.' }] })).toEqual([
      { role: 'system', content: 'Be brief.\n\nAnswer with a JSON object.' },
      { role: 'user', content: 'Hi.' },
    ])
    expect(messagesOf({ format, turns: [said('As json, please.')] })).toEqual([
      { role: 'user', content: 'As json, please.' },
    ])
  })
})

describe('tools', () => {
  test('of all kinds, with names that fit', () => {
    const { body, tools } = written({
      tools: [
        TOOL,
        { name: 'mcp.server:do/it' },
        { name: 'mcp_server_do_it', strict: true, schema: { type: 'object' } },
        { name: 'note', custom: { grammar: { syntax: 'regex', definition: 'a+' } } },
        { name: 'free', custom: {} },
      ],
    })
    expect(body.tools).toEqual([
      { type: 'function', function: { name: 'tide', description: 'Heights.', parameters: TOOL.schema } },
      { type: 'function', function: { name: expect.stringMatching(/^mcp_server_do_it_\w{6}$/) } },
      { type: 'function', function: { name: 'mcp_server_do_it', parameters: { type: 'object' }, strict: false } },
      {
        type: 'custom',
        custom: { name: 'note', format: { type: 'grammar', grammar: { syntax: 'regex', definition: 'a+' } } },
      },
      { type: 'custom', custom: { name: 'free' } },
    ])
    expect([...tools.changed.values()]).toEqual(['mcp.server:do/it'])
  })

  test('a free-text tool is sent as a function to services that know only functions', () => {
    const { body, tools } = written(
      {
        tools: [{ name: 'note.it', custom: { grammar: { syntax: 'lark', definition: 'x' } } }, TOOL],
        toolChoice: { mode: 'tool', name: 'note.it' },
        turns: [
          said('Hi.'),
          { role: 'assistant', parts: [call('c1', { name: 'note.it', arguments: 'a"b', custom: true })] },
        ],
      },
      'deepseek-chat',
    )
    const input = { type: 'string', description: 'Must fit this lark grammar:\nx' }
    expect(body).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'note_it', parameters: { properties: { input }, required: ['input'] } } },
        {},
      ],
      tool_choice: { type: 'function', function: { name: 'note_it' } },
      messages: [
        {},
        { tool_calls: [{ type: 'function', function: { name: 'note_it', arguments: '{"input":"a\\"b"}' } }] },
      ],
    })
    expect(tools.wrapped).toEqual(new Set(['note.it']))
    expect(tools.changed).toEqual(new Map([['note_it', 'note.it']]))
  })

  test.each([
    [{ mode: 'auto' }, 'auto'],
    [{ mode: 'none' }, 'none'],
    [{ mode: 'required' }, 'required'],
    [
      { mode: 'tool', name: 'tide' },
      { type: 'function', function: { name: 'tide' } },
    ],
    [
      { mode: 'allowed', required: false, names: ['tide'] },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'tide' } }] },
      },
    ],
  ] as const)('choice %j', (toolChoice, expected) => {
    expect(written({ tools: [TOOL], toolChoice }).body.tool_choice).toEqual(expected as never)
  })

  test('one call at a time, only where there are calls', () => {
    expect(written({ tools: [TOOL], parallelCalls: false }).body.parallel_tool_calls).toBe(false)
    expect(written({ parallelCalls: false }).body).not.toHaveProperty('parallel_tool_calls')
  })

  test('a choice without tools', () => {
    expect(written({ toolChoice: { mode: 'auto' } }).warnings).toEqual([])
    expect(written({ toolChoice: { mode: 'none' } }).body).not.toHaveProperty('tool_choice')
    expect(mistakeOf({ toolChoice: { mode: 'required' } })).toMatchObject({ code: 'bad_request', param: 'tool_choice' })
    expect(mistakeOf({ toolChoice: { mode: 'tool', name: 'x' } })).toMatchObject({ code: 'bad_request' })
  })

  test('hosted tools', () => {
    const hostedTools = [{ name: 'web_search', at: 'tools[1]' }]
    expect(written({ tools: [TOOL], hostedTools }).warnings).toEqual(['tools;dropped'])
    const rejected = {
      code: 'unsupported_parameter',
      param: 'tools[1]',
      message: expect.stringContaining('web_search'),
    }
    expect(mistakeOf({ hostedTools })).toMatchObject(rejected)
    const forced = mistakeOf({ tools: [TOOL], hostedTools, toolChoice: { mode: 'hosted', name: 'web_search' } })
    expect(forced).toMatchObject({ ...rejected, param: 'tool_choice' })
  })
})

test('what this dialect can express survives a round trip', () => {
  const request = decodeRequest({
    model: 'some-model',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Which port?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
        ],
        name: 'Ann',
      },
      {
        role: 'assistant',
        content: 'Brest.',
        reasoning_content: 'Cranes.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'tide', arguments: '{"port":"Brest"}' } },
          { id: 'c2', type: 'custom', custom: { name: 'note', input: 'x' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '5.1 m' },
      {
        role: 'tool',
        tool_call_id: 'c2',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'system', content: 'In French.' },
      { role: 'user', content: 'So?' },
    ],
    tools: [
      { type: 'function', function: { name: 'tide', description: 'd', parameters: { type: 'object' }, strict: false } },
      { type: 'custom', custom: { name: 'note' } },
    ],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'custom', custom: { name: 'note' } }] },
    },
    parallel_tool_calls: true,
    response_format: { type: 'json_schema', json_schema: { name: 's', description: 'd', schema: { type: 'object' } } },
    max_completion_tokens: 5,
    temperature: 1,
    top_p: 0.5,
    n: 2,
    stop: ['x'],
    presence_penalty: 0.5,
    frequency_penalty: 0.5,
    seed: 1,
    logit_bias: { 1: 2 },
    logprobs: true,
    top_logprobs: 1,
    reasoning_effort: 'low',
    verbosity: 'high',
    service_tier: 'auto',
    safety_identifier: 'u',
    metadata: { a: 'b' },
    store: true,
    prompt_cache_key: 'k',
  })
  const target = targetOf('some-model')
  expect(decodeRequest(encodeRequest(request, target).body)).toEqual(request)
  expect(target.warnings).toEqual([])
})
