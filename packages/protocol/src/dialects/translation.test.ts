// What must hold whatever the upstream speaks: one row a rule, all dialects in the columns.

import { describe, expect, test } from 'bun:test'
import { addressOf, plain, testAnswering, testTarget } from '../../fixtures/matrix.ts'
import { RequestError } from '../canonical/reading.ts'
import type { TextDialectId } from './index.ts'
import { TEXT_DIALECTS } from './index.ts'

const IDS: readonly TextDialectId[] = ['chat', 'responses', 'messages', 'generate-content']

const hello: Record<TextDialectId, Record<string, unknown>> = {
  chat: { model: 'm', messages: [{ role: 'user', content: 'Hi.' }] },
  responses: { model: 'm', input: 'Hi.' },
  messages: { model: 'm', max_tokens: 5_000, messages: [{ role: 'user', content: 'Hi.' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hi.' }] }] },
}

type Written = { body: Record<string, unknown>; warnings: string[] }

function written(from: TextDialectId, more: object, to: TextDialectId, model = 'inner-name'): Written {
  const request = TEXT_DIALECTS[from].decodeRequest({ ...hello[from], ...more }, addressOf(from))
  const target = { ...testTarget(), model }
  const { body } = TEXT_DIALECTS[to].encodeRequest(request, target)
  return { body: plain(body) as Record<string, unknown>, warnings: target.warnings }
}

function rejectedParam(from: TextDialectId, more: object, to: TextDialectId): string | undefined {
  try {
    written(from, more, to)
  } catch (thrown) {
    if (thrown instanceof RequestError) return thrown.info.param ?? 'no field is named'
    throw thrown
  }
  return undefined
}

const TOOL = { type: 'function', function: { name: 'tide' } }

describe('what Anthropic Messages show of thinking is asked for, or a warning says that it is not', () => {
  const ADAPTIVE = { type: 'adaptive', display: 'summarized' }
  const BUDGET = { type: 'enabled', budget_tokens: 2_048, display: 'summarized' }
  const SUMMARY = { reasoning: { summary: 'auto' } }
  const THOUGHTS = { generationConfig: { thinkingConfig: { includeThoughts: true } } }
  const LOST = ['reasoningSummary;dropped']
  test.each<[TextDialectId, object, object, string[]]>([
    ['chat', ADAPTIVE, {}, LOST],
    ['chat', BUDGET, { reasoning_effort: 'low' }, LOST],
    ['chat', { ...ADAPTIVE, display: 'omitted' }, {}, []],
    ['chat', { type: 'adaptive' }, {}, []],
    ['responses', ADAPTIVE, SUMMARY, []],
    ['responses', BUDGET, SUMMARY, []],
    ['generate-content', ADAPTIVE, THOUGHTS, []],
    ['generate-content', BUDGET, THOUGHTS, []],
  ])('%s: %j', (to, thinking, expected, warnings) => {
    const model = to === 'generate-content' ? 'gemini-3-flash' : 'inner-name'
    const { body, warnings: warned } = written('messages', { thinking }, to, model)
    expect(body).toMatchObject(expected)
    expect(warned).toEqual(warnings)
  })

  test('an upstream that has rejected summaries', () => {
    const request = TEXT_DIALECTS.messages.decodeRequest(
      { ...hello.messages, thinking: ADAPTIVE },
      addressOf('messages'),
    )
    const target = { ...testTarget(), model: 'm', rejectedFields: new Set(['reasoning.summary']) }
    expect(plain(TEXT_DIALECTS.responses.encodeRequest(request, target).body)).not.toContainKey('reasoning')
    expect(target.warnings).toEqual(LOST)
  })
})

describe('a rejection names the field as the caller spells it', () => {
  const SPOKEN = { generationConfig: { responseModalities: ['AUDIO'] } }
  const DEMANDED = { toolConfig: { functionCallingConfig: { mode: 'ANY' } } }
  const rows: [what: string, from: TextDialectId, more: object, param: string, to?: readonly TextDialectId[]][] = [
    ['sound', 'chat', { modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } }, 'modalities'],
    ['sound', 'generate-content', SPOKEN, 'generationConfig.responseModalities'],
    ['several answers', 'chat', { n: 2 }, 'n', ['responses', 'messages']],
    ['a call without tools', 'chat', { tool_choice: 'required' }, 'tool_choice'],
    ['a call without tools', 'responses', { tool_choice: 'required' }, 'tool_choice'],
    ['a call without tools', 'messages', { tool_choice: { type: 'any' } }, 'tool_choice'],
    ['a call without tools', 'generate-content', DEMANDED, 'toolConfig.functionCallingConfig.mode'],
    [
      'a call of a tool that is not there',
      'chat',
      { tools: [TOOL], tool_choice: { type: 'function', function: { name: 'wind' } } },
      'tool_choice',
    ],
    [
      'a call of a hosted tool',
      'responses',
      {
        tools: [{ type: 'file_search' }, { type: 'function', name: 'tide', parameters: null, strict: null }],
        tool_choice: { type: 'file_search' },
      },
      'tool_choice',
      ['chat', 'messages', 'generate-content'],
    ],
    ['nothing but a hosted tool', 'responses', { tools: [{ type: 'file_search' }] }, 'tools[0]'],
  ]
  for (const [what, from, more, param, to = IDS] of rows) {
    test.each(to.map((id) => [id]))(`${what}, ${from} to %s`, (id) => {
      expect(rejectedParam(from, more, id)).toBe(param)
    })
  }
})

describe('a tool result with a key that begins with $ is text to Gemini, which takes such keys for references', () => {
  const SCHEMA = '{"type":"object","properties":{"v":{"$ref":"#/$defs/h"}}}'
  const RESULTS: [text: string, response: unknown][] = [
    [SCHEMA, { output: SCHEMA }],
    ['{"a":[{"\\u0024defs":{}}]}', { output: '{"a":[{"\\u0024defs":{}}]}' }],
    ['{"price":"$5","a":{"b$":1}}', { price: '$5', a: { b$: 1 } }],
  ]
  const histories: Record<TextDialectId, (text: string) => object> = {
    chat: (content) => ({
      messages: [
        { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'a', content },
      ],
    }),
    responses: (output) => ({
      input: [
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output },
      ],
    }),
    messages: (content) => ({
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
      ],
    }),
    'generate-content': (text) => ({
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'f', response: JSON.parse(text) } }],
        },
      ],
    }),
  }
  for (const from of IDS)
    test.each(RESULTS)(`${from}: %.60s`, (text, response) => {
      const { contents } = written(from, histories[from](text), 'generate-content').body as { contents: Contents }
      const sent = contents.flatMap(({ parts }) => parts).find((part) => part.functionResponse)?.functionResponse
      const expected =
        from === 'generate-content' && text.includes('u0024') ? { output: '{"a":[{"$defs":{}}]}' } : response
      expect(sent?.response).toEqual(expected)
    })
  type Contents = { parts: { functionResponse?: { response: unknown } }[] }[]
})

