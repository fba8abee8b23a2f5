import { expect, test } from 'bun:test'
import type { Content, FunctionDeclaration, GenerateContentResponse, Part, UsageMetadata } from '@google/genai'
import { generateContent } from './index.ts'
import type { WireContent, WireFunctionDeclaration, WirePart, WireReply, WireUsage } from './wire.ts'

// These compile or they do not: what the official SDK sends and receives fits what this dialect reads and writes.
const ofContent = (content: Content): WireContent => content
const ofDeclaration = (declaration: FunctionDeclaration): WireFunctionDeclaration => declaration
const ofReply = (reply: GenerateContentResponse): WireReply => reply
const toPart = (part: WirePart): Part => part as Part
const toUsage = (usage: WireUsage): UsageMetadata => usage as UsageMetadata

test('the types of the official SDK fit ours', () => {
  expect(ofContent({ role: 'user', parts: [{ text: 'hi' }] }).parts).toEqual([{ text: 'hi' }])
  for (const same of [ofDeclaration, ofReply, toPart, toUsage]) expect(same).toBeFunction()
  expect(generateContent.heartbeat).toStartWith('data: {')
})
