// Image models over upstreams of each dialect, through a running gateway: the client sees no difference but the warnings.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import { IMAGE_SERVICES, type ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import OpenAI, { type APIError, toFile } from 'openai'
import { type SandboxServer, startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { pngOf } from '../support/requests/images.ts'

const IDS = Object.keys(IMAGE_SERVICES) as ImageDialectId[]
const FAULTS = ['', 'moderation', 'no-image', 'fewer-images', 'status=500', 'cut=1', 'no-partials', 'image-url']
const idOf = (dialect: string, fault: string) => `${dialect}${fault === '' ? '' : `-${fault.replace('=', '-')}`}`

let sandbox: SandboxServer
let gateway: Gateway
beforeAll(async () => {
  sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true, pace: 0 })
  const upstreams = IDS.map((id) => {
    const address = `base_url: "${sandbox.url}${DIALECTS[id].endpoint.basePath}", keys: [upstream-key-123]`
    return `  - { id: ${id}, dialect: ${id}, ${address}, breaker: false, max_concurrency: 2 }`
  })
  const models = IDS.flatMap((id) =>
    FAULTS.map((fault) => {
      const model = `sandbox-image${fault === '' ? '' : `:${fault}`}`
      const routes = `routes: [{ upstream: ${id}, model: "${model}" }]`
      return `  - { id: ${idOf(id, fault)}, type: image, price: { per_image: 0.04 }, ${routes} }`
    }),
  )
  const config = `upstreams:\n${upstreams.join('\n')}\nmodels:\n${models.join('\n')}\n`
  gateway = await startGateway({ config, streamTiming: { heartbeatMs: 200 } })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
  await sandbox.stop()
})

async function client() {
  const key = await newKey(gateway)
  return { ...key, images: new OpenAI({ apiKey: key.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 }).images }
}

async function sizeOf(base64: string | undefined): Promise<string> {
  const { width, height, format } = await new Bun.Image(Buffer.from(base64 ?? '', 'base64')).metadata()
  return `${format} ${width}x${height}`
}

describe.each(IDS)('over %s', (dialect) => {
  const PROMPT = { model: dialect, prompt: 'a cat', size: '1024x1024' } as const

  test('a generation', async () => {
    const { images, settled } = await client()
    const { data, response } = await images.generate(PROMPT).withResponse()
    expect(await Promise.all((data.data ?? []).map(({ b64_json }) => sizeOf(b64_json)))).toEqual(['png 1024x1024'])
    expect(response.headers.get('x-trivium-warnings')).toBeNull()
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.04', held_usd: '0.04' }])
  })

  test('an edit', async () => {
    const { images, settled } = await client()
    const image = await toFile(await pngOf(1024, 1024), 'source.png', { type: 'image/png' })
    const { data } = await images.edit({ model: dialect, prompt: 'a hat', image })
    expect(await sizeOf(data?.[0]?.b64_json)).toBe('png 1024x1024')
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.04', held_usd: '0.04' }])
  })

  test('three images, in one call or in several', async () => {
    const { images, settled } = await client()
    const { data = [] } = await images.generate({ ...PROMPT, n: 3 })
    expect(data).toHaveLength(3)
    expect(await settled()).toMatchObject([{ cost_usd: '0.12', held_usd: '0.12', receipt: { units: { images: 3 } } }])
  })

  test('a stream with partial images', async () => {
    const { images, settled } = await client()
    const types: string[] = []
    const sizes: string[] = []
    const stream = await images.generate({ ...PROMPT, n: 2, stream: true, partial_images: 2 })
    for await (const event of stream) {
      types.push(event.type.replace('image_generation.', ''))
      sizes.push(await sizeOf(event.b64_json))
    }
    const each = [...(IMAGE_SERVICES[dialect].hasPartialImages ? ['partial_image', 'partial_image'] : []), 'completed']
    expect(types.toSorted()).toEqual([...each, ...each].toSorted())
    expect(new Set(sizes)).toEqual(new Set(['png 1024x1024']))
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.08' }])
  })

  test('a streamed edit of an upstream without partial images', async () => {
    const { images } = await client()
    const image = await toFile(await pngOf(64, 64), 'source.png', { type: 'image/png' })
    const types: string[] = []
    const model = idOf(dialect, 'no-partials')
    for await (const { type } of await images.edit({ model, prompt: 'a hat', image, stream: true })) types.push(type)
    expect(types).toEqual(['image_edit.completed'])
  })

  test.each([
    ['moderation', 400, 'moderation_blocked'],
    ['no-image', 502, 'upstream_no_image'],
    ['status=500', 502, 'upstream_error'],
    ['cut=1', 502, 'upstream_error'],
  ])('%s is free', async (fault, status, code) => {
    const { images, settled } = await client()
    const request = { ...PROMPT, model: idOf(dialect, fault) }
    const errorOf = (error: APIError) => ({ status: error.status, code: error.code })
    expect(await images.generate(request).catch(errorOf)).toMatchObject({ status, code })
    const streamed = async () => {
      for await (const _ of await images.generate({ ...request, stream: true, partial_images: 2 }));
    }
    expect(await streamed().catch(errorOf)).toMatchObject({ code })
    expect((await settled()).map(({ cost_usd }) => cost_usd)).toEqual(['0.00', '0.00'])
  })

  test('a client of generate-content', async () => {
    const { secret, settled } = await client()
    const { models } = new GoogleGenAI({ apiKey: secret, httpOptions: { baseUrl: gateway.url } })
    const { data = '' } = await models.generateContent({ model: dialect, contents: 'a cat' })
    expect(await sizeOf(data)).toBe('png 1024x1024')
    const contents = [{ text: 'a hat' }, { inlineData: { mimeType: 'image/png', data } }]
    const chunks: string[] = []
    for await (const chunk of await models.generateContentStream({ model: dialect, contents }))
      if (chunk.data) chunks.push(await sizeOf(chunk.data))
    expect(chunks).toEqual(['png 1024x1024'])
    expect((await settled()).map(({ cost_usd }) => cost_usd)).toEqual(['0.04', '0.04'])
  })
})

describe('an upstream that answers with its own URL', () => {
  test.each(['b64_json', 'url', undefined] as const)('response_format %s', async (format) => {
    const { images, settled } = await client()
    const request = { model: 'images-image-url', prompt: 'a cat', size: '256x256' } as const
    const { data } = await images.generate({ ...request, ...(format ? { response_format: format } : {}) })
    const [image] = data ?? []
    if (format !== 'url') expect([await sizeOf(image?.b64_json), image?.url]).toEqual(['png 256x256', undefined])
    else {
      expect(image?.url).toStartWith(`${gateway.url}/media/`)
      const download = await fetch(image?.url ?? '')
      expect(await sizeOf(Buffer.from(await download.bytes()).toString('base64'))).toBe('png 256x256')
    }
    expect(await settled()).toMatchObject([{ cost_usd: '0.04' }])
  })
})
