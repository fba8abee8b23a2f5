import { describe, expect, test } from 'bun:test'
import { originOf } from '../../../../fixtures/origins.ts'
import { untranslatedOf } from '../../../../fixtures/untranslated.ts'
import { RequestError } from '../../../canonical/reading.ts'
import type { CanonicalRequest } from '../../../canonical/request.ts'
import { decodeRequest } from './decode-request.ts'

type Body = Record<string, unknown>

const body = (more: Body = {}): Body => ({
  model: 'tide-large',
  max_tokens: 400,
  messages: [{ role: 'user', content: 'When is high tide?' }],
  ...more,
})
const content = (...blocks: Body[]): Body => body({ messages: [{ role: 'user', content: blocks }] })
const answered = (...blocks: Body[]): Body =>
  body({
    messages: [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: blocks },
    ],
  })
const parts = (given: Body): unknown => decodeRequest(given).turns.at(-1)?.parts

test('the smallest request', () => {
  const expected: CanonicalRequest = {
    from: originOf('messages'),
    model: 'tide-large',
    stream: false,
    showUsage: true,
    instructions: [],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'When is high tide?' }] }],
    tools: [],
    hostedTools: [],
    format: { type: 'text' },
    modalities: [],
    sampling: { maxOutput: 400 },
    reasoning: {},
    untranslated: [],
  }
  expect(decodeRequest(body())).toEqual(expected)
})

const tool = { name: 'tide', description: 'Height.', input_schema: { type: 'object', properties: {} } }
const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }
const schema = { type: 'object', properties: { port: { type: 'string' } } }
const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } }

describe('fields', () => {
  const CASES: [what: string, more: Body, expected: Partial<CanonicalRequest>][] = [
    [
      'null is absent',
      { container: null, system: null, tools: null, temperature: null, thinking: null, tool_choice: null },
      {},
    ],
    ['zero output warms the cache', { max_tokens: 0 }, { sampling: { maxOutput: 0 } }],
    ['system text', { system: 'Be brief.' }, { instructions: [{ text: 'Be brief.' }] }],
    [
      'system blocks with a mark',
      {
        system: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'B', ...mark },
        ],
      },
      { instructions: [{ text: 'A' }, { text: 'B', cache: { ttl: '1h' } }] },
    ],
    [
      'sampling',
      { temperature: 0.5, top_p: 0.9, top_k: 40, stop_sequences: ['END'], stream: true },
      { stream: true, sampling: { maxOutput: 400, temperature: 0.5, topP: 0.9, topK: 40, stop: ['END'] } },
    ],
    [
      'tools',
      { tools: [{ ...tool, strict: true, ...mark }] },
      {
        tools: [
          { name: 'tide', description: 'Height.', schema: tool.input_schema, strict: true, cache: { ttl: '1h' } },
        ],
      },
    ],
    [
      'a tool that says it is custom',
      { tools: [{ type: 'custom', name: 'x', input_schema: {} }] },
      { tools: [{ name: 'x', schema: {} }] },
    ],
    [
      'tools that the vendor runs',
      { tools: [tool, search, { type: 'mcp_toolset', mcp_server_name: 's' }] },
      {
        hostedTools: [
          { name: 'web_search', at: 'tools[1]', search: { maxUses: 3 } },
          { name: 'mcp_toolset', at: 'tools[2]' },
        ],
      },
    ],
    [
      'fields of tools that no other dialect has',
      { tools: [{ ...tool, defer_loading: true, input_examples: [{}] }] },
      { untranslated: ['tools.defer_loading', 'tools.input_examples'] },
    ],
    ['any tool', { tools: [tool], tool_choice: { type: 'any' } }, { toolChoice: { mode: 'required' } }],
    ['no tool', { tool_choice: { type: 'none' } }, { toolChoice: { mode: 'none' } }],
    [
      'one tool, one at a time',
      { tools: [tool], tool_choice: { type: 'tool', name: 'tide', disable_parallel_tool_use: true } },
      { toolChoice: { mode: 'tool', name: 'tide' }, parallelCalls: false },
    ],
    [
      'a tool that the vendor runs is forced',
      { tools: [search], tool_choice: { type: 'tool', name: 'web_search' } },
      { toolChoice: { mode: 'hosted', name: 'web_search' } },
    ],
    [
      'thinking with a budget',
      { thinking: { type: 'enabled', budget_tokens: 2048, display: 'omitted' } },
      { reasoning: { mode: 'on', budget: 2048, show: 'none' } },
    ],
    [
      'adaptive thinking with an effort',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } },
      { reasoning: { mode: 'auto', effort: 'xhigh', show: 'summary', wantsSummary: true } },
    ],
    [
      'a display that is not known here',
      { thinking: { type: 'adaptive', display: 'sideways' } },
      { reasoning: { mode: 'auto' }, untranslated: ['thinking.display'] },
    ],
    ['thinking between tools', { thinking: { type: 'between_tools' } }, { reasoning: { mode: 'auto' } }],
    ['no thinking', { thinking: { type: 'disabled' } }, { reasoning: { mode: 'off' } }],
    [
      'a kind of thinking not known here',
      { thinking: { type: 'sideways' } },
      { reasoning: {}, untranslated: ['thinking'] },
    ],
    [
      'an effort not known here',
      { output_config: { effort: 'ultra' } },
      { reasoning: {}, untranslated: ['output_config.effort'] },
    ],
    [
      'a schema',
      { output_config: { format: { type: 'json_schema', schema } } },
      { format: { type: 'schema', schema } },
    ],
    [
      'a schema under its older name',
      { output_format: { type: 'json_schema', schema } },
      { format: { type: 'schema', schema } },
    ],
    [
      'the end user',
      { metadata: { user_id: 'u-1', trace: 'x' } },
      { endUser: 'u-1', untranslated: ['metadata.trace'] },
    ],
    ['tiers', { service_tier: 'standard_only' }, { tier: 'default' }],
    [
      'fields of this vendor alone',
      { betas: ['x'], context_management: {}, container: 'c', speed: 'fast' },
      { untranslated: ['betas', 'context_management', 'container', 'speed'] },
    ],
  ]
  test.each(CASES)('%s', (_, more, expected) => {
    const read = decodeRequest(body(more))
    const { untranslated: named, ...fields } = expected as { untranslated?: string[] }
    expect(read).toMatchObject(fields as never)
    expect(untranslatedOf('messages', body(more))).toEqual([...(named ?? [])].sort())
  })
})

