// Lists of models as vendors send them, over real sockets: pages, other shapes, endless ones, errors.
import { afterAll, expect, test } from 'bun:test'
import { assemble } from '../../config/assemble.ts'
import type { Upstream } from '../../config/types.ts'
import { BUILT_IN } from '../../server/config.ts'
import { createSend } from '../send.ts'
import { listUpstreamModels } from './list-models.ts'

const asked: string[] = []
const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => ({ id: `m${from + index}` }))
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname, searchParams: query } = new URL(request.url)
    asked.push(pathname + new URL(request.url).search)
    const [, word] = pathname.split('/')
    const after = Number(query.get('after_id')?.slice(1) ?? query.get('pageToken') ?? 0)
    switch (word) {
      case 'messages':
        return Response.json({ data: ids(after + 1, 2), has_more: after < 3, last_id: `m${after + 2}` })
      case 'google':
        return Response.json({
          models: [{ name: `models/g${after}` }],
          ...(after < 2 ? { nextPageToken: String(after + 1) } : {}),
        })
      case 'endless':
        return Response.json({ data: ids(after + 1, 1_000), has_more: true, last_id: `m${after + 1_000}` })
      case 'bare':
        return Response.json([{ id: 'a' }, { id: 'a' }, { id: 7 }, 'x', { name: 'b' }])
      case 'large':
        return new Response(`{"data":[{"id":"${'x'.repeat(9 * 1024 * 1024)}"}]}`)
      case 'page':
        return new Response('<p>welcome</p>')
      case 'silent':
        return await new Promise<Response>(() => {})
      default:
        return Response.json({ error: { message: 'no' } }, { status: Number(word) })
    }
  },
})
afterAll(() => server.stop(true))

function upstreamOf(more: string): Upstream {
  const { config, mistakes } = assemble(
    { source: `upstreams: [{ id: up, keys: [k], ${more} }]`, file: 'f', env: {} },
    BUILT_IN,
  )
  const upstream = config?.upstreams.get('up')
  if (!upstream) throw new Error(JSON.stringify(mistakes))
  return upstream
}

const at = (word: string, end = '/v1') => `base_url: "http://127.0.0.1:${server.port}/${word}${end}"`
const list = (more: string, timeoutMs?: number) =>
  listUpstreamModels(
    createSend(() => Promise.reject(new Error('not embedded'))),
    upstreamOf(more),
    timeoutMs,
  )

test.each<[string, string, string[], string[]]>([
  [
    'pages by the last id',
    `kind: anthropic, ${at('messages', '')}`,
    ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'],
    ['?limit=1000', '?limit=1000&after_id=m2', '?limit=1000&after_id=m4'].map((query) => `/messages/v1/models${query}`),
  ],
  [
    'pages by a token, with prefixed names',
    `kind: gemini, ${at('google', '/v1beta')}`,
    ['g0', 'g1', 'g2'],
    ['', '&pageToken=1', '&pageToken=2'].map((query) => `/google/v1beta/models?pageSize=1000${query}`),
  ],
  ['a bare array with nonsense in it', `dialect: chat, ${at('bare')}`, ['a', 'b'], ['/bare/v1/models']],
])('%s', async (_, more, models, paths) => {
  asked.length = 0
  expect(await list(more)).toEqual({ models, isComplete: true, baseModels: new Map() })
  expect(asked).toEqual(paths)
})

test('a list without an end is cut', async () => {
  const listed = await list(`dialect: messages, ${at('endless', '')}`)
  expect(listed).toMatchObject({ isComplete: false })
  expect('models' in listed && listed.models.length).toBe(5_000)
})

test.each([
  ['404', 404, /does not exist/],
  ['401', 401, /key was rejected/],
  ['page', 200, /does not answer with a list of models/],
  ['large', 200, /./],
  ['silent', null, /no response within/],
])('a server that answers %s', async (word, status, problem) => {
  const listed = await list(`dialect: chat, ${at(word)}`, word === 'silent' ? 200 : undefined)
  expect(listed).toEqual({ status, problem: expect.stringMatching(problem) })
})
