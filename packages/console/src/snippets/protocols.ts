// By protocol: what follows the URL of the gateway in the base URL of its clients, and the path below that. A base URL that does not
// fit the protocol gets 404. For generate-content the method follows.
import { SERVICE_PATHS } from '@trivium/gateway/endpoints/index.ts'

const SERVED = {
  chat: ['/v1', '/chat/completions'],
  responses: ['/v1', '/responses'],
  messages: ['', '/v1/messages'],
  'generate-content': ['/v1beta', '/models/'],
  completions: ['/v1', SERVICE_PATHS.completions],
  images: ['/v1', '/images/generations'],
  'video-tasks': ['/api/v3', '/contents/generations/tasks'],
  embeddings: ['/v1', SERVICE_PATHS.embeddings],
  embed: ['', '/v2/embed'],
  rerank: ['/v1', SERVICE_PATHS.rerank],
  speech: ['/v1', SERVICE_PATHS.speech],
  transcriptions: ['/v1', SERVICE_PATHS.transcriptions],
  moderations: ['/v1', SERVICE_PATHS.moderations],
} as const

/** As the list of models names them. */
export type Protocol = keyof typeof SERVED
export const PROTOCOLS = Object.keys(SERVED) as readonly Protocol[]

export const isProtocol = (name: string): name is Protocol => Object.hasOwn(SERVED, name)

export const basePath = (protocol: Protocol): string => SERVED[protocol][0]
export const protocolPath = (protocol: Protocol): string => SERVED[protocol].join('')
