// Image upstreams that answer as this test says: usage over several calls, images as data URLs, and hostile URLs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { edit, formOf, generate, pngOf } from '../support/requests/images.ts'

type Seen = { path: string; contentType: string; body: string }
let seen: Seen[] = []
let answer: (call: number) => object | Response
let png: Uint8Array<ArrayBuffer>
let base64: string
let upstream: Server<undefined>
let gateway: Gateway

beforeAll(async () => {
  png = await pngOf(1024, 1024)
  base64 = Buffer.from(png).toString('base64')
  upstream = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/image.png') return new Response(png)
      if (pathname === '/redirect') return Response.redirect('http://127.0.0.1:1/')
      const contentType = request.headers.get('content-type') ?? ''
      seen.push({ path: pathname, contentType, body: await request.text() })
      const given = answer(seen.length)
      return given instanceof Response ? given : Response.json(given)
    },
  })
  const at = upstream.url.origin
  const keys = 'keys: [upstream-key-123], breaker: false'
  const tokens = 'price: { input: 5, image_input: 8, image_output: 30, output: 10 }'
  gateway = await startGateway({
    config: `upstreams:
  - { id: gemini, dialect: generate-content, base_url: "${at}/v1beta", ${keys} }
  - { id: responses, dialect: responses, base_url: "${at}/v1", ${keys} }
  - { id: images, dialect: images, base_url: "${at}/v1", ${keys} }
  - { id: ark, kind: ark, base_url: "${at}/api/v3", ${keys} }
models:
  - { id: nano, type: image, ${tokens}, routes: [{ upstream: gemini, model: nano-1 }] }
  - { id: tool, type: image, ${tokens}, routes: [{ upstream: responses, model: gpt-1 }] }
  - { id: linked, type: image, price: { per_image: 0.04 }, routes: [{ upstream: images, model: dall-e }] }
  - { id: seed, type: image, price: { per_image: 0.04 }, routes: [{ upstream: ark, model: seedream-4 }] }
`,
  })
})
beforeEach(() => {
  seen = []
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
  await upstream.stop(true)
})

type Reply = { data: { b64_json?: string; url?: string }[]; usage?: object; error?: { code: string } }
const replyOf = async (response: Response) => (await response.json()) as Reply

const inline = (data: string, usageMetadata: object) => ({
  candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] }, finishReason: 'STOP' }],
  usageMetadata,
})
const generated = () =>
  inline(base64, {
    ...{ promptTokenCount: 10, candidatesTokenCount: 1_290, totalTokenCount: 1_300 },
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
  })
const called = () => ({
  ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-1' },
  output: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: base64, size: '1024x1024' }],
  usage: { input_tokens: 20, output_tokens: 100, total_tokens: 120 },
})

test.each([
  ['generate-content', 'nano', generated, { input_tokens: 30, output_tokens: 3_870 }, '/v1beta/models/nano-1:'],
  ['responses', 'tool', called, { input_tokens: 60, output_tokens: 300 }, '/v1/responses'],
])('the usage of several calls to %s is summed', async (_, model, reply, usage, path) => {
  answer = reply
  const { secret, settled } = await newKey(gateway)
  const response = await generate(gateway.url, secret, { model, prompt: 'a cat', n: 3 })
  const body = await replyOf(response)
  expect(body).toMatchObject({ usage, data: Array(3).fill({ b64_json: base64 }) })
  expect(seen.map((call) => call.path.startsWith(path))).toEqual([true, true, true])
  const [row] = await settled()
  expect(Number(row?.held_usd)).toBeGreaterThanOrEqual(Number(row?.cost_usd))
  expect(Number(row?.cost_usd)).toBeGreaterThan(0)
  if (model === 'nano') expect(row?.cost_usd).toBe('0.11625')
})

test.each(['nano', 'tool'])('what %s made before a later call failed is delivered and charged', async (model) => {
  const reply = model === 'nano' ? generated : called
  answer = (call) => (call < 3 ? reply() : new Response('{}', { status: 500 }))
  const { secret, settled } = await newKey(gateway)
  const response = await generate(gateway.url, secret, { model, prompt: 'a cat', n: 4 })
  expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, 'n;partial'])
  expect((await replyOf(response)).data).toHaveLength(2)
  expect(await settled()).toMatchObject([{ ending: 'completed' }])
  expect(seen).toHaveLength(3)
})

