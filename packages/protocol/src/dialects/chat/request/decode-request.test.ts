import { describe, expect, test } from 'bun:test'
import { originOf } from '../../../../fixtures/origins.ts'
import { untranslatedOf } from '../../../../fixtures/untranslated.ts'
import type { CanonicalRequest, Part } from '../../../canonical/request.ts'
import { decodeRequest } from './decode-request.ts'
import { fieldNames } from './field-names.ts'

const PNG = 'iVBORw0KGgo='
const PDF = 'JVBERi0='

const decode = (more: object, messages: unknown[] = [{ role: 'user', content: 'Hi.' }]): CanonicalRequest =>
  decodeRequest({ model: 'm', messages, ...more })

const partsOf = (content: unknown): readonly Part[] => decode({}, [{ role: 'user', content }]).turns[0]?.parts ?? []

describe('a request that says little', () => {
  test('has nothing that the caller did not set', () => {
    expect(decode({})).toEqual({
      from: originOf('chat'),
      model: 'm',
      stream: false,
      showUsage: false,
      instructions: [],
      turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }],
      tools: [],
      hostedTools: [],
      format: { type: 'text' },
      modalities: [],
      sampling: {},
      reasoning: {},
      untranslated: [],
    })
  })

  test('null is absent', () => {
    const fields = 'stream stream_options temperature top_p max_tokens max_completion_tokens n stop tools tool_choice'
    const more = 'functions function_call response_format reasoning_effort verbosity logit_bias metadata user store'
    const nulls = Object.fromEntries(`${fields} ${more} prediction`.split(' ').map((field) => [field, null]))
    expect(decode(nulls)).toEqual(decode({}))
  })
})

describe('fields', () => {
  const table: [name: string, body: object, expected: Partial<CanonicalRequest>][] = [
    [
      'sampling',
      { temperature: 0.2, top_p: 0.9, top_k: 40, presence_penalty: 1, frequency_penalty: -1, seed: 7, n: 3 },
      {
        sampling: {
          temperature: 0.2,
          topP: 0.9,
          topK: 40,
          presencePenalty: 1,
          frequencyPenalty: -1,
          seed: 7,
          choices: 3,
        },
      },
    ],
    ['the old cap', { max_tokens: 5 }, { sampling: { maxOutput: 5 } }],
    ['the new cap wins', { max_tokens: 5, max_completion_tokens: 6 }, { sampling: { maxOutput: 6 } }],
    ['one stop', { stop: 'END' }, { sampling: { stop: ['END'] } }],
    ['several stops', { stop: ['a', 'b'] }, { sampling: { stop: ['a', 'b'] } }],
    ['logprobs', { logprobs: true, top_logprobs: 2 }, { sampling: { logprobs: { top: 2 } } }],
    ['others only', { top_logprobs: 2 }, { sampling: {} }],
    ['biases', { logit_bias: { 50: -100 } }, { sampling: { logitBias: { 50: -100 } } }],
    ['a stream', { stream: true, stream_options: { include_usage: true } }, { stream: true, showUsage: true }],
    ['effort', { reasoning_effort: 'high' }, { reasoning: { effort: 'high' } }],
    ['no effort', { reasoning_effort: 'none' }, { reasoning: { mode: 'off', effort: 'none' } }],
    [
      'thinking as compatible services ask for it',
      { thinking: { type: 'enabled', budget_tokens: 2048 } },
      { reasoning: { mode: 'on', budget: 2048, show: 'summary' } },
    ],
    ['thinking off', { thinking: { type: 'disabled' } }, { reasoning: { mode: 'off' } }],
    [
      'reasoning as resellers ask for it',
      { reasoning: { effort: 'low', exclude: true } },
      { reasoning: { effort: 'low', show: 'none' } },
    ],
    ['a summary', { reasoning: { summary: 'auto' } }, { reasoning: { show: 'summary' } }],
    ['no summary', { reasoning: { summary: 'none' } }, { reasoning: {} }],
    ['reasoning in the answer', { include_reasoning: true }, { reasoning: { show: 'summary' } }],
    [
      'reasoning kept out of it',
      { thinking: { type: 'enabled' }, include_reasoning: false },
      { reasoning: { mode: 'on', show: 'none' } },
    ],
    ['JSON', { response_format: { type: 'json_object' } }, { format: { type: 'json' } }],
    [
      'a schema',
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'tide', schema: { type: 'object' }, strict: true },
        },
      },
      { format: { type: 'schema', name: 'tide', schema: { type: 'object' }, strict: true } },
    ],
    ['tier', { service_tier: 'flex' }, { tier: 'flex' }],
    ['user', { user: 'u1' }, { endUser: 'u1' }],
    ['the newer name for it wins', { user: 'u1', safety_identifier: 's1' }, { endUser: 's1' }],
    ['cache key', { prompt_cache_key: 'k' }, { cacheKey: 'k' }],
    ['metadata', { metadata: { a: 'b' } }, { metadata: { a: 'b' } }],
    ['store', { store: false }, { store: false }],
    ['verbosity', { verbosity: 'low' }, { verbosity: 'low' }],
    [
      'modalities',
      { modalities: ['text', 'audio'], audio: { voice: 'a' } },
      { modalities: ['audio'], untranslated: ['audio'] },
    ],
    ['one call at a time', { parallel_tool_calls: false }, { parallelCalls: false }],
    [
      'what no other dialect has',
      { prediction: {}, enable_search: true, min_p: 0.1, __proto__: null },
      { untranslated: ['prediction', 'enable_search', 'min_p'] },
    ],
    [
      'a web search',
      {
        web_search_options: {
          search_context_size: 'high',
          user_location: { type: 'approximate', approximate: { country: 'GB', city: 'Hull' } },
        },
      },
      {
        hostedTools: [
          {
            name: 'web_search_options',
            at: 'web_search_options',
            search: { contextSize: 'high', location: { country: 'GB', city: 'Hull' } },
          },
        ],
      },
    ],
    [
      'words that are not known here',
      { reasoning_effort: 'default', service_tier: 'scale', verbosity: 'chatty', response_format: { type: 'grammar' } },
      { reasoning: {}, untranslated: ['response_format', 'verbosity', 'reasoning_effort', 'service_tier'] },
    ],
    ['metadata that is not text', { metadata: { a: 1 } }, { untranslated: ['metadata'] }],
  ]
  test.each(table)('%s', (_name, body, expected) => {
    const { untranslated: _, ...request } = decode(body)
    const { untranslated: named, ...fields } = expected
    expect(request).toMatchObject(fields)
    expect(untranslatedOf('chat', { model: 'm', messages: [{ role: 'user', content: 'Hi.' }], ...body })).toEqual(
      [...(named ?? [])].sort(),
    )
  })

  test('every warning has a name of this dialect', () => {
    expect(Object.values(fieldNames).every((name) => /^[a-z_.]+$/.test(name))).toBe(true)
  })
})

