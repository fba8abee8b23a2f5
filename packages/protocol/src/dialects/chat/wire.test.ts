import { expect, test } from 'bun:test'
import type OpenAI from 'openai'
import type { ChatReplyFields, ChatRequestFields } from './wire.ts'

// These compile or they do not: what the official SDK sends and receives fits what this dialect reads and writes.
const ofRequest = (request: OpenAI.ChatCompletionCreateParams): ChatRequestFields => request
const ofReply = (reply: OpenAI.ChatCompletion): ChatReplyFields => reply
const ofChunk = (chunk: OpenAI.ChatCompletionChunk): ChatReplyFields => chunk

test('the types of the official SDK fit ours', () => {
  const request = ofRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream_options: null })
  expect(request.model).toBe('m')
  for (const read of [ofReply, ofChunk]) expect(read).toBeFunction()
})
