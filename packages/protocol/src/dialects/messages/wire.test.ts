import { expect, test } from 'bun:test'
import type Anthropic from '@anthropic-ai/sdk'
import type { WireBlockOut, WireMessageOut, WireMessageParam, WireReply, WireRequest, WireTextParam } from './wire.ts'

/** The SDK's types have a null for whatever the vendor may leave out; it leaves it out. */
type Sent<T> = T extends (infer Item)[]
  ? Sent<Item>[]
  : T extends object
    ? { [Name in keyof T as null extends T[Name] ? never : Name]: Sent<T[Name]> } & {
        [Name in keyof T as null extends T[Name] ? Name : never]?: Sent<T[Name]>
      }
    : T

// These compile or they do not: what the official SDK sends and receives fits what this dialect reads and writes.
const written = (request: Omit<WireRequest, 'stream'>): Anthropic.MessageCreateParamsNonStreaming => ({
  ...request,
  messages: request.messages.map(message),
})
const message = ({ role, content }: WireMessageParam): Anthropic.MessageParam =>
  role === 'system' ? { role, content: content as WireTextParam[] } : { role, content }
const answered = (message: WireMessageOut): Sent<Anthropic.Message> => message
const block = (out: WireBlockOut): Sent<Anthropic.ContentBlock> => out
const read = (message: Anthropic.Message): WireReply => message

test('our types fit the official SDK', () => {
  const request = written({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
  expect(request.model).toBe('m')
  for (const fits of [answered, block, read]) expect(fits).toBeFunction()
})
