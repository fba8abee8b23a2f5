// Probes tell dead upstreams from healthy ones without a billed request.
import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Upstream } from '../../config/types.ts'
import { standardEndpoint } from '../../config/upstream-kinds.ts'
import { createSend } from '../send.ts'
import { type Probe, probeUpstream } from './probe-upstream.ts'

const asked: string[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname } = new URL(request.url)
    asked.push(`${request.method} ${pathname}`)
    if (pathname.startsWith('/silent')) await new Promise(() => {})
    if (pathname.startsWith('/broken')) return new Response('{}', { status: 500 })
    if (pathname.startsWith('/bare')) return new Response('{}', { status: 404 })
    const isGood = request.headers.get('authorization') === 'Bearer good-key-123456'
    return Response.json(isGood ? { data: [] } : { error: { message: 'no' } }, { status: isGood ? 200 : 401 })
  },
})
const certificate = (name: string) => readFileSync(join(import.meta.dir, '../../../fixtures', `localhost.${name}.pem`))
const secure = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  tls: { cert: certificate('cert'), key: certificate('key') },
  fetch: () => new Response('{}'),
})
afterAll(() => Promise.all([server.stop(true), secure.stop(true)]))

const at = (baseUrl: string, keys: string[]): Upstream => ({
  id: 'up',
  kind: 'custom',
  dialect: 'chat',
  endpoints: [standardEndpoint('chat')],
  baseUrl,
  keys,
  maxConcurrency: undefined,
  proxy: undefined,
  allowPrivate: false,
  sharedObjects: false,
  billsOnAbort: 'nothing',
  timeouts: { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 },
})
const here = `http://127.0.0.1:${server.port}`
const good = ['good-key-123456']

test.each<[string, string, string[], Pick<Probe, 'state'>['state'][], string | null]>([
  ['healthy', `${here}/v1`, good, ['healthy'], null],
  ['one of two keys rejected', `${here}/v1`, [...good, 'bad-key-123456'], ['healthy', 'key rejected'], '(401)'],
  ['no list of models', `${here}/bare/v1`, good, ['reachable'], '(404)'],
  ['an error of its own', `${here}/broken/v1`, good, ['failing'], '(500)'],
  ['connection refused', 'http://127.0.0.1:1/v1', good, ['unreachable'], 'connection refused'],
  ['no such name', 'http://nowhere.invalid/v1', good, ['unreachable'], 'http://nowhere.invalid/v1: '],
  ['an untrusted certificate', `https://127.0.0.1:${secure.port}/v1`, good, ['unreachable'], 'TLS'],
  ['no answer in time', `${here}/silent/v1`, good, ['unreachable'], 'no response within'],
])('%s', async (_, baseUrl, keys, states, note) => {
  const send = createSend(() => Promise.reject(new Error('not the embedded model')))
  const probes = await probeUpstream(send, at(baseUrl, keys), 1_000)
  expect(probes.map(({ state }) => state)).toEqual(states)
  const notes = probes.flatMap((probe) => probe.note ?? [])
  if (note === null) expect(notes).toEqual([])
  else expect(notes.join()).toContain(note)
  expect(JSON.stringify(probes)).not.toContain('key-123456')
  expect(asked.every((each) => each.startsWith('GET ') && each.endsWith('/models'))).toBe(true)
})
