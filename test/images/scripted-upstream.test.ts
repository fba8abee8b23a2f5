// Image upstreams that answer as this test says: usage over several calls, images as data URLs, hostile URLs and what is no image.
import { describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { edit, formOf, generate, pngOf } from '../support/requests/images.ts'
import { called, generated, replyOf, useScriptedImages } from '../support/upstreams/scripted-images.ts'

const scripted = useScriptedImages()

test.each([
  [
    'generate-content',
    'nano',
    () => generated(scripted),
    { input_tokens: 30, output_tokens: 3_870 },
    '/v1beta/models/nano-1:',
  ],
  ['responses', 'tool', () => called(scripted), { input_tokens: 60, output_tokens: 300 }, '/v1/responses'],
])('the usage of several calls to %s is summed', async (_, model, reply, usage, path) => {
  scripted.answer = reply
  const { secret, settled } = await newKey(scripted.gateway)
  const response = await generate(scripted.gateway.url, secret, { model, prompt: 'a cat', n: 3 })
  const body = await replyOf(response)
  expect(body).toMatchObject({ usage, data: Array(3).fill({ b64_json: scripted.base64 }) })
  expect(scripted.seen.map((call) => call.path.startsWith(path))).toEqual([true, true, true])
  const [row] = await settled()
  expect(Number(row?.held_usd)).toBeGreaterThanOrEqual(Number(row?.cost_usd))
  expect(Number(row?.cost_usd)).toBeGreaterThan(0)
  if (model === 'nano') expect(row?.cost_usd).toBe('0.11625')
})

test.each(['nano', 'tool'])('what %s made before a later call failed is delivered and charged', async (model) => {
  const reply = () => (model === 'nano' ? generated(scripted) : called(scripted))
  scripted.answer = (call) => (call < 3 ? reply() : new Response('{}', { status: 500 }))
  const { secret, settled } = await newKey(scripted.gateway)
  const response = await generate(scripted.gateway.url, secret, { model, prompt: 'a cat', n: 4 })
  expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, 'n;partial'])
  expect((await replyOf(response)).data).toHaveLength(2)
  expect(await settled()).toMatchObject([{ outcome: 'completed' }])
  expect(scripted.seen).toHaveLength(3)
})

describe('images to edit as data URLs, at the path of generations', () => {
  const made = () => ({ created: 1, data: [{ b64_json: scripted.base64, size: '1024x1024' }] })
  test.each([1, 2])('%i of them', async (count) => {
    scripted.answer = made
    const { secret, settled } = await newKey(scripted.gateway)
    const image = await pngOf(64, 32)
    const files = Array.from({ length: count }, () => ['image[]', image] as const)
    const fields = [
      ['model', 'seed'],
      ['prompt', 'a hat'],
      ['watermark', 'false'],
    ] as const
    const response = await edit(scripted.gateway.url, secret, formOf([...fields, ...files]))
    expect([response.status, (await replyOf(response)).data]).toEqual([
      200,
      [{ b64_json: scripted.base64, size: '1024x1024' }],
    ] as never)
    const url = `data:image/png;base64,${Buffer.from(image).toString('base64')}`
    const [{ path, contentType, body } = { path: '', contentType: '', body: '{}' }] = scripted.seen
    expect([path, contentType]).toEqual(['/api/v3/images/generations', 'application/json'])
    expect(JSON.parse(body)).toEqual({
      model: 'seedream-4',
      prompt: 'a hat',
      response_format: 'b64_json',
      watermark: false,
      image: count === 1 ? url : [url, url],
    })
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.04' }])
  })

  test('a mask is rejected', async () => {
    scripted.answer = made
    const { secret, rows } = await newKey(scripted.gateway)
    const image = await pngOf(64, 32)
    const form = formOf([
      ['model', 'seed'],
      ['prompt', 'a hat'],
      ['image', image],
      ['mask', image],
    ])
    const response = await edit(scripted.gateway.url, secret, form)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('"param":"mask"')])
    expect([await rows(), scripted.seen]).toEqual([[], []])
  })
})

