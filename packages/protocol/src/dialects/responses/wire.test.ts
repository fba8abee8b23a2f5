import { expect, test } from 'bun:test'
import type OpenAI from 'openai'
import type { ReadEvent, ReadResponse, RequestFields, WrittenAnswer, WrittenItem, WrittenUsage } from './wire.ts'

type Sdk = OpenAI.Responses.Response

// These compile or they do not: what the official SDK sends, this dialect reads; what it writes, the SDK's types take.
const ofRequest = (request: OpenAI.Responses.ResponseCreateParams): RequestFields => request
const ofResponse = (response: Sdk): ReadResponse => response
const ofEvent = (event: OpenAI.Responses.ResponseStreamEvent): ReadEvent => event
const toItem = (item: WrittenItem): OpenAI.Responses.ResponseOutputItem => item
const toUsage = (usage: WrittenUsage): OpenAI.Responses.ResponseUsage => usage
const toAnswer = ({ output, usage, ...answer }: WrittenAnswer): Partial<Sdk> => ({
  ...answer,
  output: output.map(toItem),
  ...(usage === undefined ? {} : { usage: toUsage(usage) }),
})

test('the types of the official SDK fit ours', () => {
  expect(ofRequest({ model: 'm', input: 'When is high water?' }).model).toBe('m')
  for (const fits of [ofResponse, ofEvent, toAnswer]) expect(fits).toBeFunction()
})
