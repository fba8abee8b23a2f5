import { expect, test } from 'bun:test'
import type OpenAI from 'openai'
import { TEXT_DIALECTS } from '../index.ts'
import type {
  ChatReplyFields,
  ChatRequestFields,
  WrittenFormat,
  WrittenLogprobs,
  WrittenMessage,
  WrittenPart,
  WrittenReply,
  WrittenTool,
  WrittenToolChoice,
  WrittenUsage,
} from './wire.ts'

// These compile or they do not: what the official SDK sends and receives fits what this dialect reads and writes.
const ofRequest = (request: OpenAI.ChatCompletionCreateParams): ChatRequestFields => request
const ofReply = (reply: OpenAI.ChatCompletion): ChatReplyFields => reply
const ofChunk = (chunk: OpenAI.ChatCompletionChunk): ChatReplyFields => chunk
const toMessage = (message: WrittenMessage): OpenAI.ChatCompletionMessageParam => message
const toPart = (part: WrittenPart): OpenAI.ChatCompletionContentPart => part
const toTool = (tool: WrittenTool): OpenAI.ChatCompletionTool => tool
const toChoice = (choice: WrittenToolChoice): OpenAI.ChatCompletionToolChoiceOption => choice
const toFormat = (format: WrittenFormat): OpenAI.ChatCompletionCreateParams['response_format'] => format
const toReply = (reply: WrittenReply): OpenAI.ChatCompletion => reply
const toUsage = (usage: WrittenUsage): OpenAI.CompletionUsage => usage
const toLogprobs = (logprobs: WrittenLogprobs): OpenAI.ChatCompletion.Choice.Logprobs => logprobs

test('the types of the official SDK fit ours', () => {
  const request = ofRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream_options: null })
  expect(request.model).toBe('m')
  for (const read of [ofReply, ofChunk]) expect(read).toBeFunction()
  for (const write of [toMessage, toPart, toTool, toChoice, toFormat, toReply, toUsage, toLogprobs]) {
    expect(write).toBeFunction()
  }
})

test('all that a text dialect has is here', () => {
  expect(TEXT_DIALECTS.chat.heartbeat).toBe(': keep-alive\n\n')
})