describe('the URL of an upstream', () => {
  const linked = (url: string) => () => ({ created: 1, data: [{ url }] })
  const ask = async (format?: string) => {
    const { secret, settled } = await newKey(scripted.gateway)
    const more = format === undefined ? {} : { response_format: format }
    return {
      response: await generate(scripted.gateway.url, secret, { model: 'linked', prompt: 'a cat', ...more }),
      settled,
    }
  }

  test.each(['b64_json', 'url'])('at its own host is fetched for %s', async (format) => {
    scripted.answer = linked(`${scripted.upstream.url.origin}/image.png`)
    const { response, settled } = await ask(format)
    const [image] = (await replyOf(response)).data
    if (format === 'b64_json') expect(image).toEqual({ b64_json: scripted.base64 })
    else {
      expect(Object.keys(image ?? {})).toEqual(['url'])
      expect(image?.url).toStartWith(`${scripted.gateway.url}/media/`)
      expect(Buffer.compare(scripted.png, await fetch(image?.url ?? '').then((download) => download.bytes()))).toBe(0)
    }
    expect(JSON.parse(scripted.seen[0]?.body ?? '')).toMatchObject({ response_format: 'b64_json' })
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.04' }])
  })

  test.each([
    ['another port of its host', () => scripted.gateway.url],
    ['the metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a private address', () => 'http://10.0.0.1/a.png'],
    ['localhost by another name', () => scripted.upstream.url.href.replace('127.0.0.1', 'localhost')],
    ['a number for an address', () => scripted.upstream.url.href.replace('127.0.0.1', '2130706433')],
    ['a file', () => 'file:///etc/passwd'],
    ['credentials before the host', () => scripted.upstream.url.href.replace('//', '//user@')],
    ['a redirect', () => `${scripted.upstream.url.origin}/redirect`],
    ['a page that is no image', () => `${scripted.upstream.url.origin}/page`],
    ['nothing', () => ''],
  ])('that leads to %s is not fetched, and free', async (_, url) => {
    scripted.answer = linked(url())
    for (const format of ['b64_json', 'url']) {
      const { response, settled } = await ask(format)
      const text = await response.text()
      expect([response.status, text.includes('169.254') || text.includes('passwd')]).toEqual([502, false])
      expect(await settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
    }
  })
})

describe('something that is no image is free, and not delivered', () => {
  const event = (b64_json: string) =>
    `event: image_generation.completed\ndata: ${JSON.stringify({ type: 'image_generation.completed', b64_json })}\n\n`
  test.each([
    ['no base64', '!!!! not base64 %%%%'],
    ['a text', Buffer.from('hello').toString('base64')],
    ['a page', Buffer.from('<html>sorry</html>').toString('base64')],
    ['the first bytes of an image', 'iVBORw0KGgo='],
  ])('%s', async (_, b64_json) => {
    for (const format of ['url', 'b64_json'])
      for (const stream of [false, true]) {
        scripted.answer = () =>
          stream
            ? new Response(event(b64_json), { headers: { 'content-type': 'text/event-stream' } })
            : { created: 1, data: [{ b64_json }] }
        const { secret, settled } = await newKey(scripted.gateway)
        const fields = { model: 'linked', prompt: 'a cat', response_format: format, stream }
        const response = await generate(scripted.gateway.url, secret, fields)
        expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('not an image')])
        expect(await settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
      }
  })

  test('beside images, which are delivered and charged', async () => {
    scripted.answer = () => ({ created: 1, data: [{ b64_json: 'aGVsbG8=' }, { b64_json: scripted.base64 }] })
    const { secret, settled } = await newKey(scripted.gateway)
    const response = await generate(scripted.gateway.url, secret, { model: 'linked', prompt: 'a cat', n: 2 })
    expect(response.headers.get('x-trivium-warnings')).toBe('n;partial')
    expect((await replyOf(response)).data).toEqual([{ b64_json: scripted.base64 }])
    expect(await settled()).toMatchObject([{ cost_usd: '0.04' }])
  })
})

test('a URL that trickles ends with the time for the upstream', async () => {
  scripted.answer = () => ({ created: 1, data: [{ url: `${scripted.upstream.url.origin}/trickle.png` }] })
  const { secret, settled } = await newKey(scripted.gateway)
  const response = await generate(scripted.gateway.url, secret, { model: 'late', prompt: 'a cat' })
  expect([response.status, await response.text()]).toEqual([504, expect.stringContaining('in time')])
  expect(await settled()).toMatchObject([{ cost_usd: '0.00' }])
})
