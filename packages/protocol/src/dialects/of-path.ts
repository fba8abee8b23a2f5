// Whose words to fail in. A caller with a wrong base address matches no route, and still has an SDK that can read only
// its own protocol's errors.

import type { DialectId } from './dialect.ts'

type Headers = { get(name: string): string | null }

const ROUTES: [beginning: string, dialect: DialectId][] = [
  ['/v1/chat', 'chat'],
  ['/v1/responses', 'responses'],
  ['/v1/images', 'images'],
  ['/v1/messages', 'messages'],
  ['/v1beta', 'generate-content'],
  ['/api/v3', 'video-tasks'],
]

// Where no route matches, what else the path gives away: a doubled or missing prefix leaves the rest of it readable.
const TRACES: [trace: string, dialect: DialectId][] = [
  ['/chat/completions', 'chat'],
  ['/messages', 'messages'],
  ['v1beta', 'generate-content'],
  ['/v1alpha/', 'generate-content'],
  ['/contents/generations', 'video-tasks'],
  ['/responses', 'responses'],
  ['/images/', 'images'],
]

/** The last resort: which header carries the credential. */
const KEY_HEADERS: [header: string, dialect: DialectId][] = [
  ['x-api-key', 'messages'],
  ['x-goog-api-key', 'generate-content'],
  ['x-gen-api-key', 'generate-content'],
]

const VERB =
  /:(?:generateContent|streamGenerateContent|countTokens|(?:batchE|e)mbedContents?|batchGenerateContent|predict)(?:\/|$)/

export function dialectOfPath(path: string, headers: Headers): DialectId {
  const plain = path.split(/[?#]/, 1)[0] ?? ''
  // `/v1/models/x:generateContent` looks like an entry of the model list, but only one protocol calls such a thing.
  if (VERB.test(plain)) return 'generate-content'
  const isMessages = headers.get('anthropic-version') !== null || headers.get('msg-version') !== null
  if (isUnder(plain, '/v1/models')) return isMessages ? 'messages' : 'chat'
  const route = ROUTES.find(([beginning]) => isUnder(plain, beginning))
  if (route !== undefined) return route[1]
  const trace = TRACES.find(([part]) => plain.includes(part))
  if (trace !== undefined) return trace[1]
  if (isMessages) return 'messages'
  return KEY_HEADERS.find(([name]) => headers.get(name) !== null)?.[1] ?? 'chat'
}

function isUnder(path: string, beginning: string): boolean {
  return path === beginning || path.startsWith(`${beginning}/`)
}
