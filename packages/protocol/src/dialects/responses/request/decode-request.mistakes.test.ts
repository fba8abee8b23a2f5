import { describe, expect, test } from 'bun:test'
import { mistakeOf } from '../../../../fixtures/responses/requests.ts'
import { decodeRequest } from './decode-request.ts'
import { rejectStored } from './stored-state.ts'

const read = (fields: object) =>
  decodeRequest({ model: 'harbour-large', input: 'How high is the tide?', ...fields }, undefined)
const user = (...content: object[]): object => ({ role: 'user', content })

describe('errors name the field', () => {
  const item = (fields: object) => ({ input: [fields] })
  const part = (fields: object) => item(user(fields))
  test.each([
    ['model', { model: undefined }],
    ['model', { model: 7 }],
    ['model', { model: 'a\u0000b' }],
    ['input', { input: undefined }],
    ['input', { input: { role: 'user' } }],
    ['input[0]', { input: ['Hi'] }],
    ['input[0].role', item({ role: 'pilot', content: 'Hi' })],
    ['input[0].role', item({ content: 'Hi' })],
    ['input[0].content', item({ role: 'user' })],
    ['input[0].content[0].type', part({ text: 'Hi' })],
    ['input[0].content[0].text', part({ type: 'input_text' })],
    ['input[0].content[0].image_url', part({ type: 'input_image', image_url: { url: 'https://a.example' } })],
    ['input[0].content[0].image_url', part({ type: 'input_image' })],
    ['input[0].content[0].image_url', part({ type: 'input_image', image_url: 'data:image/png,notbase64' })],
    ['input[0].content[0].image_url', part({ type: 'input_image', image_url: 'not an image!' })],
    ['input[0].content[0].file_data', part({ type: 'input_file', filename: 'a.pdf' })],
    ['input[0].call_id', item({ type: 'function_call', name: 'a', arguments: '{}' })],
    ['input[0].name', item({ type: 'function_call', call_id: 'a', arguments: '{}' })],
    ['input[0].arguments', item({ type: 'function_call', call_id: 'a', name: 'a', arguments: {} })],
    ['input[0].output', item({ type: 'function_call_output', call_id: 'a', output: { a: 1 } })],
    ['input[0].call_id', item({ type: 'function_call_output', output: '' })],
    ['input[0].summary', item({ type: 'reasoning', summary: 'Hm.' })],
    ['instructions', { instructions: ['Be brief.'] }],
    ['temperature', { temperature: 2.5 }],
    ['top_p', { top_p: -1 }],
    ['top_logprobs', { top_logprobs: 21 }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['max_output_tokens', { max_output_tokens: 1e9 }],
    ['stream', { stream: 'yes' }],
    ['tools', { tools: {} }],
    ['tools[0].type', { tools: [{ name: 'a' }] }],
    ['tools[0].name', { tools: [{ type: 'function', function: { name: 'a' } }] }],
    ['tools[0].parameters', { tools: [{ type: 'function', name: 'a', parameters: '{}' }] }],
    ['tools[0].tools[0].name', { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function' }] }] }],
    ['tool_choice', { tool_choice: 'always' }],
    ['tool_choice.name', { tool_choice: { type: 'function' } }],
    ['text.format.schema', { text: { format: { type: 'json_schema', name: 'a' } } }],
    ['text.format.type', { text: { format: {} } }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['reasoning', { reasoning: 'high' }],
    ['background', { background: 'later' }],
    ['include', { include: 'all' }],
    ['prompt_cache_key', { prompt_cache_key: 1 }],
  ])('%s: %j', (param, fields) => {
    const info = mistakeOf(() => read(fields))
    expect(info).toMatchObject({ code: 'bad_request', param })
    expect(info.message).toContain(param)
  })

  test('a body that is no object', () => {
    expect(mistakeOf(() => decodeRequest([], undefined)).code).toBe('bad_request')
  })
})

describe('requests that lean on something kept elsewhere', () => {
  test('are understood as such, for they may pass through', () => {
    for (const fields of [{ previous_response_id: 'resp_1' }, { prompt: { id: 'p' } }, { conversation: 'conv_1' }]) {
      expect(read({ input: undefined, ...fields }).turns).toEqual([])
    }
  })
  test.each([
    [{ previous_response_id: 'resp_1' }, 'previous_response_not_found', 'previous_response_id'],
    [{ input: ['x', { type: 'item_reference', id: 'msg_1' }] }, 'previous_response_not_found', 'input[1].id'],
    [{ input: [{ id: 'msg_1' }] }, 'previous_response_not_found', 'input[0].id'],
    [{ conversation: 'conv_1' }, 'unsupported_parameter', 'conversation'],
    [{ prompt: { id: 'pmpt_1' } }, 'unsupported_parameter', 'prompt'],
    [{ background: true }, 'unsupported_parameter', 'background'],
  ] as const)('are rejected before they are translated: %j', (fields, code, param) => {
    expect(mistakeOf(() => rejectStored({ model: 'm', ...fields }))).toMatchObject({ code, param })
  })
  test.each([
    [{ type: 'item_reference', id: 'rs_1' }],
    [{ id: 'rs_1' }],
  ])('but a reference to reasoning is left out: %j', (reference) => {
    const fields = { input: [{ role: 'user', content: 'hi' }, reference] }
    expect(() => rejectStored({ model: 'm', ...fields })).not.toThrow()
    expect(read(fields).turns).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }])
  })
  test('others are not', () => {
    expect(() =>
      rejectStored({ model: 'm', input: [{ role: 'user' }], previous_response_id: null, background: false }),
    ).not.toThrow()
  })
})
