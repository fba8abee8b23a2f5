// Chained responses with the official SDK: a client, one call streamed or not, and what each dialect's upstream saw of it.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import OpenAI from 'openai'
import type { SentBody } from '../upstreams/recording-sandbox.ts'

export type Turn = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>
export type Answer = OpenAI.Responses.Response & { store?: boolean }

export const openaiAt = (url: string, secret: string): OpenAI =>
  new OpenAI({ apiKey: secret, baseURL: `${url}/v1`, maxRetries: 0 })

/**
 * The events of `response.*` that carry a whole response must agree about its id, its parent and `store`. `storeFails`: only the
 * last one knows that it is not stored.
 */
export async function respondTo(client: OpenAI, streamed: boolean, turn: Turn, storeFails = false): Promise<Answer> {
  if (!streamed) return client.responses.create(turn)
  const stream = client.responses.stream(turn)
  const told = new Set<string>()
  stream.on('event', (event) => {
    if (!('response' in event)) return
    const { id, previous_response_id, store } = event.response as Answer
    const isLast = event.type === 'response.completed'
    told.add(JSON.stringify([id, previous_response_id, storeFails && !isLast ? !store : store]))
  })
  const final: Answer = await stream.finalResponse()
  const expected = JSON.stringify([final.id, final.previous_response_id, final.store])
  if ([...told].join() !== expected) throw new Error(`events disagree: ${[...told].join(' ')}`)
  return final
}

type Part = { text?: string; thought?: boolean }
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : ((content ?? []) as Part[]).map(({ text = '', thought }) => (thought ? '' : text)).join('')

type Spoken = { role?: string; type?: string; content?: unknown; parts?: Part[] }

/** The messages that an upstream was sent, without its system text: `user: hello`. */
export function spoken(dialect: TextDialectId, body: SentBody): string[] {
  const field = { chat: 'messages', responses: 'input', messages: 'messages', 'generate-content': 'contents' }[dialect]
  const sent = body[field]
  const items = typeof sent === 'string' ? [{ role: 'user', content: sent }] : (sent as Spoken[])
  return items
    .filter(({ role }) => role !== undefined && role !== 'system' && role !== 'developer')
    .map(({ role, content, parts }) => `${role === 'model' ? 'assistant' : role}: ${textOf(content ?? parts)}`)
}

/** The system text. */
export function systemOf(dialect: TextDialectId, body: SentBody): string {
  if (dialect === 'messages') return textOf(body.system)
  if (dialect === 'generate-content') return textOf((body.systemInstruction as { parts?: Part[] } | undefined)?.parts)
  if (typeof body.instructions === 'string') return body.instructions
  const sent = dialect === 'chat' ? body.messages : body.input
  return (typeof sent === 'string' ? [] : (sent as Spoken[]))
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => textOf(content))
    .join()
}
