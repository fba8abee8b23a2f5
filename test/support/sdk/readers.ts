// The official SDKs: one prompt, one answer, streamed or not. What they read, and what they reject.
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import OpenAI from 'openai'
import { type Answer, addGenerated, answerOf, nothing } from './answer.ts'
import { addChatChunk, addChatReply } from './answer-chat.ts'
import { addMessage, openMessageStream } from './answer-messages.ts'
import { addResponse, openResponseStream } from './answer-responses.ts'

export type Reading =
  | { answer: Answer }
  /** The service responded with an error, and the SDK threw it. */
  | { failure: { status: number | undefined; message: string } }
  /** The SDK could not read the response: the order of events, or the JSON. */
  | { objection: string }

export type Asking = {
  /** The SDK's base URL, without a version. */
  origin: string
  key: string
  model: string
  prompt: string
  /** Output tokens; by default more than any answer needs. */
  cap?: number
  /** `helper`: with the SDK's accumulator, which is strict about the order of events. */
  mode: 'unstreamed' | 'raw' | 'helper'
}

const CAP = 16_000
const TIMEOUT_MS = 30_000

export async function readWith(dialect: TextDialectId, asking: Asking): Promise<Reading> {
  try {
    return { answer: await READERS[dialect](asking) }
  } catch (thrown) {
    return misfortune(thrown)
  }
}

function misfortune(thrown: unknown): Reading {
  const isConnection = thrown instanceof OpenAI.APIConnectionError || thrown instanceof Anthropic.APIConnectionError
  if (isConnection) throw thrown
  if (thrown instanceof OpenAI.APIError || thrown instanceof Anthropic.APIError || thrown instanceof ApiError) {
    return { failure: { status: thrown.status, message: thrown.message } }
  }
  if (thrown instanceof Failed) return { failure: { status: undefined, message: thrown.message } }
  return { objection: String(thrown) }
}

/** A failed response, which the SDK returns like any other. */
class Failed extends Error {}

const READERS: Record<TextDialectId, (asking: Asking) => Promise<Answer>> = {
  chat: readChat,
  responses: readResponses,
  messages: readMessages,
  'generate-content': readGenerateContent,
}

const openai = ({ origin, key }: Asking) =>
  new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0, timeout: TIMEOUT_MS })

async function readChat(asking: Asking): Promise<Answer> {
  const { model, prompt, mode, cap = CAP } = asking
  const { completions } = openai(asking).chat
  const pieces = nothing()
  const body = { model, max_tokens: cap, messages: [{ role: 'user' as const, content: prompt }] }
  if (mode === 'unstreamed') {
    addChatReply(pieces, await completions.create(body))
    return answerOf(pieces)
  }
  const streamed = { ...body, stream_options: { include_usage: true } }
  const stream =
    mode === 'helper' ? completions.stream(streamed) : await completions.create({ ...streamed, stream: true })
  for await (const chunk of stream) addChatChunk(pieces, chunk)
  return answerOf(pieces)
}

async function readResponses(asking: Asking): Promise<Answer> {
  const { model, prompt, mode, cap = CAP } = asking
  const { responses } = openai(asking)
  const pieces = nothing()
  const body = { model, input: prompt, max_output_tokens: cap, store: false }
  if (mode === 'unstreamed') {
    const response = await responses.create(body)
    if (response.status === 'failed') throw new Failed(response.error?.message)
    addResponse(pieces, response)
    return answerOf(pieces)
  }
  const stream = mode === 'helper' ? responses.stream(body) : await responses.create({ ...body, stream: true })
  const reader = openResponseStream(pieces, mode === 'helper')
  for await (const event of stream) {
    if (event.type === 'response.failed') throw new Failed(event.response.error?.message)
    // The flat form: the SDK's raw iterator does not throw it.
    if (event.type === 'error') throw new Failed(event.message)
    reader.push(event)
  }
  reader.end()
  return answerOf(pieces)
}

async function readMessages(asking: Asking): Promise<Answer> {
  const { model, prompt, mode, origin, key, cap = CAP } = asking
  const { messages } = new Anthropic({ apiKey: key, baseURL: origin, maxRetries: 0, timeout: TIMEOUT_MS })
  const pieces = nothing()
  const body = { model, max_tokens: cap, messages: [{ role: 'user' as const, content: prompt }] }
  if (mode === 'unstreamed') {
    addMessage(pieces, await messages.create(body))
    return answerOf(pieces)
  }
  const stream = mode === 'helper' ? messages.stream(body) : await messages.create({ ...body, stream: true })
  const push = openMessageStream(pieces)
  for await (const event of stream) push(event)
  return answerOf(pieces)
}

async function readGenerateContent(asking: Asking): Promise<Answer> {
  const { model, prompt, mode, origin, key, cap = CAP } = asking
  const { models } = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: origin, timeout: TIMEOUT_MS } })
  const pieces = nothing()
  const body = { model, contents: prompt, config: { maxOutputTokens: cap } }
  if (mode === 'unstreamed') {
    addGenerated(pieces, await models.generateContent(body))
    return answerOf(pieces)
  }
  const stream: AsyncIterable<GenerateContentResponse> = await models.generateContentStream(body)
  for await (const chunk of stream) addGenerated(pieces, chunk)
  return answerOf(pieces)
}
