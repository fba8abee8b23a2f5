// Unstreamed replies on their way through, in all four dialects.

import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf, textOf } from '../../../../fixtures/buffer-codec.ts'
import { DIALECTS, type Id } from '../../../../fixtures/shared/pass-through-requests.ts'

const REPLIES: Record<Id, string> = {
  chat: '{"id":"c","model":"up","choices":[{"index":0,"message":{"role":"assistant","content":"Hi 北"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}, "x":1.0}',
  responses:
    '{"id":"r", "model":"up","object":"response","status":"completed","output":[{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi 北","annotations":[]}]}],"usage":{"input_tokens":7,"output_tokens":3,"total_tokens":10},"x":1.0}',
  messages:
    '{"id":"m", "type":"message","role":"assistant","model":"up","content":[{"type":"text","text":"Hi 北"}],"stop_reason":"end_turn","usage":{"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":3},"x":1.0}',
  'generate-content':
    '{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi 北"}]},"finishReason":"STOP","index":0}], "usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3,"totalTokenCount":10},"modelVersion":"up","x":1.0}',
}
const ERRORS: Record<Id, [string, string]> = {
  chat: ['{"error":{"message":"slow","type":"rate_limit_error","code":"rate_limit_exceeded"}}', 'rate_limit_exceeded'],
  responses: [
    '{"id":"r","object":"response","status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"},"output":[]}',
    'rate_limit_exceeded',
  ],
  messages: ['{"type":"error","error":{"type":"overloaded_error","message":"busy"}}', 'service_unavailable'],
  'generate-content': ['{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}', 'service_unavailable'],
}

describe.each(Object.keys(DIALECTS) as Id[])('%s', (id) => {
  const read = (json: string, renameTo?: string) => DIALECTS[id].readReply(bytesOf(json), bufferCodec, renameTo)

  test('is read and keeps its bytes', () => {
    const reply = read(REPLIES[id])
    if (!reply.ok) throw new Error(reply.error.message)
    expect(textOf(reply.body)).toBe(REPLIES[id])
    expect(reply.usage).toMatchObject({ input: 7, output: 3, absurd: false })
    expect(reply.finish?.unified).toBe('completed')
    expect(reply.outputBytes).toBeGreaterThanOrEqual('Hi 北'.length)
  })

  test('the name of the model is replaced, and nothing else', () => {
    const reply = read(REPLIES[id], 'mine "x"')
    expect(reply.ok && textOf(reply.body)).toBe(REPLIES[id].replace('"up"', JSON.stringify('mine "x"')))
  })

  test('an error under status 200', () => {
    const [json, code] = ERRORS[id]
    const reply = read(json)
    expect(!reply.ok && reply.error.code).toBe(code as 'service_unavailable')
  })

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"status":',
    '<html>busy</html>',
    `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`,
  ])('no answer: %p', (json) => {
    const reply = read(json)
    expect(!reply.ok && reply.error.code).toBe('upstream_error')
  })
})