describe('images to edit as data URLs, at the path of generations', () => {
  const made = () => ({ created: 1, data: [{ b64_json: base64, size: '1024x1024' }] })
  test.each([1, 2])('%i of them', async (count) => {
    answer = made
    const { secret, settled } = await newKey(gateway)
    const image = await pngOf(64, 32)
    const files = Array.from({ length: count }, () => ['image[]', image] as const)
    const fields = [
      ['model', 'seed'],
      ['prompt', 'a hat'],
      ['watermark', 'false'],
    ] as const
    const response = await edit(gateway.url, secret, formOf([...fields, ...files]))
    expect([response.status, (await replyOf(response)).data]).toEqual([
      200,
      [{ b64_json: base64, size: '1024x1024' }],
    ] as never)
    const url = `data:image/png;base64,${Buffer.from(image).toString('base64')}`
    const [{ path, contentType, body } = { path: '', contentType: '', body: '{}' }] = seen
    expect([path, contentType]).toEqual(['/api/v3/images/generations', 'application/json'])
    expect(JSON.parse(body)).toEqual({
      ...{ model: 'seedream-4', prompt: 'a hat', response_format: 'b64_json', watermark: false },
      image: count === 1 ? url : [url, url],
    })
    expect(await settled()).toMatchObject([{ ending: 'completed', cost_usd: '0.04' }])
  })

  test('a mask is rejected', async () => {
    answer = made
    const { secret, rows } = await newKey(gateway)
    const image = await pngOf(64, 32)
    const form = formOf([
      ['model', 'seed'],
      ['prompt', 'a hat'],
      ['image', image],
      ['mask', image],
    ])
    const response = await edit(gateway.url, secret, form)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('"param":"mask"')])
    expect([await rows(), seen]).toEqual([[], []])
  })
})

describe('the URL of an upstream', () => {
  const linked = (url: string) => () => ({ created: 1, data: [{ url }] })
  const ask = async (format?: string) => {
    const { secret, settled } = await newKey(gateway)
    const more = format === undefined ? {} : { response_format: format }
    return { response: await generate(gateway.url, secret, { model: 'linked', prompt: 'a cat', ...more }), settled }
  }

  test.each(['b64_json', 'url'])('at its own host is fetched for %s', async (format) => {
    answer = linked(`${upstream.url.origin}/image.png`)
    const { response, settled } = await ask(format)
    const [image] = (await replyOf(response)).data
    if (format === 'b64_json') expect(image).toEqual({ b64_json: base64 })
    else {
      expect(Object.keys(image ?? {})).toEqual(['url'])
      expect(image?.url).toStartWith(`${gateway.url}/media/`)
      expect(Buffer.compare(png, await fetch(image?.url ?? '').then((download) => download.bytes()))).toBe(0)
    }
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ response_format: 'b64_json' })
    expect(await settled()).toMatchObject([{ ending: 'completed', cost_usd: '0.04' }])
  })

  test.each([
    ['another port of its host', () => gateway.url],
    ['the metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a private address', () => 'http://10.0.0.1/a.png'],
    ['localhost by another name', () => upstream.url.href.replace('127.0.0.1', 'localhost')],
    ['a number for an address', () => upstream.url.href.replace('127.0.0.1', '2130706433')],
    ['a file', () => 'file:///etc/passwd'],
    ['credentials before the host', () => upstream.url.href.replace('//', '//user@')],
    ['a redirect', () => `${upstream.url.origin}/redirect`],
    ['a page that is no image', () => `${upstream.url.origin}/page`],
    ['nothing', () => ''],
  ])('that leads to %s is not fetched, and free', async (_, url) => {
    answer = linked(url())
    for (const format of ['b64_json', 'url']) {
      const { response, settled } = await ask(format)
      const text = await response.text()
      expect([response.status, text.includes('169.254') || text.includes('passwd')]).toEqual([502, false])
      expect(await settled()).toMatchObject([{ ending: 'failed', cost_usd: '0.00' }])
    }
  })
})
