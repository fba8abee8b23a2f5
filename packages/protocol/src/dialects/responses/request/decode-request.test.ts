import { describe, expect, test } from 'bun:test'
import { originOf } from '../../../../fixtures/origins.ts'
import type { CanonicalRequest, Part, Turn } from '../../../canonical/request.ts'
import { decodeRequest } from './decode-request.ts'

const PNG = 'iVBORw0KGgoAAAA='
const PDF = 'JVBERi0xLjQK'

const read = (fields: object): CanonicalRequest =>
  decodeRequest({ model: 'harbour-large', input: 'How high is the tide?', ...fields }, undefined)
const turnsOf = (input: unknown): readonly Turn[] => read({ input }).turns
const user = (...content: object[]): object => ({ role: 'user', content })
const partsOf = (...content: object[]): readonly Part[] => turnsOf([user(...content)])[0]?.parts ?? []

test('a request in full', () => {
  const request = read({
    instructions: 'Be brief.',
    stream: true,
    store: false,
    metadata: { port: 'Brest' },
    user: 'u1',
    max_output_tokens: 400,
    temperature: 0.5,
    top_p: 0.9,
    top_logprobs: 3,
    parallel_tool_calls: false,
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    service_tier: 'flex',
    reasoning: { effort: 'low', summary: 'auto' },
    prompt_cache_key: 'k1',
    safety_identifier: 's1',
    text: { format: { type: 'json_schema', name: 'tide', schema: { type: 'object' }, strict: true }, verbosity: 'low' },
    tools: [
      { type: 'function', name: 'tide_height', description: 'Height.', parameters: { type: 'object' }, strict: true },
    ],
    tool_choice: { type: 'function', name: 'tide_height' },
  })
  const { echo, ...rest } = request
  expect(rest).toEqual({
    from: originOf('responses'),
    model: 'harbour-large',
    stream: true,
    showUsage: true,
    store: false,
    instructions: [{ text: 'Be brief.' }],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'How high is the tide?' }] }],
    tools: [{ name: 'tide_height', description: 'Height.', schema: { type: 'object' }, strict: true }],
    hostedTools: [],
    toolChoice: { mode: 'tool', name: 'tide_height' },
    parallelCalls: false,
    format: { type: 'schema', name: 'tide', schema: { type: 'object' }, strict: true },
    verbosity: 'low',
    modalities: [],
    sampling: { maxOutput: 400, temperature: 0.5, topP: 0.9, logprobs: { top: 3 } },
    reasoning: { effort: 'low', show: 'summary', wantsEncrypted: true },
    cacheKey: 'k1',
    tier: 'flex',
    endUser: 's1',
    metadata: { port: 'Brest' },
    untranslated: [],
  })
  expect(echo).toMatchObject({
    instructions: 'Be brief.',
    metadata: { port: 'Brest' },
    temperature: 0.5,
    top_p: 0.9,
    max_output_tokens: 400,
    tool_choice: { type: 'function', name: 'tide_height' },
    parallel_tool_calls: false,
    truncation: 'disabled',
    reasoning: { effort: 'low', summary: 'auto' },
    previous_response_id: null,
    user: 'u1',
    service_tier: 'flex',
  })
  expect(echo?.tools).toHaveLength(1)
})

test('the shortest request has every field that its answer must repeat', () => {
  expect(read({}).echo).toEqual({
    background: false,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    temperature: null,
    top_p: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    truncation: 'disabled',
  })
})

