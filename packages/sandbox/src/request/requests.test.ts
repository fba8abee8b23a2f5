// What each dialect rejects, in the form of its service and with the name of the field.
import { describe, expect, test } from 'bun:test'
import { createSandbox } from '../handler.ts'
import { signatureOf } from '../model/signature.ts'

type Json = Record<string, unknown>
const sandbox = createSandbox({ faults: false, pace: 0, clock: () => 1_767_225_600_999 })
const VERSION = { 'anthropic-version': '2023-06-01' }

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  sandbox(
    new Request(`http://sandbox${path}`, {
      method: 'POST',
      headers: { 'x-api-key': 'any', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
const json = async (answer: Response) => JSON.parse(await answer.text())

const input = (item: unknown, extra: Json = {}) => ({ model: 'sandbox-text', input: [item], ...extra })
const message = (content: unknown, extra: Json = {}) => ({
  model: 'sandbox-text',
  max_tokens: 99,
  messages: [{ role: 'user', content }],
  ...extra,
})
const contents = (part: unknown, extra: Json = {}) => ({ contents: [{ role: 'user', parts: [part] }], ...extra })
const hello = { role: 'user', content: 'Hello' }
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] }
const thinking = (signature: string) => ({
  role: 'assistant',
  content: [{ type: 'thinking', thinking: 'So.', signature }],
})
const made = { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] }

const RESPONSES: [string, unknown, string | null][] = [
  ['not JSON', '{"model":', null],
  ['no model', { input: 'Hello' }, 'model'],
  ['no input', { model: 'sandbox-text' }, 'input'],
  ['an empty input', { model: 'sandbox-text', input: [] }, 'input'],
  ['an unknown field', input(hello, { stop: ['x'] }), 'stop'],
  ['messages as in chat', input(hello, { messages: [hello] }), 'messages'],
  ['a wrong type', input(hello, { temperature: 'hot' }), 'temperature'],
  ['an unknown effort', input(hello, { reasoning: { effort: 'enormous' } }), 'reasoning.effort'],
  ['an unknown role', input({ role: 'king', content: 'x' }), 'input[0].role'],
  ['an unknown item', input({ type: 'song' }), 'input[0].type'],
  ['a chat part', input({ role: 'user', content: [{ type: 'text', text: 'x' }] }), 'input[0].content[0]'],
  [
    'an image as an object',
    input({ role: 'user', content: [{ type: 'input_image', image_url: { url: 'https://x' } }] }),
    'input[0].content[0].image_url',
  ],
  [
    'a given part in an answer',
    input({ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }),
    'input[0].content[0]',
  ],
  ['a call without its output', input(call), 'input'],
  ['an output without its call', input({ type: 'function_call_output', call_id: 'c1', output: 'x' }), 'input'],
  ['a call without a name', input({ type: 'function_call', call_id: 'c1', arguments: '{}' }), 'input[0].name'],
  ['reasoning without what follows', input({ type: 'reasoning', id: 'rs_1', summary: [] }), 'input[0]'],
  [
    'foreign reasoning',
    { model: 'sandbox-text', input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2ln' }] },
    'input[0].encrypted_content',
  ],
  ['reasoning without a summary', input({ type: 'reasoning', id: 'rs_1' }), 'input[0].summary'],
  ['a reference', input({ type: 'item_reference', id: 'msg_1' }), 'input[0].id'],
  ['a response that was not kept', input(hello, { previous_response_id: 'resp_1' }), 'previous_response_id'],
  ['a chat tool', input(hello, { tools: [{ type: 'function', function: { name: 'f' } }] }), 'tools[0].name'],
  ['an unknown tool type', input(hello, { tools: [{ type: 'robot' }] }), 'tools[0].type'],
  ['a forced call without tools', input(hello, { tool_choice: 'required' }), 'tool_choice'],
  [
    'a forced call of an unknown tool',
    input(hello, { tools: [{ type: 'function', name: 'f' }], tool_choice: { type: 'function', name: 'g' } }),
    'tool_choice',
  ],
  [
    'a nested schema as in chat',
    input(hello, { text: { format: { type: 'json_schema', json_schema: {} } } }),
    'text.format.name',
  ],
]

const MESSAGES: [string, unknown, string][] = [
  ['no model', { max_tokens: 9, messages: [hello] }, 'model: Field required'],
  ['no limit of tokens', { model: 'sandbox-text', messages: [hello] }, 'max_tokens: Field required'],
  ['no messages', { model: 'sandbox-text', max_tokens: 9 }, 'messages: Field required'],
  ['an unknown field', message('x', { n: 2 }), 'n: Extra inputs are not permitted'],
  ['an unknown role', { ...message('x'), messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
  ['an empty text', message(''), 'messages.0.content: text content blocks must be non-empty'],
  ['an empty text block', message([{ type: 'text', text: '' }]), 'messages.0.content.0.text'],
  ['an unknown block', message([{ type: 'image_url', image_url: {} }]), "messages.0.content.0: Input tag 'image_url'"],
  [
    'an image of a wrong type',
    message([{ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: '' } }]),
    'messages.0.content.0.source.media_type',
  ],
  [
    'URL-safe base64',
    message([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '-_-_' } }]),
    'source.base64.data',
  ],
  [
    'a call without its result',
    { ...message('x'), messages: [hello, use, hello] },
    'messages.2: `tool_use` ids were found without',
  ],
  ['a call at the end', { ...message('x'), messages: [hello, use] }, '`tool_use` ids were found without'],
  [
    'a result without its call',
    message([{ type: 'tool_result', tool_use_id: 't9', content: 'x' }]),
    'messages.0.content.0: unexpected `tool_use_id`',
  ],
  [
    'a result after text',
    {
      ...message('x'),
      messages: [
        hello,
        use,
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'tool_result', tool_use_id: 't1' },
          ],
        },
      ],
    },
    'messages.2.content.1: `tool_result` blocks must come before',
  ],
  [
    'thinking without a signature',
    {
      ...message('x'),
      messages: [hello, { role: 'assistant', content: [{ type: 'thinking', thinking: 'So.' }] }, hello],
    },
    'thinking.signature: Field required',
  ],
  [
    'a foreign signature',
    { ...message('x'), messages: [hello, thinking('c2ln'), hello] },
    'messages.1.content.0: Invalid `signature`',
  ],
  [
    'a signature of another thought',
    { ...message('x'), messages: [hello, thinking(signatureOf('Other.')), hello] },
    'Invalid `signature`',
  ],
  [
    'a foreign redaction',
    {
      ...message('x'),
      messages: [hello, { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] }, hello],
    },
    'messages.1.content.0.data',
  ],
  ['a temperature above 1', message('x', { temperature: 1.5 }), 'temperature'],
  [
    'a budget above the limit',
    message('x', { thinking: { type: 'enabled', budget_tokens: 2048 } }),
    'max_tokens: `max_tokens` must be greater',
  ],
  [
    'a forced call while thinking',
    message('x', {
      max_tokens: 4096,
      thinking: { type: 'enabled', budget_tokens: 2048 },
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
    }),
    'tool_choice: Thinking',
  ],
  ['a tool without a schema', message('x', { tools: [{ name: 'f' }] }), 'tools.0.custom.input_schema: Field required'],
  [
    'a tool with a bad name',
    message('x', { tools: [{ name: 'a.b', input_schema: { type: 'object' } }] }),
    'tools.0.custom.name',
  ],
  ['a choice without tools', message('x', { tool_choice: { type: 'auto' } }), 'tool_choice: may only be specified'],
  ['a choice in words', message('x', { tool_choice: 'auto' }), 'tool_choice'],
]

