import { expect, test } from 'bun:test'
import { dialectOfPath } from './dialect-of-path.ts'
import type { DialectId } from './dialects/index.ts'

const CASES: [path: string, headers: string[], expected: DialectId][] = [
  ['/v1/chat/completions', [], 'chat'],
  ['/v1/chat/completions?beta=true', ['x-api-key'], 'chat'],
  ['/v1/responses', [], 'responses'],
  ['/v1/responses/resp_1', [], 'responses'],
  ['/v1/images/generations', ['x-api-key'], 'images'],
  ['/v1/images/edits', [], 'images'],
  ['/v1/messages', [], 'messages'],
  ['/v1/messages/count_tokens', ['authorization'], 'messages'],
  ['/v1/models', ['authorization'], 'chat'],
  ['/v1/models', ['x-api-key'], 'chat'],
  ['/v1/models', ['anthropic-version'], 'messages'],
  ['/v1/models?limit=5', ['msg-version'], 'messages'],
  ['/v1/models/demo/messages', [], 'chat'],
  ['/v1/models/demo', ['msg-version'], 'messages'],
  ['/v1beta/models', [], 'generate-content'],
  ['/v1beta/models/m:generateContent', ['x-api-key'], 'generate-content'],
  ['/api/v3/contents/generations/tasks', ['x-api-key'], 'video-tasks'],
  ['/api/v3/contents/generations/tasks/cgt-1', [], 'video-tasks'],
  // No route matches from here on: an extra or missing prefix, or something else entirely.
  ['/v1/v1/chat/completions', [], 'chat'],
  ['/chat/completions', ['authorization'], 'chat'],
  ['/responses', [], 'responses'],
  ['/v1/v1/images/generations', [], 'images'],
  ['/v1/v1/messages', [], 'messages'],
  ['/messages', [], 'messages'],
  ['/v1/v1beta/models/m:generateContent', ['x-goog-api-key'], 'generate-content'],
  ['/models/m:streamGenerateContent?alt=sse', [], 'generate-content'],
  ['/v1/models/m:generateContent', [], 'generate-content'],
  ['/v1/models/m:predictLongRunning', [], 'generate-content'],
  ['/contents/generations/tasks', [], 'video-tasks'],
  ['/v1/api/v3/contents/generations/tasks', [], 'video-tasks'],
  ['/v1alpha/models', [], 'generate-content'],
  ['/v1/embeddings', [], 'chat'],
  ['/v1/complete', ['anthropic-version'], 'messages'],
  ['/v1/complete', ['x-api-key'], 'messages'],
  ['/models', ['x-goog-api-key'], 'generate-content'],
  ['/models', ['x-gen-api-key'], 'generate-content'],
  ['/v1/modelsx', [], 'chat'],
  ['/?x=/messages', [], 'chat'],
  ['', [], 'chat'],
]

test.each(CASES)('%s with %j is %s', (path, names, expected) => {
  const headers = { get: (name: string) => (names.includes(name) ? 'x' : null) }
  expect(dialectOfPath(path, headers)).toBe(expected)
})