describe('messages', () => {
  test('instructions at the beginning, and in the middle', () => {
    const { instructions, turns } = decode({}, [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'developer',
        content: [{ type: 'text', text: 'Be kind.', prompt_cache_breakpoint: { mode: 'explicit' } }],
      },
      { role: 'user', content: 'Hi.', name: 'Ann' },
      { role: 'system', content: 'Now in French.' },
      { role: 'user', content: 'Again.' },
    ])
    expect(instructions).toEqual([{ text: 'Be brief.' }, { text: 'Be kind.', cache: { isBreakpoint: true } }])
    expect(turns).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'Hi.' }], name: 'Ann' },
      { role: 'system', parts: [{ type: 'text', text: 'Now in French.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Again.' }] },
    ])
  })

  test('a turn with tools, from the reasoning to the result', () => {
    const { turns } = decode({}, [
      { role: 'user', content: 'Tide?' },
      {
        role: 'assistant',
        content: '',
        reasoning_content: 'Two ports.',
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'tide', arguments: '{"port":"Brest"}' },
            extra_content: { google: { thought_signature: 'sig' } },
          },
          { id: 'c2', function: { name: 'tide', arguments: { port: 'Cork' } } },
          { id: 'c3', type: 'custom', custom: { name: 'note', input: 'free text' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '5.1 m' },
      { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'ERROR: offline' }] },
      { role: 'user', content: 'And?' },
    ])
    expect(turns.slice(1)).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'Two ports.', style: 'full' },
          { type: 'call', id: 'c1', name: 'tide', arguments: '{"port":"Brest"}', custom: false, signature: 'sig' },
          { type: 'call', id: 'c2', name: 'tide', arguments: '{"port":"Cork"}', custom: false },
          { type: 'call', id: 'c3', name: 'note', arguments: 'free text', custom: true },
        ],
      },
      {
        role: 'user',
        parts: [
          { type: 'result', callId: 'c1', parts: [{ type: 'text', text: '5.1 m' }], at: 'messages[2]' },
          { type: 'result', callId: 'c2', parts: [{ type: 'text', text: 'ERROR: offline' }], at: 'messages[3]' },
        ],
      },
      { role: 'user', parts: [{ type: 'text', text: 'And?' }] },
    ])
  })

  test('functions, as they were called before there were tools', () => {
    const request = decode(
      { functions: [{ name: 'tide', parameters: { type: 'object' } }], function_call: { name: 'tide' } },
      [
        { role: 'user', content: 'Tide?' },
        { role: 'assistant', content: null, function_call: { name: 'tide', arguments: '{}' } },
        { role: 'function', name: 'tide', content: '5.1 m' },
      ],
    )
    expect(request.tools).toEqual([{ name: 'tide', schema: { type: 'object' } }])
    expect(request.toolChoice).toEqual({ mode: 'tool', name: 'tide' })
    expect(request.turns.slice(1)).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'call', id: 'call_legacy_0', name: 'tide', arguments: '{}', custom: false }],
      },
      {
        role: 'user',
        parts: [
          {
            type: 'result',
            callId: 'call_legacy_0',
            name: 'tide',
            parts: [{ type: 'text', text: '5.1 m' }],
            at: 'messages[2]',
          },
        ],
      },
    ])
  })

  test('reasoning as content parts', () => {
    const { turns } = decode({}, [
      { role: 'user', content: 'Hi.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: 'Ho.' },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
    ])
    expect(turns[1]?.parts).toEqual([
      { type: 'reasoning', text: 'Hm.', style: 'full' },
      { type: 'text', text: 'Ho.' },
      { type: 'refusal', text: 'No.' },
    ])
  })
})

