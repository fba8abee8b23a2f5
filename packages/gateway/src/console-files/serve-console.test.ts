// What the console's files are served as, and what is said while or if there are none.
import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { testHeaders, testRequest } from '../../../http/test-support/serve.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { Bundle } from './bundle.ts'
import { createConsoleFiles } from './serve-console.ts'

const file = (text: string) => ({ brotli: Buffer.from(`br ${text}`), gzip: gzipSync(text) })
const BUNDLE: Bundle = new Map([
  ['index.html', file('page {{assets}}<!-- preloads -->')],
  ['main-abc.js', file('script')],
  ['main-def.css', file('style')],
])

async function get(
  path: string,
  encoding = '',
  open = async () => BUNDLE,
  failures: unknown[] = [],
  target = `/console/${path}`,
) {
  const files = createConsoleFiles({
    open,
    failed: (error) => void failures.push(error),
    mediaOrigin: () => 'https://media.example',
  })
  const incoming = { http: testRequest(target, { 'accept-encoding': encoding }), responseHeaders: testHeaders() }
  const { status, headers, body } = await files.serve(path, incoming as ApiRequest)
  return { status, headers, text: new TextDecoder().decode(body as Uint8Array) }
}

test.each([
  ['', 'page assets/', 'text/html; charset=utf-8', 'no-store'],
  ['keys', 'page assets/', 'text/html; charset=utf-8', 'no-store'],
  ['models/a%2Fb.js', 'page ../assets/', 'text/html; charset=utf-8', 'no-store'],
  ['assets/main-abc.js', 'script', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
  ['assets/main-def.css', 'style', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
])('/console/%s', async (path, text, type, caching) => {
  const answer = await get(path)
  const header = (name: string) => answer.headers.get(name)
  expect([answer.status, answer.text, header('content-type'), header('cache-control')]).toEqual([
    200,
    text,
    type,
    caching,
  ])
  expect([header('x-content-type-options'), header('referrer-policy')]).toEqual(['nosniff', 'same-origin'])
  expect(header('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; " +
      "img-src 'self' data: blob: https://media.example; media-src 'self' data: blob: https://media.example; " +
      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
})

test('the page without a slash at the end', async () => {
  expect((await get('', '', undefined, [], '/console?next=/a/b')).text).toBe('page ./console/assets/')
})

test.each([
  ['br, gzip', 'br'],
  ['gzip, deflate, br;q=0.5', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['BR;q=0.0, GZIP', 'gzip'],
  ['identity', null],
  ['brotli', null],
  ['', null],
])('accept-encoding: %s', async (accepted, expected) => {
  const { headers, text } = await get('assets/main-abc.js', accepted)
  expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([expected, 'accept-encoding'])
  expect(text === 'script').toBe(expected === null)
  expect(text === 'br script').toBe(expected === 'br')
})

test.each(['assets/other.js', 'assets/', 'assets/../index.html', 'assets/index.html.gz'])('no file: %s', (path) => {
  expect(get(path)).rejects.toThrow('The console has no file')
})

test.each([
  ['', ['o.js']],
  ['wallet', ['w.js']],
  ['wallet/2026-01', ['w.js']],
  ['operate', ['p.js', 'q.js']],
  ['operate/keys', ['p.js', 'q.js', 'k.js']],
  ['toString', []],
])('/console/%s names the scripts of its page', async (path, scripts) => {
  const byPage = { overview: ['o.js'], wallet: ['w.js'], operate: ['p.js', 'q.js'], 'operate/keys': ['q.js', 'k.js'] }
  const { text } = await get(
    path,
    '',
    async () => new Map([...BUNDLE, ['preloads.json', file(JSON.stringify(byPage))]]),
  )
  expect(
    [...text.matchAll(/<link rel="modulepreload" href="[./]*assets\/([\w.]+)" \/>/g)].map(([, name]) => name ?? ''),
  ).toEqual(scripts)
})

describe('no bundle', () => {
  test('the page says so plainly; the reason is reported once', async () => {
    const failures: unknown[] = []
    let tries = 0
    const open = async () => {
      tries++
      throw new Error('main.tsx:1')
    }
    const files = createConsoleFiles({
      open,
      failed: (error) => void failures.push(error),
      mediaOrigin: () => undefined,
    })
    for (const path of ['', 'assets/main-abc.js']) {
      const incoming = { http: testRequest('/'), responseHeaders: testHeaders() } as ApiRequest
      const { status, headers, body } = await files.serve(path, incoming)
      expect([status, headers.get('content-type')]).toEqual([503, 'text/plain; charset=utf-8'])
      expect(new TextDecoder().decode(body as Uint8Array)).toContain('the log of the gateway has the reason')
    }
    expect([failures.length, tries]).toEqual([1, 1])
  })

  test('a request during bundling waits for it', async () => {
    const { promise, resolve } = Promise.withResolvers<Bundle>()
    const answer = get('', '', () => promise)
    await Bun.sleep(5)
    resolve(BUNDLE)
    expect((await answer).status).toBe(200)
  })
})
