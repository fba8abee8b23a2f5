import { expect, test } from 'bun:test'
import { matchApiRoute } from './match.ts'

const route = (method: string, path: string) => ({ method, path })
const match = matchApiRoute([
  route('GET', 'keys/{id}'),
  route('DELETE', 'keys/{id}'),
  route('POST', 'keys/{id}/rotate'),
  route('GET', 'keys/export'),
  route('GET', 'play/{path...}'),
  route('GET', 'play/key'),
])

const found = (method: string, path: string) => {
  const result = match(method, path)
  return 'allow' in result ? result.allow : [result.route.path, result.parameters]
}

test.each<[string, string, unknown]>([
  ['GET', 'keys/7', ['keys/{id}', { id: '7' }]],
  ['HEAD', 'keys/7', ['keys/{id}', { id: '7' }]],
  ['GET', 'keys/a%2Fb', ['keys/{id}', { id: 'a/b' }]],
  ['GET', 'keys/%zz', []],
  ['GET', 'keys/', []],
  ['GET', 'keys', []],
  ['GET', 'keys/7/', []],
  ['GET', '/keys/7', []],
  ['POST', 'keys/7', ['GET', 'DELETE']],
  ['POST', 'keys/7/rotate', ['keys/{id}/rotate', { id: '7' }]],
  ['GET', 'keys/export', ['keys/export', {}]],
  ['DELETE', 'keys/export', ['GET']],
  ['GET', 'play/key', ['play/key', {}]],
  ['GET', 'play/v1/a%2Fb', ['play/{path...}', { path: 'v1/a%2Fb' }]],
  ['GET', 'play', []],
  ['GET', 'toString', []],
])('%s %s', (method, path, expected) => {
  expect(found(method, path)).toEqual(expected as never)
})
