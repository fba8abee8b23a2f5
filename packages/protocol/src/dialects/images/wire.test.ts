import { expect, test } from 'bun:test'
import type OpenAI from 'openai'
import type { WrittenUsage } from '../shared/images/usage.ts'
import type { FieldName } from './request/fields.ts'

// These compile or they do not: what the official SDK sends, this dialect reads; what it writes, the SDK's types take.
type Sent = Exclude<keyof OpenAI.ImageGenerateParams | keyof OpenAI.ImageEditParams, 'image' | 'mask'>
const ofRequest = (field: Sent): FieldName => field
const toRequest = (field: FieldName): Sent => field
const toReplyUsage = (usage: WrittenUsage): OpenAI.ImagesResponse.Usage => usage
const toEventUsage = (
  usage: WrittenUsage,
): OpenAI.ImageGenCompletedEvent.Usage & OpenAI.ImageEditCompletedEvent.Usage => usage

test('the types of the official SDK fit ours', () => {
  expect([ofRequest('prompt'), toRequest('model')]).toEqual(['prompt', 'model'])
  for (const fits of [toReplyUsage, toEventUsage]) expect(fits).toBeFunction()
})