describe('conversations', () => {
  test('instructions at the beginning, in order; those in the middle stay where they are', () => {
    const { instructions, turns } = read({
      instructions: 'Be brief.',
      input: [
        { role: 'system', content: 'Use metres.' },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'And UTC.' }] },
        { role: 'user', content: 'Hi' },
        { role: 'developer', content: 'Now in feet.' },
        { role: 'user', content: 'And now?' },
      ],
    })
    expect(instructions).toEqual([{ text: 'Be brief.' }, { text: 'Use metres.' }, { text: 'And UTC.' }])
    expect(turns.map(({ role }) => role)).toEqual(['user', 'system', 'user'])
  })

  test('reasoning, text and calls of a model are one turn; the results are the next', () => {
    const turns = turnsOf([
      user({ type: 'input_text', text: 'How high?' }),
      {
        type: 'reasoning',
        id: 'rs_1',
        encrypted_content: 'gw1.S',
        summary: [
          { type: 'summary_text', text: 'Two' },
          { type: 'summary_text', text: 'stations.' },
        ],
      },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        phase: 'commentary',
        content: [
          { type: 'output_text', text: 'Looking.', annotations: [] },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'c1',
        name: 'tide',
        arguments: '{"port":"Brest"}',
        status: 'completed',
      },
      { type: 'custom_tool_call', call_id: 'c2', name: 'plot', input: 'tide @ Cork' },
      { type: 'function_call_output', call_id: 'c1', output: '5.1 m' },
      {
        type: 'custom_tool_call_output',
        call_id: 'c2',
        output: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }],
      },
      user({ type: 'input_text', text: 'Thanks.' }),
    ])
    expect(turns.slice(1)).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'Two\n\nstations.', style: 'summary', signature: 'gw1.S' },
          { type: 'text', text: 'Looking.' },
          { type: 'refusal', text: 'No.' },
          { type: 'call', id: 'c1', name: 'tide', arguments: '{"port":"Brest"}', custom: false },
          { type: 'call', id: 'c2', name: 'plot', arguments: 'tide @ Cork', custom: true },
        ],
      },
      {
        role: 'user',
        parts: [
          { type: 'result', callId: 'c1', parts: [{ type: 'text', text: '5.1 m' }], at: 'input[5]' },
          {
            type: 'result',
            callId: 'c2',
            at: 'input[6]',
            parts: [
              {
                type: 'media',
                media: 'image',
                source: { kind: 'inline', mime: 'image/png', data: PNG },
                at: 'input[6].output[0]',
              },
            ],
          },
        ],
      },
      { role: 'user', parts: [{ type: 'text', text: 'Thanks.' }] },
    ])
  })

  test.each([
    [
      'a summary',
      { summary: [{ type: 'summary_text', text: 'Hm.' }] },
      [{ type: 'reasoning', text: 'Hm.', style: 'summary' }],
    ],
    [
      'full reasoning',
      { content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      [{ type: 'reasoning', text: 'Hm.', style: 'full' }],
    ],
    [
      'full reasoning that is its own summary',
      { summary: [{ type: 'summary_text', text: 'Hm.' }], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      [{ type: 'reasoning', text: 'Hm.', style: 'full' }],
    ],
    [
      'only something sealed',
      { summary: [], encrypted_content: 'S' },
      [{ type: 'reasoning', text: '', style: 'summary', signature: 'S' }],
    ],
    ['nothing', { summary: [], encrypted_content: null }, []],
    [
      'reasoning that only its vendor can read',
      { summary: [], encrypted_content: 'redacted.R' },
      [{ type: 'redacted', data: 'R' }],
    ],
  ])('reasoning with %s', (_, fields, parts) => {
    const turns = turnsOf([user({ type: 'input_text', text: 'Hi' }), { type: 'reasoning', id: 'rs_1', ...fields }])
    expect(turns[1]?.parts ?? []).toEqual(parts as Part[])
  })

  test('a signature in a carrier item belongs to the call before it', () => {
    const [turn] = turnsOf([
      { type: 'function_call', call_id: 'c1', name: 'now', arguments: '{}' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'after.S' },
      { type: 'function_call', call_id: 'c2', name: 'now', arguments: '{}' },
    ])
    expect(turn?.parts.map((part) => part.type === 'call' && part.signature)).toEqual(['S', undefined])
  })

  test('what only this dialect can say is kept by name', () => {
    const turns = turnsOf([
      user({ type: 'input_text', text: 'Hi' }, { type: 'input_hologram' }),
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'shell_call', call_id: 'c1', action: {} },
      { type: 'shell_call_output', call_id: 'c1', output: [] },
      { type: 'item_reference', id: 'msg_1' },
      { id: 'msg_2' },
      {
        type: 'function_call_output',
        call_id: 'c9',
        output: [{ type: 'input_text', text: 'ok' }, { type: 'input_smell' }],
      },
    ])
    const foreign = turns.flatMap(({ parts }) => parts).filter((part) => part.type === 'foreign')
    expect(foreign.map(({ what, at }) => `${what} ${at}`)).toEqual([
      'input_hologram input[0].content[1]',
      'web_search_call input[1]',
      'shell_call input[2]',
      'shell_call_output input[3]',
      'item_reference input[4]',
      'item_reference input[5]',
      'input_smell input[6].output[1]',
    ])
  })
})

