import { describe, expect, test } from 'bun:test'
import { RequestError } from '../../../canonical/reading.ts'
import { decodeRequest } from './decode-request.ts'

describe('what is wrong', () => {
  const message = (more: object) => ({ messages: [{ role: 'user', content: 'x' }, more] })
  const part = (more: object) => message({ role: 'user', content: [more] })
  const table: [body: unknown, param: string, says: RegExp][] = [
    [[], 'body', /object/],
    [{ messages: [] }, 'model', /required/],
    [{ model: '' }, 'model', /empty/],
    [{ model: 'a\nb' }, 'model', /control/],
    [{ messages: undefined }, 'messages', /required/],
    [{ messages: [] }, 'messages', /at least one/],
    [{ messages: ['x'] }, 'messages[0]', /object/],
    [message({ content: 'x' }), 'messages[1].role', /one of/],
    [message({ role: 'wizard', content: 'x' }), 'messages[1].role', /one of/],
    [message({ role: 'user' }), 'messages[1].content', /string or an array/],
    [message({ role: 'user', content: 5 }), 'messages[1].content', /string or an array/],
    [message({ role: 'tool', content: 'x' }), 'messages[1].tool_call_id', /required/],
    [message({ role: 'assistant', tool_calls: {} }), 'messages[1].tool_calls', /array/],
    [message({ role: 'assistant', tool_calls: [{ id: 'a' }] }), 'messages[1].tool_calls[0].function', /object/],
    [
      message({ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: 5 } }] }),
      'messages[1].tool_calls[0].function.arguments',
      /string/,
    ],
    [part({ type: 'text' }), 'messages[1].content[0].text', /required/],
    [part({ text: 'x' }), 'messages[1].content[0].type', /string/],
    [part({ type: 'image_url', image_url: 'https://x' }), 'messages[1].content[0].image_url', /object with a url/],
    [part({ type: 'image_url' }), 'messages[1].content[0].image_url', /object with a url/],
    [part({ type: 'image_url', image_url: {} }), 'messages[1].content[0].image_url.url', /string/],
    [part({ type: 'image_url', image_url: { url: 'not base64!' } }), 'messages[1].content[0].image_url.url', /base64/],
    [
      part({ type: 'image_url', image_url: { url: 'data:image/png,x' } }),
      'messages[1].content[0].image_url.url',
      /base64/,
    ],
    [part({ type: 'input_audio' }), 'messages[1].content[0].input_audio', /required/],
    [part({ type: 'file', file: {} }), 'messages[1].content[0].file', /file_data or file_id/],
    [{ temperature: 2.1 }, 'temperature', /between 0 and 2/],
    [{ temperature: 'hot' }, 'temperature', /number/],
    [{ top_p: -1 }, 'top_p', /between/],
    [{ max_tokens: 0 }, 'max_tokens', /between 1/],
    [{ max_completion_tokens: 1.5 }, 'max_completion_tokens', /whole/],
    [{ n: 129 }, 'n', /128/],
    [{ stop: 5 }, 'stop', /string/],
    [{ stop: ['a', 5] }, 'stop[1]', /string/],
    [{ stream: 'yes' }, 'stream', /true or false/],
    [{ stream_options: [] }, 'stream_options', /object/],
    [{ stream_options: { include_usage: 1 } }, 'stream_options.include_usage', /true or false/],
    [{ tools: {} }, 'tools', /array/],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function', /required/],
    [{ tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name', /required/],
    [
      { tools: [{ type: 'function', function: { name: 'f', parameters: 'x' } }] },
      'tools[0].function.parameters',
      /object/,
    ],
    [{ functions: [{}] }, 'functions[0].name', /required/],
    [{ tool_choice: 'sometimes' }, 'tool_choice', /auto/],
    [{ tool_choice: { type: 'function' } }, 'tool_choice.function.name', /required/],
    [{ function_call: 5 }, 'function_call', /name/],
    [{ response_format: {} }, 'response_format.type', /required/],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema', /required/],
    [{ top_logprobs: 21 }, 'top_logprobs', /20/],
    [{ logit_bias: { 5: 101 } }, 'logit_bias.5', /100/],
    [{ user: 'a\u0000' }, 'user', /control/],
  ]
  test.each(table)('%j', (body, param, says) => {
    const isWhole = Array.isArray(body) || (body as { model?: unknown }).model !== undefined || param === 'model'
    const whole = isWhole ? body : { model: 'm', messages: [{ role: 'user', content: 'x' }], ...(body as object) }
    let thrown: unknown
    try {
      decodeRequest(whole)
    } catch (mistake) {
      thrown = mistake
    }
    expect(thrown).toBeInstanceOf(RequestError)
    const { info } = thrown as RequestError
    expect(info).toMatchObject({ code: 'bad_request', param })
    expect(info.message).toMatch(says)
  })
})