const data = 'iVBORw0KGgoAAAA='
const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjc=' }
const at = 'messages[0].content[0]'

describe('content', () => {
  const CASES: [what: string, given: Body, expected: unknown][] = [
    [
      'text with a mark',
      content({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }),
      [{ type: 'text', text: 'a', cache: {} }],
    ],
    [
      'an image',
      content({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }),
      [{ type: 'media', media: 'image', source: { kind: 'inline', mime: 'image/png', data }, at }],
    ],
    [
      'an image in the other alphabet',
      content({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '_-8' } }),
      [{ type: 'media', media: 'image', source: { kind: 'inline', mime: 'image/png', data: '/+8=' }, at }],
    ],
    [
      'a URL',
      content({ type: 'image', source: { type: 'url', url: 'https://a.example/p.png' } }),
      [{ type: 'media', media: 'image', source: { kind: 'url', url: 'https://a.example/p.png' }, at }],
    ],
    [
      'a kept file',
      content({ type: 'image', source: { type: 'file', file_id: 'file_1' } }),
      [{ type: 'media', media: 'image', source: { kind: 'object', id: 'file_1' }, at }],
    ],
    [
      'a document with all that is said about it',
      content({ type: 'document', source: pdf, title: 'Log', context: 'of 1912', citations: { enabled: true } }),
      [
        {
          type: 'media',
          media: 'document',
          source: { kind: 'inline', mime: 'application/pdf', data: pdf.data },
          name: 'Log',
          context: 'of 1912',
          cite: true,
          at,
        },
      ],
    ],
    [
      'a document of text',
      content({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'tide table' } }),
      [{ type: 'media', media: 'document', source: { kind: 'text', mime: 'text/plain', text: 'tide table' }, at }],
    ],
    [
      'a document of blocks',
      content({
        type: 'document',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
            { type: 'image', source: { type: 'url', url: 'https://a.example' } },
          ],
        },
      }),
      [
        { type: 'media', media: 'document', source: { kind: 'text', mime: 'text/plain', text: 'a\n\nb' }, at },
        {
          type: 'media',
          media: 'image',
          source: { kind: 'url', url: 'https://a.example' },
          at: `${at}.source.content[2]`,
        },
      ],
    ],
    [
      'a search result',
      content({
        type: 'search_result',
        title: 'Tides',
        source: 'https://a.example',
        content: [{ type: 'text', text: 'At noon.' }],
      }),
      [{ type: 'text', text: '<search_result title="Tides" source="https://a.example">\nAt noon.\n</search_result>' }],
    ],
    [
      'a call',
      answered({ type: 'tool_use', id: 'a', name: 'tide', input: { p: 1 } }),
      [{ type: 'call', id: 'a', name: 'tide', arguments: '{"p":1}', custom: false }],
    ],
    [
      'reasoning',
      answered({ type: 'thinking', thinking: '', signature: 's' }, { type: 'redacted_thinking', data: 'd' }),
      [
        { type: 'reasoning', text: '', style: 'summary', signature: 's' },
        { type: 'redacted', data: 'd' },
      ],
    ],
    [
      'reasoning without a signature',
      answered({ type: 'thinking', thinking: 'hm', signature: '' }),
      [{ type: 'reasoning', text: 'hm', style: 'summary' }],
    ],
    [
      'a result',
      content({ type: 'tool_result', tool_use_id: 'a', content: '5 m', is_error: true }),
      [{ type: 'result', callId: 'a', parts: [{ type: 'text', text: '5 m' }], isError: true, at }],
    ],
    [
      'a result of nothing',
      content({ type: 'tool_result', tool_use_id: 'a' }),
      [{ type: 'result', callId: 'a', parts: [], at }],
    ],
    [
      'a result of blocks, one of them not known here',
      content({
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: 'x' },
          { type: 'novelty', of: 't' },
        ],
      }),
      [
        { type: 'result', callId: 'a', parts: [{ type: 'text', text: 'x' }], at },
        { type: 'foreign', what: 'novelty', at: `${at}.content[1]` },
      ],
    ],
    [
      'blocks that only this vendor has',
      answered(
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      ),
      [
        { type: 'foreign', what: 'server_tool_use', at: 'messages[1].content[0]' },
        { type: 'foreign', what: 'web_search_tool_result', at: 'messages[1].content[1]' },
      ],
    ],
    [
      'a source not known here',
      content({ type: 'image', source: { type: 'dream' } }),
      [{ type: 'media', media: 'image', source: { kind: 'object', id: 'dream' }, at }],
    ],
    [
      'a mark on the whole',
      { ...content({ type: 'text', text: 'a' }), cache_control: { type: 'ephemeral' } },
      [{ type: 'text', text: 'a', cache: {} }],
    ],
  ]
  test.each(CASES)('%s', (_, given, expected) => {
    expect(parts(given)).toEqual(expected)
  })

  test('instructions in the middle', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'system', content: 'rule' },
    ]
    expect(decodeRequest(body({ messages })).turns.at(-1)).toEqual({
      role: 'system',
      parts: [{ type: 'text', text: 'rule' }],
    })
  })
})