describe('media', () => {
  const at = 'input[0].content[0]'
  const image = { type: 'media', media: 'image', at }
  const file = { type: 'media', media: 'document', at }
  test.each([
    [
      'URL',
      { type: 'input_image', image_url: 'https://tides.example/a.png', detail: 'high' },
      { ...image, source: { kind: 'url', url: 'https://tides.example/a.png' }, detail: 'high' },
    ],
    [
      'data URL',
      { type: 'input_image', image_url: `data:image/jpeg;base64,${PNG}`, detail: 'auto' },
      { ...image, source: { kind: 'inline', mime: 'image/jpeg', data: PNG } },
    ],
    [
      'bare base64',
      { type: 'input_image', image_url: PNG },
      { ...image, source: { kind: 'inline', mime: 'image/png', data: PNG } },
    ],
    ['image by id', { type: 'input_image', file_id: 'file_1' }, { ...image, source: { kind: 'object', id: 'file_1' } }],
    [
      'PDF',
      { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
      { ...file, source: { kind: 'inline', mime: 'application/pdf', data: PDF }, name: 'a.pdf' },
    ],
    [
      'PDF as bare base64',
      { type: 'input_file', file_data: PDF },
      { ...file, source: { kind: 'inline', mime: 'application/pdf', data: PDF } },
    ],
    [
      'file by URL',
      { type: 'input_file', file_url: 'https://tides.example/a.pdf' },
      { ...file, source: { kind: 'url', url: 'https://tides.example/a.pdf' } },
    ],
    ['file by id', { type: 'input_file', file_id: 'file_1' }, { ...file, source: { kind: 'object', id: 'file_1' } }],
    [
      'audio',
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'mp3' } },
      { ...image, media: 'audio', source: { kind: 'inline', mime: 'audio/mpeg', data: 'UklGRg==' } },
    ],
    [
      'marked for the cache',
      { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
      { type: 'text', text: 'a', cache: { isBreakpoint: true } },
    ],
  ])('%s', (_, part, expected) => {
    expect(partsOf(part)).toEqual([expected as Part])
  })
})

describe('tools', () => {
  test('functions, custom tools, functions in a namespace; the rest is the vendor’s', () => {
    const { tools, hostedTools } = read({
      tools: [
        { type: 'function', name: 'now', parameters: null, strict: null },
        { type: 'custom', name: 'plot', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
        { type: 'custom', name: 'note', format: { type: 'text' } },
        {
          type: 'namespace',
          name: 'port',
          description: 'Ports of the world.',
          tools: [
            { type: 'function', name: 'tide', description: 'Height.', parameters: { type: 'object' } },
            { type: 'custom', name: 'log' },
            { type: 'web_search' },
          ],
        },
        { type: 'web_search' },
        { type: 'mcp', server_label: 'x', server_url: 'https://x.example' },
        { type: 'sundial' },
      ],
    })
    expect(tools).toEqual([
      { name: 'now' },
      { name: 'plot', custom: { grammar: { syntax: 'lark', definition: 'start: "a"' } } },
      { name: 'note', custom: {} },
      {
        name: 'port__tide',
        description: 'Ports of the world.\n\nHeight.',
        schema: { type: 'object' },
        namespace: { namespace: 'port', name: 'tide' },
      },
      { name: 'port__log', custom: {}, namespace: { namespace: 'port', name: 'log' } },
    ])
    expect(hostedTools).toEqual([
      { name: 'web_search', at: 'tools[3].tools[2]', search: {} },
      { name: 'web_search', at: 'tools[4]', search: {} },
      { name: 'mcp', at: 'tools[5]' },
      { name: 'sundial', at: 'tools[6]' },
    ])
  })

  test('a call of a function in a namespace is known by its full name', () => {
    const [turn] = turnsOf([{ type: 'function_call', call_id: 'c', name: 'tide', namespace: 'port', arguments: '{}' }])
    expect(turn?.parts).toMatchObject([{ name: 'port__tide' }])
  })

  test.each([
    ['auto', { mode: 'auto' }],
    ['required', { mode: 'required' }],
    [
      { type: 'custom', name: 'plot' },
      { mode: 'tool', name: 'plot' },
    ],
    [
      { type: 'function', name: 'tide', namespace: 'port' },
      { mode: 'tool', name: 'port__tide' },
    ],
    [{ type: 'web_search_preview' }, { mode: 'hosted', name: 'web_search_preview' }],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'a' },
          { type: 'mcp', server_label: 'x' },
        ],
      },
      { mode: 'allowed', required: true, names: ['a'] },
    ],
    [
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'shell' }] },
      { mode: 'hosted', name: 'shell' },
    ],
  ])('tool_choice %j', (tool_choice, expected) => {
    const tools = [
      { type: 'function', name: 'a' },
      { type: 'custom', name: 'plot' },
      { type: 'namespace', name: 'port', tools: [{ type: 'function', name: 'tide' }] },
    ]
    expect(read({ tools, tool_choice }).toolChoice).toEqual(expected as never)
  })
})