describe('parts', () => {
  const at = 'messages[0].content[0]'
  const table: [name: string, part: object, expected: object][] = [
    ['a URL', { image_url: { url: 'https://x.test/a.png' } }, { source: { kind: 'url', url: 'https://x.test/a.png' } }],
    [
      'a data URL',
      { image_url: { url: `data:image/webp;base64,${PNG}`, detail: 'high' } },
      { source: { kind: 'inline', mime: 'image/webp', data: PNG }, detail: 'high' },
    ],
    [
      'one without a type',
      { image_url: { url: `data:;base64,${PNG}` } },
      { source: { kind: 'inline', mime: 'image/png', data: PNG } },
    ],
    ['bare base64', { image_url: { url: PNG } }, { source: { kind: 'inline', mime: 'image/png', data: PNG } }],
    [
      'sound',
      { input_audio: { data: 'AAAA', format: 'mp3' } },
      { media: 'audio', source: { kind: 'inline', mime: 'audio/mpeg', data: 'AAAA' } },
    ],
    [
      'a file',
      { file: { file_data: `data:application/pdf;base64,${PDF}`, filename: 'a.pdf' } },
      { media: 'document', source: { kind: 'inline', mime: 'application/pdf', data: PDF }, name: 'a.pdf' },
    ],
    [
      'a file in bare base64',
      { file: { file_data: PDF } },
      { media: 'document', source: { kind: 'inline', mime: 'application/pdf', data: PDF } },
    ],
    ['a kept file', { file: { file_id: 'file-1' } }, { media: 'document', source: { kind: 'object', id: 'file-1' } }],
    [
      'a film',
      { video_url: { url: 'https://x.test/a.mp4' } },
      { media: 'video', source: { kind: 'url', url: 'https://x.test/a.mp4' } },
    ],
  ]
  test.each(table)('%s', (_name, part, expected) => {
    const type = Object.keys(part)[0]
    expect(partsOf([{ type, ...part }])).toEqual([
      { type: 'media', media: 'image', at, ...expected } as unknown as Part,
    ])
  })

  test('an unknown part has no equivalent elsewhere', () => {
    expect(partsOf([{ type: 'hologram', hologram: {} }])).toEqual([{ type: 'foreign', what: 'hologram', at }])
  })
})

describe('tools', () => {
  test('of all kinds', () => {
    const request = decode({
      tools: [
        {
          type: 'function',
          function: { name: 'tide', description: 'd', parameters: { type: 'object' }, strict: true },
        },
        {
          type: 'custom',
          custom: { name: 'note', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
        },
        { type: 'custom', custom: { name: 'free' } },
        { type: 'web_search' },
      ],
    })
    expect(request.tools).toEqual([
      { name: 'tide', description: 'd', schema: { type: 'object' }, strict: true },
      { name: 'note', custom: { grammar: { syntax: 'lark', definition: 'x' } } },
      { name: 'free', custom: {} },
    ])
    expect(request.hostedTools).toEqual([{ name: 'web_search', at: 'tools[3]', search: {} }])
  })

  test.each([
    ['auto', { mode: 'auto' }],
    ['none', { mode: 'none' }],
    ['required', { mode: 'required' }],
    [
      { type: 'function', function: { name: 'tide' } },
      { mode: 'tool', name: 'tide' },
    ],
    [
      { type: 'custom', custom: { name: 'note' } },
      { mode: 'tool', name: 'note' },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'tide' } }] },
      },
      { mode: 'allowed', required: true, names: ['tide'] },
    ],
    [{ type: 'web_search' }, { mode: 'hosted', name: 'web_search' }],
  ])('choice %j', (tool_choice, expected) => {
    const tools = [
      { type: 'function', function: { name: 'tide' } },
      { type: 'custom', custom: { name: 'note' } },
    ]
    expect(decode({ tools, tool_choice }).toolChoice).toEqual(expected as never)
  })
})