const madeTwo = { role: 'model', parts: ['f', 'g'].map((name) => ({ functionCall: { name } })) }
const answeredTwice = { parts: ['f', 'f'].map((name) => ({ functionResponse: { name, response: {} } })) }

const GENERATE_CONTENT: [string, unknown, string][] = [
  ['two responses to one call', { contents: [madeTwo, answeredTwice] }, "No function call 'f' waits"],
  ['no contents', {}, 'contents is not specified'],
  ['an unknown field', contents({ text: 'x' }, { messages: [] }), 'Unknown name "messages": Cannot find field.'],
  [
    'an unknown field of the configuration',
    contents({ text: 'x' }, { generationConfig: { max_tokens: 5 } }),
    `Unknown name "max_tokens" at 'generationConfig'`,
  ],
  ['an unknown role', { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }, 'valid role: user, model'],
  ['no parts', { contents: [{ role: 'user', parts: [] }] }, 'must include at least one parts field'],
  ['a part of nothing', contents({ thought: true }), "required oneof field 'data'"],
  [
    'a part of two things',
    contents({ text: 'x', inlineData: { mimeType: 'image/png', data: '' } }),
    "oneof field 'data' is already set",
  ],
  ['an unknown part', contents({ type: 'text', text: 'x' }), 'Unknown name "type"'],
  [
    'a call without its response',
    { contents: [made, { role: 'user', parts: [{ text: 'x' }] }] },
    'number of function response parts',
  ],
  [
    'a response without its call',
    contents({ functionResponse: { name: 'f', response: {} } }),
    'comes immediately after a function call',
  ],
  [
    'a response of another name',
    { contents: [made, { role: 'user', parts: [{ functionResponse: { name: 'g', response: {} } }] }] },
    "No function call 'g' waits",
  ],
  [
    'a response of mere text',
    { contents: [made, { role: 'user', parts: [{ functionResponse: { name: 'f', response: 'x' } }] }] },
    'expected an object',
  ],
  [
    'a response that refers to a part',
    {
      contents: [made, { parts: [{ functionResponse: { name: 'f', response: { output: [{ $ref: '#/$defs/h' }] } } }] }],
    },
    'The referenced name `#/$defs/h` in function_response.response does not match to a display_name',
  ],
  [
    'a foreign signature',
    {
      contents: [
        { role: 'model', parts: [{ text: 'x', thoughtSignature: 'c2ln' }] },
        ...contents({ text: 'x' }).contents,
      ],
    },
    'Corrupted thought signature',
  ],
  [
    'a signature on another call',
    {
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'f' }, thoughtSignature: signatureOf('g') }] },
        { parts: [{ functionResponse: { name: 'f', response: {} } }] },
      ],
    },
    'Corrupted thought signature',
  ],
  [
    'JSON schema where the other kind belongs',
    contents(
      { text: 'x' },
      {
        tools: [
          { functionDeclarations: [{ name: 'f', parameters: { type: 'object', properties: { a: { const: 1 } } } }] },
        ],
      },
    ),
    `Unknown name "const" at 'tools[0].function_declarations[0].parameters.properties[a]'`,
  ],
  [
    'both kinds of schema',
    contents(
      { text: 'x' },
      { tools: [{ functionDeclarations: [{ name: 'f', parameters: {}, parametersJsonSchema: {} }] }] },
    ),
    'Only one of',
  ],
  [
    'a bad name',
    contents({ text: 'x' }, { tools: [{ functionDeclarations: [{ name: '1f' }] }] }),
    'Invalid function name',
  ],
  ['an unknown mode', contents({ text: 'x' }, { toolConfig: { functionCallingConfig: { mode: 'required' } } }), 'mode'],
  [
    'a forced call without tools',
    contents({ text: 'x' }, { toolConfig: { functionCallingConfig: { mode: 'ANY' } } }),
    'no function declarations',
  ],
  [
    'a schema without the mime type',
    contents({ text: 'x' }, { generationConfig: { responseJsonSchema: {} } }),
    'application/json',
  ],
  [
    'six stop sequences',
    contents({ text: 'x' }, { generationConfig: { stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] } }),
    'stopSequences',
  ],
  ['bad base64', contents({ inlineData: { mimeType: 'image/png', data: '***' } }), 'Base64 decoding failed'],
]

