import { describe, expect, test } from 'bun:test'
import { dialectOfPath } from './dialect-of-path.ts'
import { DIALECTS } from './dialects/index.ts'
import { matchRoute, servedPath, sheddableDialect } from './match-route.ts'
import { type CallKind, ROUTES, type Route, type RouteId } from './routes.ts'

const headersOf = (names: readonly string[]) => ({ get: (name: string) => (names.includes(name) ? 'x' : null) })
const GOOG = 'x-goog-api-key'
const M = 'models/m:generateContent'

/** What neither calls a model nor counts its tokens. */
const FREE: readonly CallKind[] = ['tasks', 'stored', 'models', 'usage', 'media', 'console', 'admin', 'status', 'docs']

describe('another API version, called by one of the vendor’s SDKs, is the one that is served', () => {
  test.each([
    ['/v1/models', ''],
    ['/v1/models/m', ''],
    [`/v1/${M}`, ''],
    ['/v1/models/org%2Fm:streamGenerateContent', 'alt=sse'],
    ['/v1alpha/models', 'pageSize=5'],
    ['/v1alpha/models/m:countTokens', ''],
  ])('%s?%s', (path, query) => {
    const served = path.replace(/^\/v1(alpha)?\//, '/v1beta/')
    expect(servedPath(path, query, headersOf([GOOG]))).toBe(served)
    expect(servedPath(path, `${query}&key=sk-x`, headersOf([]))).toBe(served)
  })
})

describe('every other path stays as it is', () => {
  test.each<[path: string, query: string, names: string[]]>([
    // Not that vendor's credential.
    [`/v1/${M}`, '', []],
    [`/v1/${M}`, '', ['x-gen-api-key']],
    [`/v1/${M}`, 'key=', []],
    [`/v1alpha/${M}`, '', ['authorization']],
    ['/v1/models', '', ['authorization']],
    // Another protocol's credential wins where both call the same path.
    ['/v1/models', '', ['authorization', GOOG]],
    ['/v1/models/m', 'key=sk-x', ['authorization']],
    ['/v1/models', '', ['x-api-key', GOOG]],
    ['/v1/models', '', ['anthropic-version', GOOG]],
    // Not this protocol's.
    ['/v1/chat/completions', 'key=sk-x', [GOOG]],
    ['/v1/modelsx', '', [GOOG]],
    ['/v2/models', '', [GOOG]],
    ['/v1beta1/models', '', [GOOG]],
    ['/v1/v1/models', '', [GOOG]],
  ])('%s?%s with %j', (path, query, names) => {
    expect(servedPath(path, query, headersOf(names))).toBe(path)
  })
})

const ALL = Object.entries(ROUTES) as [RouteId, Route][]
const NO_HEADERS = headersOf([])
const filled = (path: string) => path.replace(/\{\w+\}/, 'one-id')

describe.each(ALL)('route %s', (id, route) => {
  const paths = [route.path, ...(route.aliases ?? []).map(({ path }) => path)].map(filled)
  const [path = ''] = paths

  test('is found by its path', () => {
    expect(matchRoute(path)?.methods[route.method]).toBe(id)
    expect(matchRoute(path)?.parameter).toBe(path === route.path ? '' : 'one-id')
  })

  test('is served at its aliases, with the credential of the alias', () => {
    for (const { path: alias, header, query } of route.aliases ?? []) {
      expect(servedPath(filled(alias), '', headersOf([header]))).toBe(path)
      expect(servedPath(filled(alias), `${query}=x`, NO_HEADERS)).toBe(path)
      expect(servedPath(filled(alias), '', NO_HEADERS)).toBe(filled(alias))
    }
  })

  test('is shed as its data says, at every path', () => {
    // Only a POST is ever shed; other methods can be served at the same path.
    if (route.method !== 'POST') expect(route.mayBeShed).toBe(false)
    else expect(paths.map(sheddableDialect)).toEqual(paths.map(() => (route.mayBeShed ? route.dialect : undefined)))
  })

  // An unmarked call of a model would silently be exempt from load shedding.
  test('may be shed if it calls a model or counts its tokens, and has a dialect to be rejected in', () => {
    expect(route.mayBeShed).toBe(!FREE.includes(route.kind))
    if (route.mayBeShed)
      expect([route.method, Object.keys(DIALECTS)]).toEqual(['POST', expect.arrayContaining([route.dialect])])
  })

  test('has its errors in its own dialect', () => {
    if (route.dialect !== undefined) expect(dialectOfPath(path, NO_HEADERS)).toBe(route.dialect)
  })
})

test.each([
  ['/v1/models/a/b', 'GET', 'show-model', 'a/b'],
  ['/v1/models/a:b', 'GET', 'show-model', 'a:b'],
  ['/v1beta/models/org/m:generateContent', 'POST', 'generate-content', 'org/m'],
  ['/v1beta/models/a:b', 'GET', 'show-generate-content-model', 'a:b'],
  ['/v1/usage/a/b', 'GET', 'show-usage', 'a/b'],
  ['/api/v3/contents/generations/tasks', 'GET', 'list-video-tasks', ''],
  ['/api/v3/contents/generations/tasks/cgt-1', 'DELETE', 'delete-video-task', 'cgt-1'],
  ['/ready', 'HEAD', 'ready', ''],
] as const)('%s: %s is %s of %j', (path, method, id, parameter) => {
  expect(matchRoute(path)).toMatchObject({ methods: { [method]: id }, parameter })
})

test.each([
  '/v1/models/',
  '/v1beta/models/',
  '/v1/usage/',
  '/v1/chat',
  '/v1/chat/completions/',
  '/v2/models',
  // Another dialect's verb below this base path, without that vendor's credential.
  '/v1/models/m:generateContent',
  '/v1/models/m:countTokens',
  '/v1alpha/models',
  '/v1alpha/models/m',
  '/api/v3/contents/generations/tasks/',
  '/api/v3/contents/generations/tasks/a/b',
])('nothing is served at %s', (path) => {
  expect(matchRoute(path)).toBeUndefined()
})

test('what may be shed is decided by the path alone, before headers are read', () => {
  const calls = ['/v1/models/m:generateContent', '/v1alpha/models/m:streamGenerateContent']
  expect(calls.map(sheddableDialect)).toEqual(['generate-content', 'generate-content'])
  const others = ['/v1/models/m', '/v1/usage/m:generateContent', '/v1beta/models/m', '/v1/messages/batches']
  expect(others.map(sheddableDialect)).toEqual(others.map(() => undefined))
})
