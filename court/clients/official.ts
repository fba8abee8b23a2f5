// The official SDKs, as cells need them beside `readers.ts`: a stream to abort, and the errors that they throw.
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import type { Dialect, Trial } from '../cell.ts'

const TIMEOUT = 30_000
export const openai = ({ origin, key }: Pick<Trial, 'origin' | 'key'>) =>
  new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0, timeout: TIMEOUT })
export const anthropic = ({ origin, key }: Pick<Trial, 'origin' | 'key'>) =>
  new Anthropic({ apiKey: key, baseURL: origin, maxRetries: 0, timeout: TIMEOUT })
export const google = ({ origin, key }: Pick<Trial, 'origin' | 'key'>) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: origin, timeout: TIMEOUT } })

type Asked = Pick<Trial, 'origin' | 'key' | 'model'> & { prompt: string; signal: AbortSignal }

/** The events of a stream, as the SDK gives them. */
export const STREAMS: Readonly<Record<Dialect, (asked: Asked) => Promise<AsyncIterable<unknown>>>> = {
  chat: ({ model, prompt, signal, ...at }) =>
    openai(at).chat.completions.create(
      { model, stream: true, messages: [{ role: 'user', content: prompt }] },
      { signal },
    ),
  responses: ({ model, prompt, signal, ...at }) =>
    openai(at).responses.create({ model, stream: true, input: prompt, store: false }, { signal }),
  messages: ({ model, prompt, signal, ...at }) =>
    anthropic(at).messages.create(
      { model, stream: true, max_tokens: 8_000, messages: [{ role: 'user', content: prompt }] },
      { signal },
    ),
  'generate-content': ({ model, prompt, signal, ...at }) =>
    google(at).models.generateContentStream({ model, contents: prompt, config: { abortSignal: signal } }),
}

/** A short request; `broken`: one of its fields is of a wrong type. */
export const ONCE: Readonly<Record<Dialect, (asked: Omit<Asked, 'signal'>, broken: boolean) => Promise<unknown>>> = {
  chat: ({ model, prompt, ...at }, broken) =>
    openai(at).chat.completions.create({
      model,
      messages: broken ? (7 as never) : [{ role: 'user', content: prompt }],
    }),
  responses: ({ model, prompt, ...at }, broken) =>
    openai(at).responses.create({ model, input: broken ? (7 as never) : prompt, store: false }),
  messages: ({ model, prompt, ...at }, broken) =>
    anthropic(at).messages.create({
      model,
      max_tokens: broken ? ('many' as never) : 50,
      messages: [{ role: 'user', content: prompt }],
    }),
  'generate-content': ({ model, prompt, ...at }, broken) =>
    google(at).models.generateContent({
      model,
      contents: prompt,
      config: broken ? { temperature: 'hot' as never } : {},
    }),
}

/** The status of an error that the SDK itself defines; undefined: it is no such error. */
export function statusOf(thrown: unknown): number | undefined {
  const isApiError =
    thrown instanceof OpenAI.APIError || thrown instanceof Anthropic.APIError || thrown instanceof ApiError
  return isApiError ? thrown.status : undefined
}

/** The class that the SDK has for this status; the third has one for all. */
export function isOfClass(thrown: unknown, status: number): boolean {
  if (thrown instanceof ApiError) return thrown.status === status
  const names: Record<number, readonly unknown[]> = {
    400: [OpenAI.BadRequestError, Anthropic.BadRequestError],
    401: [OpenAI.AuthenticationError, Anthropic.AuthenticationError],
    404: [OpenAI.NotFoundError, Anthropic.NotFoundError],
    429: [OpenAI.RateLimitError, Anthropic.RateLimitError],
  }
  return (names[status] ?? []).includes((thrown as Error).constructor)
}
