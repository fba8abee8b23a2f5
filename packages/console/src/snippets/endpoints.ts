// Where each protocol is served, and a small request in it.

import { basePath, type Protocol, protocolPath } from './protocols.ts'
import type { Access, ExampleRequest, Wanted } from './types.ts'

export const protocolBase = (protocol: Protocol, baseUrl: string): string => baseUrl + basePath(protocol)

function pathOf(protocol: Protocol, body: ExampleRequest['body']): string {
  const path = protocolPath(protocol)
  if (protocol !== 'generate-content') return path
  return `${path}${encodeURIComponent(body.model)}:${asksForVector(body) ? 'embedContent' : 'generateContent'}`
}

/** A vector is asked for with one content, an answer with all contents of a conversation. */
export const asksForVector = (body: ExampleRequest['body']): boolean => 'content' in body

/** The request as HTTP. */
export function httpRequest({ protocol, body }: ExampleRequest, { baseUrl, secret }: Access) {
  const { model, ...rest } = body
  return {
    url: baseUrl + pathOf(protocol, body),
    headers: { ...credential(protocol, secret), 'Content-Type': 'application/json' },
    body: protocol === 'generate-content' ? rest : body,
  }
}

function credential(protocol: Protocol, secret: string): Record<string, string> {
  if (protocol === 'messages') return { 'x-api-key': secret, 'anthropic-version': '2023-06-01' }
  if (protocol === 'generate-content') return { 'x-goog-api-key': secret }
  return { Authorization: `Bearer ${secret}` }
}

/** The shortest useful request. */
export function exampleRequest(
  protocol: Protocol,
  model: string,
  prompt: string,
  wanted: Wanted = 'text',
): ExampleRequest {
  const messages = [{ role: 'user', content: prompt }]
  const bodies: Readonly<Record<Protocol, Record<string, unknown>>> = {
    chat: { messages },
    responses: { input: prompt },
    messages: { max_tokens: 500, messages },
    'generate-content':
      wanted === 'vector'
        ? { content: { parts: [{ text: prompt }] } }
        : {
            contents: [{ role: 'user', parts: [{ text: prompt }] }],
            ...(wanted === 'image' ? { generationConfig: { responseModalities: ['IMAGE'] } } : {}),
          },
    completions: { prompt, max_tokens: 100 },
    images: { prompt },
    'video-tasks': { content: [{ type: 'text', text: prompt }] },
    embeddings: { input: prompt },
    embed: { texts: [prompt], input_type: 'search_document', embedding_types: ['float'] },
    rerank: { query: prompt, documents: DOCUMENTS },
    speech: { input: prompt, voice: 'alloy' },
    transcriptions: { file: 'audio.mp3' },
    moderations: { input: prompt },
  }
  return { protocol, body: { model, ...bodies[protocol] } }
}

const DOCUMENTS = ['The lamp is lit at dusk.', 'Trains leave every hour.']