describe('citations from a document', () => {
  const content = [
    {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'Tides.' },
      citations: { enabled: true },
    },
  ]
  const asked = { messages: [{ role: 'user', content }] }

  test.each([
    ['chat'],
    ['responses'],
    ['generate-content'],
  ] as const)('cannot be asked of %s, and that is said', (to) => {
    expect(written('messages', asked, to).warnings).toEqual(['turns;changed'])
  })

  test('are asked of messages', () => {
    expect(written('messages', asked, 'messages').body).toMatchObject(asked)
  })
})

describe('reasoning is requested if the client can show it', () => {
  const rows: [what: string, from: TextDialectId, more: object, isAsked: boolean][] = [
    ['thinking on', 'messages', { thinking: { type: 'enabled', budget_tokens: 2_000 } }, true],
    ['thinking as the model likes', 'messages', { thinking: { type: 'adaptive' } }, true],
    ['thinking on, omitted', 'messages', { thinking: { type: 'adaptive', display: 'omitted' } }, false],
    ['thinking off', 'messages', { thinking: { type: 'disabled' } }, false],
    ['nothing said', 'messages', {}, false],
    ['with a summary', 'responses', { reasoning: { effort: 'low', summary: 'auto' } }, true],
    ['without a summary', 'responses', { reasoning: { effort: 'low' } }, false],
    ['chat, which has no word for it', 'chat', { reasoning_effort: 'low' }, false],
    ['included', 'generate-content', { generationConfig: { thinkingConfig: { includeThoughts: true } } }, true],
  ]
  test.each(rows)('%s', (_, from, more, isAsked) => {
    const { reasoning } = written(from, more, 'responses').body as { reasoning?: { summary?: string } }
    expect(reasoning?.summary).toBe(isAsked ? 'auto' : undefined)
    const { generationConfig } = written(from, more, 'generate-content', 'gemini-3-flash').body as {
      generationConfig?: { thinkingConfig?: { includeThoughts?: boolean } }
    }
    expect(generationConfig?.thinkingConfig?.includeThoughts).toBe(isAsked ? true : undefined)
  })
})