describe('errors name the field', () => {
  const { max_tokens: _, ...uncapped } = body()
  const CASES: [what: string, given: unknown, param: string | undefined][] = [
    ['no object', [], undefined],
    ['no model', { ...body(), model: undefined }, 'model'],
    ['an empty model', body({ model: '' }), 'model'],
    ['no cap', uncapped, 'max_tokens'],
    ['a negative cap', body({ max_tokens: -1 }), 'max_tokens'],
    ['a cap beyond reason', body({ max_tokens: 1e9 }), 'max_tokens'],
    ['a cap in words', body({ max_tokens: '400' }), 'max_tokens'],
    ['no messages', body({ messages: undefined }), 'messages'],
    ['messages that are none', body({ messages: {} }), 'messages'],
    ['empty messages', body({ messages: [] }), 'messages'],
    ['a role of others', body({ messages: [{ role: 'tool', content: 'x' }] }), 'messages[0].role'],
    ['no content', body({ messages: [{ role: 'user' }] }), 'messages[0].content'],
    ['a block without a type', content({ text: 'x' }), `${at}.type`],
    ['text that is none', content({ type: 'text', text: 5 }), `${at}.text`],
    ['an image as a URL', content({ type: 'image', source: 'https://a.example' }), `${at}.source`],
    [
      'an image that is no base64',
      content({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '!!' } }),
      `${at}.source.data`,
    ],
    ['a call by a user', content({ type: 'tool_use', id: 'a', name: 'b', input: {} }), at],
    ['a result by an assistant', answered({ type: 'tool_result', tool_use_id: 'a' }), 'messages[1].content[0]'],
    [
      'a call with text as input',
      answered({ type: 'tool_use', id: 'a', name: 'b', input: '{}' }),
      'messages[1].content[0].input',
    ],
    ['a result for nothing', content({ type: 'tool_result' }), `${at}.tool_use_id`],
    ['a warm temperature', body({ temperature: 1.5 }), 'temperature'],
    ['stop as a text', body({ stop_sequences: 'END' }), 'stop_sequences'],
    ['stop with a number', body({ stop_sequences: ['a', 5] }), 'stop_sequences[1]'],
    ['a tool without a schema', body({ tools: [{ name: 'x' }] }), 'tools[0].input_schema'],
    ['a tool without a name', body({ tools: [{ input_schema: {} }] }), 'tools[0].name'],
    ['a choice in a word', body({ tool_choice: 'auto' }), 'tool_choice'],
    ['a choice not known', body({ tool_choice: { type: 'maybe' } }), 'tool_choice.type'],
    ['a choice of no name', body({ tool_choice: { type: 'tool' } }), 'tool_choice.name'],
    ['thinking without a budget', body({ thinking: { type: 'enabled' } }), 'thinking.budget_tokens'],
    [
      'thinking with a small budget',
      body({ thinking: { type: 'enabled', budget_tokens: 100 } }),
      'thinking.budget_tokens',
    ],
    ['thinking as a flag', body({ thinking: true }), 'thinking'],
    ['stream as a word', body({ stream: 'yes' }), 'stream'],
    ['system as a number', body({ system: 5 }), 'system'],
    ['a user id that is no text', body({ metadata: { user_id: 5 } }), 'metadata.user_id'],
  ]
  test.each(CASES)('%s', (_, given, param) => {
    let thrown: unknown
    try {
      decodeRequest(given)
    } catch (mistake) {
      thrown = mistake
    }
    expect(thrown).toBeInstanceOf(RequestError)
    const { info } = thrown as RequestError
    expect(info.code).toBe('bad_request')
    expect(info.param).toBe(param as never)
  })
})
