import { describe, expect, test } from 'bun:test'
import { usage } from '../../../../fixtures/messages/answers.ts'
import { decodeReply } from './decode-reply.ts'

const message = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Noon.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 2, output_tokens: 3 },
  ...more,
})

test('a plain answer', () => {
  expect(decodeReply(message())).toEqual({
    ok: true,
    reply: {
      id: 'msg_1',
      choices: [{ blocks: [{ type: 'text', text: 'Noon.', citations: [] }], stop: { raw: 'end_turn', reason: 'end' } }],
      usage: usage({ input: 2, output: 3 }),
      omitted: [],
    },
  })
})

describe('what services make of it', () => {
  const said = (text: string): object => ({ type: 'text', text, citations: [] })
  test.each<[what: string, more: Record<string, unknown>, blocks: object[], omitted?: string[]]>([
    ['content as a string', { content: 'Noon.' }, [said('Noon.')]],
    ['no content', { content: null }, []],
    ['things that are no blocks', { content: [null, 'x', { type: 'text', text: 'Noon.' }] }, [said('Noon.')]],
    ['text that is null', { content: [{ type: 'text', text: null }] }, [said('')]],
    [
      'signed reasoning without text',
      { content: [{ type: 'thinking', thinking: '', signature: 's' }] },
      [{ type: 'reasoning', text: '', style: 'summary', signature: 's' }],
    ],
    [
      'unsigned reasoning',
      { content: [{ type: 'thinking', thinking: 'hm' }] },
      [{ type: 'reasoning', text: 'hm', style: 'summary' }],
    ],
    ['redacted reasoning', { content: [{ type: 'redacted_thinking', data: 'd' }] }, [{ type: 'redacted', data: 'd' }]],
    [
      'a call without input',
      { content: [{ type: 'tool_use', id: 'a', name: 'b' }] },
      [{ type: 'call', id: 'a', name: 'b', arguments: '{}', custom: false }],
    ],
    [
      'a call with input as text',
      { content: [{ type: 'tool_use', id: 'a', name: 'b', input: '{"c":1}' }] },
      [{ type: 'call', id: 'a', name: 'b', arguments: '{"c":1}', custom: false }],
    ],
    [
      'hosted tools',
      { content: [{ type: 'server_tool_use' }, { type: 'text', text: 'Noon.' }, { type: 'advisor_tool_result' }] },
      [said('Noon.')],
      ['server_tool_use', 'advisor_tool_result'],
    ],
    [
      'searches: one that found a page, one that failed, and one that was not finished',
      {
        content: [
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'tide' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 's1',
            content: [{ type: 'web_search_result', url: 'https://a.example', title: 'A', page_age: 'today' }],
          },
          { type: 'server_tool_use', id: 's2', name: 'web_search', input: { query: 'wind' } },
          { type: 'web_search_tool_result', tool_use_id: 's2', content: { type: 'web_search_tool_result_error' } },
          { type: 'server_tool_use', id: 's3', name: 'web_search', input: {} },
        ],
      },
      [
        { type: 'search', queries: ['tide'], results: [{ url: 'https://a.example', title: 'A', age: 'today' }] },
        { type: 'search', queries: ['wind'], results: [], failed: true },
        { type: 'search', queries: [], results: [] },
      ],
    ],
  ])('%s', (_, more, blocks, omitted = []) => {
    const answer = decodeReply(message(more))
    expect(answer).toMatchObject({ ok: true, reply: { omitted } })
    expect(answer.ok && answer.reply.choices[0]?.blocks).toEqual(blocks as never)
  })

  test('missing usage is unknown, not zero; a missing reason is none', () => {
    const answer = decodeReply(message({ usage: null, stop_reason: null }))
    expect(answer).toMatchObject({ ok: true, reply: { usage: undefined, choices: [{ stop: undefined }] } })
  })
})

test.each<[what: string, body: unknown, code: string]>([
  [
    'an error with the status of a success',
    { type: 'error', error: { type: 'overloaded_error', message: 'x' } },
    'service_unavailable',
  ],
  ['an error of another kind of service', { error: { type: 'rate_limit_error', message: 'x' } }, 'rate_limit_exceeded'],
  ['a page', '<html>', 'upstream_error'],
  ['an empty object', {}, 'upstream_error'],
  ['an answer in another dialect', { object: 'chat.completion', choices: [] }, 'upstream_error'],
  ['a list', [], 'upstream_error'],
  ['null', null, 'upstream_error'],
])('%s is no answer', (_, body, code) => {
  expect(decodeReply(body)).toMatchObject({ ok: false, error: { code } })
})