describe('labels', () => {
  const labels = { team: 'sea' }

  test('are not asked of models: only one of the vendor’s two services takes them', () => {
    const { body, warnings } = written('chat', { metadata: labels }, 'generate-content')
    expect(body).not.toHaveProperty('labels')
    expect(warnings).toEqual(['metadata;dropped'])
  })

  test('stay where the caller has the same service in mind', () => {
    expect(written('generate-content', { labels }, 'generate-content').body).toMatchObject({ labels })
  })
})

test('a cache mark on an image is kept', () => {
  const image = { type: 'image_url', image_url: { url: 'https://a.example/a.png' } }
  const content = [{ ...image, prompt_cache_breakpoint: { mode: 'explicit' } }]
  const { body } = written('chat', { messages: [{ role: 'user', content }] }, 'messages')
  expect(body).toMatchObject({ messages: [{ content: [{ type: 'image', cache_control: { type: 'ephemeral' } }] }] })
})

test('ids of calls are nine letters and digits for models that take no others', () => {
  const ids = ['call_1', 'call_2', 'abcDEF123']
  const content = ids.map((id) => ({ type: 'tool_use', id, name: 'tide', input: {} }))
  const results = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: '5.1 m' }))
  const messages = [
    { role: 'user', content: 'Tides?' },
    { role: 'assistant', content },
    { role: 'user', content: results },
  ]
  const sent = written('messages', { messages }, 'chat', 'mistral-large').body.messages as {
    tool_calls?: { id: string }[]
    tool_call_id?: string
  }[]
  const called = sent[1]?.tool_calls?.map(({ id }) => id) ?? []
  expect(called).toEqual([
    expect.stringMatching(/^[A-Za-z0-9]{9}$/),
    expect.stringMatching(/^[A-Za-z0-9]{9}$/),
    'abcDEF123',
  ])
  expect(new Set(called).size).toBe(3)
  expect(sent.slice(2).map(({ tool_call_id }) => tool_call_id)).toEqual(called)
})

test('the bytes of a token are reported where a client expects them', () => {
  const token = { token: 'ø', logProbability: -1 }
  const logprobsResult = { chosenCandidates: [token], topCandidates: [{ candidates: [token] }] }
  const read = TEXT_DIALECTS['generate-content'].decodeReply({
    candidates: [{ content: { role: 'model', parts: [{ text: 'ø' }] }, finishReason: 'STOP', logprobsResult }],
  })
  if (!read.ok) throw new Error(read.error.message)
  const bytes = [0xc3, 0xb8]
  const logprob = { token: 'ø', logprob: -1, bytes, top_logprobs: [{ token: 'ø', logprob: -1, bytes }] }
  expect(TEXT_DIALECTS.chat.encodeReply(read.reply, testAnswering)).toMatchObject({
    choices: [{ logprobs: { content: [logprob] } }],
  })
})

test('a document that is cited is named to clients of messages', () => {
  const citation = { kind: 'document', title: 'Tides.pdf', cited: 'so' } as const
  const block = { type: 'text', text: 'So.', citations: [citation] } as const
  const reply = { id: undefined, choices: [{ blocks: [block], stop: undefined }], usage: undefined, omitted: [] }
  expect(TEXT_DIALECTS.messages.encodeReply(reply, testAnswering)).toMatchObject({
    content: [{ citations: [{ type: 'char_location', document_title: 'Tides.pdf', cited_text: 'so' }] }],
  })
})

describe('encrypted reasoning is requested where there may be any', () => {
  test.each([
    ['gpt-5.2', true],
    ['openai/o4-mini', true],
    ['harbour', true],
    ['gpt-4.1', false],
    ['openai/gpt-4o-mini', false],
    ['chatgpt-4o-latest', false],
  ])('%s: %p', (model, isAsked) => {
    const { include } = written('chat', {}, 'responses', model).body
    expect(include).toEqual(isAsked ? ['reasoning.encrypted_content'] : undefined)
  })

  test('and not of a model that has rejected it', () => {
    const request = TEXT_DIALECTS.chat.decodeRequest({ ...hello.chat, logprobs: true }, undefined)
    const { body } = TEXT_DIALECTS.responses.encodeRequest(request, {
      ...testTarget(),
      rejectedFields: new Set(['include']),
    })
    expect(body.include).toEqual(['message.output_text.logprobs'])
  })
})
