// Where each protocol is served, and a small request in it.

import type { Access, ExampleRequest, Protocol } from './types.ts'

export const PROTOCOLS: readonly Protocol[] = [
  'chat',
  'responses',
  'messages',
  'generate-content',
  'images',
  'video-tasks',
]

export const isProtocol = (name: string): name is Protocol => (PROTOCOLS as readonly string[]).includes(name)

const BASES: Readonly<Record<Protocol, string>> = {
  chat: '/v1',
  responses: '/v1',
  messages: '',
  'generate-content': '/v1beta',
  images: '/v1',
  'video-tasks': '/api/v3',
}

/** The base URL of a protocol. One that does not fit the protocol gets 404. */
export const protocolBase = (protocol: Protocol, baseUrl: string): string => baseUrl + BASES[protocol]

const PATHS: Readonly<Record<Protocol, (model: string) => string>> = {
  chat: () => '/v1/chat/completions',
  responses: () => '/v1/responses',
  messages: () => '/v1/messages',
  'generate-content': (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
  images: () => '/v1/images/generations',
  'video-tasks': () => '/api/v3/contents/generations/tasks',
}

/** The request as HTTP. */
export function httpRequest({ protocol, body }: ExampleRequest, { baseUrl, secret }: Access) {
  const { model, ...rest } = body
  return {
    url: baseUrl + PATHS[protocol](model),
    headers: { ...credential(protocol, secret), 'Content-Type': 'application/json' },
    body: protocol === 'generate-content' ? rest : body,
  }
}

function credential(protocol: Protocol, secret: string): Record<string, string> {
  if (protocol === 'messages') return { 'x-api-key': secret, 'anthropic-version': '2023-06-01' }
  if (protocol === 'generate-content') return { 'x-goog-api-key': secret }
  return { Authorization: `Bearer ${secret}` }
}

/** The shortest useful request. `isImage`: to an image model, which `generate-content` asks for an image. */
export function exampleRequest(protocol: Protocol, model: string, prompt: string, isImage = false): ExampleRequest {
  const messages = [{ role: 'user', content: prompt }]
  const bodies: Readonly<Record<Protocol, Record<string, unknown>>> = {
    chat: { messages },
    responses: { input: prompt },
    messages: { max_tokens: 500, messages },
    'generate-content': {
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      ...(isImage ? { generationConfig: { responseModalities: ['IMAGE'] } } : {}),
    },
    images: { prompt },
    'video-tasks': { content: [{ type: 'text', text: prompt }] },
  }
  return { protocol, body: { model, ...bodies[protocol] } }
}
