// Images of an upstream of kind ark: series, resolutions, and the images API that its SDKs call.
import { describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { edit, formOf, generate, pngOf } from '../support/requests/images.ts'
import { arkImages, replyOf, useScriptedImages } from '../support/upstreams/scripted-images.ts'

const scripted = useScriptedImages()

describe('a series of images', () => {
  const series = (max_images: number) => ({
    sequential_image_generation: 'auto',
    sequential_image_generation_options: { max_images },
  })

  test.each<[name: string, most: number | undefined, made: number, delivered: number]>([
    ['all of them', 3, 3, 3],
    ['fewer', 5, 2, 2],
    ['more than asked for', 2, 4, 2],
    ['as many as the vendor makes by itself', undefined, 15, 15],
  ])('%s', async (_, most, made, delivered) => {
    scripted.answer = () => arkImages(scripted, made)
    const fields = most === undefined ? { sequential_image_generation: 'auto' } : series(most)
    for (const stream of [false, true]) {
      scripted.seen = []
      const { secret, settled } = await newKey(scripted.gateway)
      const response = await generate(scripted.gateway.url, secret, {
        model: 'seed',
        prompt: 'a cat',
        stream,
        ...fields,
      })
      const text = await response.text()
      expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, null])
      expect(text.match(/"b64_json":"iVBOR/g) ?? []).toHaveLength(delivered)
      expect(scripted.seen).toHaveLength(1)
      expect(scripted.sent()).toEqual({
        model: 'seedream-4',
        prompt: 'a cat',
        response_format: 'b64_json',
        ...series(most ?? 15),
        ...(stream ? {} : { stream }),
      })
      const [row] = await settled()
      expect(row).toMatchObject({ cost_usd: usd(4 * delivered), held_usd: usd(4 * (most ?? 15)) })
      expect(row?.receipt?.units).toEqual({ images: delivered })
    }
  })

  const usd = (cents: number) => (cents / 100).toFixed(2)

  test('by a form', async () => {
    scripted.answer = () => arkImages(scripted, 2)
    const { secret, settled } = await newKey(scripted.gateway)
    const form = formOf([
      ...([
        ['model', 'seed'],
        ['prompt', 'a hat'],
        ['sequential_image_generation', 'auto'],
      ] as const),
      ['sequential_image_generation_options', '{"max_images":2}'],
      ['image', await pngOf(64, 32)],
    ])
    const response = await edit(scripted.gateway.url, secret, form)
    expect((await replyOf(response)).data).toHaveLength(2)
    expect(scripted.sent()).toMatchObject(series(2))
    expect(await settled()).toMatchObject([{ cost_usd: '0.08', held_usd: '0.08' }])
  })

  test('that the balance does not cover is not begun', async () => {
    const { secret, rows } = await newKey(scripted.gateway, '0.1')
    const response = await generate(scripted.gateway.url, secret, { model: 'seed', prompt: 'a cat', ...series(3) })
    expect([response.status, scripted.seen.length, await rows()]).toEqual([402, 0, []])
  })

  test('has no more images than the model allows', async () => {
    scripted.answer = () => arkImages(scripted, 4)
    const { secret, settled } = await newKey(scripted.gateway)
    const ask = (fields: object) =>
      generate(scripted.gateway.url, secret, { model: 'sized', prompt: 'a cat', ...fields })
    const rejected = await ask(series(5))
    expect([rejected.status, await rejected.text()]).toEqual([400, expect.stringContaining('max_images')])
    expect((await replyOf(await ask({ sequential_image_generation: 'auto' }))).data).toHaveLength(4)
    expect(scripted.sent()).toMatchObject(series(4))
    expect(await settled()).toMatchObject([{ cost_usd: '0.12' }])
  })

  test('is not asked from an upstream that cannot make it', async () => {
    scripted.answer = () => ({ created: 1, data: [{ b64_json: scripted.base64 }, { b64_json: scripted.base64 }] })
    const { secret, settled } = await newKey(scripted.gateway)
    const fields = { model: 'linked', prompt: 'a cat', ...series(3), num_images: 4, tools: [{ type: 'web_search' }] }
    const response = await generate(scripted.gateway.url, secret, fields)
    const warnings = 'sequential_image_generation;no-price, num_images;no-price, tools;no-price'
    expect(response.headers.get('x-trivium-warnings')).toBe(warnings)
    expect((await replyOf(response)).data).toHaveLength(1)
    expect(scripted.sent()).toEqual({ model: 'dall-e', prompt: 'a cat', response_format: 'b64_json' })
    expect(await settled()).toMatchObject([{ cost_usd: '0.04', held_usd: '0.04' }])
  })
})

test('what the service does not have is left out and named, and n is as many calls', async () => {
  scripted.answer = () => arkImages(scripted, 1)
  const { secret } = await newKey(scripted.gateway)
  const fields = { n: 2, user: 'ada', moderation: 'low', quality: 'high', stream: true, partial_images: 2, seed: 7 }
  const response = await generate(scripted.gateway.url, secret, { model: 'seed', prompt: 'a cat', ...fields })
  expect(response.headers.get('x-trivium-warnings')?.split(', ').sort()).toEqual([
    'moderation;dropped',
    'partial_images;dropped',
    'quality;dropped',
    'user;dropped',
  ])
  expect((await response.text()).match(/image_generation.completed"/g)).toHaveLength(2)
  for (const call of [0, 1])
    expect(scripted.sent(call)).toEqual({ model: 'seedream-4', prompt: 'a cat', response_format: 'b64_json', seed: 7 })
})

describe('resolutions', () => {
  test.each<[size: string, made: string, held: string, cost: string]>([
    ['2K', '2048x2048', '0.04', '0.04'],
    ['2K', '2848x1600', '0.04', '0.04'],
    ['4K', '4096x4096', '0.08', '0.08'],
    // The caller does not pay for more than was asked for.
    ['2K', '4096x4096', '0.04', '0.04'],
    ['1K', '1024x1024', '0.08', '0.03'],
    ['adaptive', '1024x1024', '0.08', '0.03'],
    ['adaptive', '5504x3040', '0.08', '0.08'],
    ['4096x4096', '4096x4096', '0.08', '0.08'],
    ['2848x1600', '2848x1600', '0.04', '0.04'],
    ['3072x3072', '3072x3072', '0.05', '0.05'],
  ])('%s that comes as %s', async (size, made, held, cost) => {
    scripted.answer = () => ({ created: 1, size: made, data: [{ b64_json: scripted.base64 }] })
    const { secret, settled } = await newKey(scripted.gateway)
    const response = await generate(scripted.gateway.url, secret, { model: 'sized', prompt: 'a cat', size })
    expect([response.status, scripted.sent().size]).toEqual([200, size])
    expect(await settled()).toMatchObject([{ held_usd: held, cost_usd: cost }])
  })

  test('beside another field that decides the size: what came is charged', async () => {
    scripted.answer = () => ({ created: 1, size: '4096x4096', data: [{ b64_json: scripted.base64 }] })
    for (const fields of [{ width: 4096, height: 4096 }, { resolution: '4K' }]) {
      const { secret, settled } = await newKey(scripted.gateway)
      const request = { model: 'sized', prompt: 'a cat', size: '2K', ...fields }
      expect((await generate(scripted.gateway.url, secret, request)).status).toBe(200)
      expect(await settled()).toMatchObject([{ held_usd: '0.08', cost_usd: '0.08' }])
    }
  })

  test('that the model does not have', async () => {
    const { secret } = await newKey(scripted.gateway)
    const response = await generate(scripted.gateway.url, secret, { model: 'sized', prompt: 'a cat', size: '3K' })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('1K, 2K, 4K, adaptive')])
  })
})

describe('POST /api/v3/images/generations', () => {
  const post = (secret: string, body: object) =>
    fetch(`${scripted.gateway.url}/api/v3/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const REQUEST = { model: 'seed', prompt: 'a cat', size: '2K', watermark: false }

  test('answers as the SDKs of this dialect expect it, with URLs by default', async () => {
    scripted.answer = () => arkImages(scripted, 1)
    const { secret, settled } = await newKey(scripted.gateway)
    const response = await post(secret, { ...REQUEST, image: null, sequential_image_generation: null })
    const reply = (await response.json()) as { data: { url: string }[] }
    expect(reply as object).toEqual({
      model: 'seed',
      created: 1,
      data: [{ url: expect.stringContaining(`${scripted.gateway.url}/media/`), size: '1024x1024' }],
      usage: { generated_images: 1, output_tokens: 4_096, total_tokens: 4_096 },
    })
    expect(
      Buffer.compare(scripted.png, await fetch(reply.data[0]?.url ?? '').then((download) => download.bytes())),
    ).toBe(0)
    expect(scripted.sent()).toMatchObject({ size: '2K', watermark: false, response_format: 'b64_json' })
    expect(await settled()).toMatchObject([{ model: 'seed', cost_usd: '0.04' }])
  })

  test('streams a series', async () => {
    scripted.answer = () => arkImages(scripted, 3)
    const { secret, settled } = await newKey(scripted.gateway)
    const fields = { sequential_image_generation: 'auto', response_format: 'b64_json', stream: true }
    const text = await (await post(secret, { ...REQUEST, ...fields })).text()
    const events = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    expect(events.map(({ type, image_index }) => [type, image_index])).toEqual([
      ...[0, 1, 2].map((index) => ['image_generation.partial_succeeded', index]),
      ['image_generation.completed', undefined],
    ])
    expect(events[0]).toMatchObject({ model: 'seed', b64_json: scripted.base64, size: '1024x1024' })
    expect(events[3].usage).toMatchObject({ generated_images: 3 })
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await settled()).toMatchObject([{ cost_usd: '0.12', held_usd: '0.60' }])
  })

  test.each<[string, object, status: number, code: string, param: string]>([
    ['no prompt', { prompt: undefined }, 400, 'InvalidParameter', 'prompt'],
    ['an unknown model', { model: 'none' }, 404, 'InvalidEndpointOrModel.NotFound', 'model'],
  ])('%s is an error of this dialect', async (_, fields, status, code, param) => {
    const { secret } = await newKey(scripted.gateway)
    const response = await post(secret, { ...REQUEST, ...fields })
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code, param } }])
  })

  test('without a key', async () => {
    const response = await post('sk-none', REQUEST)
    expect([response.status, await response.json()]).toMatchObject([401, { error: { code: 'AuthenticationError' } }])
  })
})
