// Where each protocol is served, and a small request in it.

import type { Access, ExampleRequest, Protocol, Wanted } from './types.ts'

export const PROTOCOLS: readonly Protocol[] = [
  'chat',
  'responses',
  'messages',
  'generate-content',
  'images',
  'video-tasks',
  'embeddings',
  'rerank',
  'speech',
  'transcriptions',
  'moderations',
]

export const isProtocol = (name: string): name is Protocol => (PROTOCOLS as readonly string[]).includes(name)

/** What follows the URL of the gateway in the base URL of a protocol. One that does not fit the protocol gets 404. */
export const BASES: Readonly<Record<Protocol, string>> = {
  chat: '/v1',
  responses: '/v1',
  messages: '',
  'generate-content': '/v1beta',
  images: '/v1',
  'video-tasks': '/api/v3',
  embeddings: '/v1',
  rerank: '/v1',
  speech: '/v1',
  transcriptions: '/v1',
  moderations: '/v1',
}

export const protocolBase = (protocol: Protocol, baseUrl: string): string => baseUrl + BASES[protocol]

const PATHS: Readonly<Record<Protocol, (model: string, body: ExampleRequest['body']) => string>> = {
  chat: () => '/v1/chat/completions',
  responses: () => '/v1/responses',
  messages: () => '/v1/messages',
  'generate-content': (model, body) =>
    `/v1beta/models/${encodeURIComponent(model)}:${asksForVector(body) ? 'embedContent' : 'generateContent'}`,
  images: () => '/v1/images/generations',
  'video-tasks': () => '/api/v3/contents/generations/tasks',
  embeddings: () => '/v1/embeddings',
  rerank: () => '/v1/rerank',
  speech: () => '/v1/audio/speech',
  transcriptions: () => '/v1/audio/transcriptions',
  moderations: () => '/v1/moderations',
}

/** A vector is asked for with one content, an answer with all contents of a conversation. */
export const asksForVector = (body: ExampleRequest['body']): boolean => 'content' in body

/** The request as HTTP. */
export function httpRequest({ protocol, body }: ExampleRequest, { baseUrl, secret }: Access) {
  const { model, ...rest } = body
  return {
    url: baseUrl + PATHS[protocol](model, body),
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
    images: { prompt },
    'video-tasks': { content: [{ type: 'text', text: prompt }] },
    embeddings: { input: prompt },
    rerank: { query: prompt, documents: DOCUMENTS },
    speech: { input: prompt, voice: 'alloy' },
    transcriptions: { file: 'audio.mp3' },
    moderations: { input: prompt },
  }
  return { protocol, body: { model, ...bodies[protocol] } }
}

const DOCUMENTS = ['The lamp is lit at dusk.', 'Trains leave every hour.']