describe('responses rejects', () => {
  test.each(RESPONSES)('%s', async (_, body, param) => {
    const answer = await post('/v1/responses', body)
    const { error } = await json(answer)
    expect([answer.status, error.type, error.param]).toEqual([400, 'invalid_request_error', param])
    expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code'])
  })
})

describe('messages rejects', () => {
  test.each(MESSAGES)('%s', async (_, body, said) => {
    const answer = await post('/v1/messages', body, VERSION)
    const { type, error, request_id } = await json(answer)
    expect([answer.status, type, error.type, typeof request_id]).toEqual([
      400,
      'error',
      'invalid_request_error',
      'string',
    ])
    expect(error.message).toContain(said)
  })

  test.each([
    [{}, message('x'), 'anthropic-version: header is required'],
    [{ 'anthropic-version': '2020-01-01' }, message('x'), 'is not a valid version'],
    [{ 'anthropic-version': '2026-10-21' }, message('x', { temperature: 1 }), 'temperature: Extra inputs'],
  ])('the version %j', async (headers, body, said) => {
    const answer = await post('/v1/messages', body, headers)
    expect([answer.status, (await json(answer)).error.message]).toEqual([400, expect.stringContaining(said)])
  })
})

describe('generate-content rejects', () => {
  test.each(GENERATE_CONTENT)('%s', async (_, body, said) => {
    for (const method of ['generateContent', 'streamGenerateContent?alt=sse']) {
      const answer = await post(`/v1beta/models/sandbox-text:${method}`, body)
      const { error } = await json(answer)
      expect([answer.status, error.code, error.status]).toEqual([400, 400, 'INVALID_ARGUMENT'])
      expect(JSON.stringify(error).replaceAll('\\"', '"')).toContain(said)
    }
  })
})
