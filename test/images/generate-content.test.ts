// Images for clients of the generate-content protocol: the official SDK, plain requests, and repeated ones.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type GenerateContentResponse, GoogleGenAI, Modality } from '@google/genai'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, receiptOf, startGateway } from '../support/gateway/gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ streamTiming: { commitAfterMs: 50, heartbeatMs: 100 } })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
})

const modelsFor = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } }).models
const IMAGE = { responseModalities: [Modality.IMAGE] }

async function sizeOf(base64: string | undefined): Promise<string> {
  const { width, height, format } = await new Bun.Image(Buffer.from(base64 ?? '', 'base64')).metadata()
  return `${format} ${width}x${height}`
}

type Asked = { verb?: string; query?: string; model?: string; headers?: Record<string, string> }

function ask(secret: string, body: object, { verb = 'generateContent', query = '', model, headers }: Asked = {}) {
  return fetch(`${gateway.url}/v1beta/models/${model ?? 'sandbox-image'}:${verb}${query}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': secret, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}
const prompt = (text: string, generationConfig: object = {}) => ({
  contents: [{ parts: [{ text }] }],
  generationConfig,
})

describe('the official SDK', () => {
  test.each([
    ['asks for images', IMAGE],
    ['asks for text and images', { responseModalities: ['TEXT', 'IMAGE'] }],
    ['leaves the modalities out', {}],
  ])('%s', async (_, config) => {
    const { secret, settled } = await newKey(gateway)
    const reply = await modelsFor(secret).generateContent({ model: 'sandbox-image', contents: 'a cat', config })
    expect(await sizeOf(reply.data)).toBe('png 1024x1024')
    expect(reply.candidates?.map(({ finishReason }) => finishReason as string)).toEqual(['STOP'])
    expect(reply.modelVersion).toBe('sandbox-image')
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.04', held_usd: '0.04' }])
  })

  test('streams, with a ratio of its choice and two candidates', async () => {
    const { secret, settled } = await newKey(gateway)
    const config = { ...IMAGE, imageConfig: { aspectRatio: '16:9' }, candidateCount: 2 }
    const chunks: GenerateContentResponse[] = []
    const stream = await modelsFor(secret).generateContentStream({ model: 'sandbox-image', contents: 'a cat', config })
    for await (const chunk of stream) if (chunk.data) chunks.push(chunk)
    expect(await Promise.all(chunks.map(({ data }) => sizeOf(data)))).toEqual(['png 1024x576', 'png 1024x576'])
    expect(chunks.map(({ candidates }) => candidates?.[0]?.index)).toEqual([0, 1])
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.08', held_usd: '0.08' }])
  })

  test('sees heartbeats, which say nothing, while the image is made', async () => {
    const { secret } = await newKey(gateway)
    const contents = 'pace 1200 ms, a cat'
    const stream = await modelsFor(secret).generateContentStream({ model: 'sandbox-image', contents, config: IMAGE })
    const images: boolean[] = []
    for await (const chunk of stream) images.push(chunk.data !== undefined)
    expect(images.length).toBeGreaterThan(2)
    expect(images.filter(Boolean)).toHaveLength(1)
    expect(images.at(-1)).toBe(true)
  })

  test('edits an image that it sends inline', async () => {
    const { secret, settled } = await newKey(gateway)
    const models = modelsFor(secret)
    const config = { ...IMAGE, imageConfig: { aspectRatio: '1:1' } }
    const { data: first = '' } = await models.generateContent({ model: 'sandbox-image', contents: 'a cat', config })
    const contents = [{ text: 'a hat' }, { inlineData: { mimeType: 'image/png', data: first } }]
    const { data: edited } = await models.generateContent({ model: 'sandbox-image', contents, config: IMAGE })
    expect([await sizeOf(edited), edited === first]).toEqual(['png 1024x1024', false])
    expect((await settled()).map(({ cost_usd }) => cost_usd)).toEqual(['0.04', '0.04'])
  })

  test.each([
    ['moderation', 400, 'CONTENT_REFUSED'],
    ['no-image', 502, 'UPSTREAM_NO_IMAGE'],
    ['status=500', 502, 'UPSTREAM'],
  ])('learns of %s, for free', async (fault, status, reason) => {
    const { secret, settled } = await newKey(gateway)
    const model = `sandbox-image:${fault}`
    const whole = modelsFor(secret).generateContent({ model, contents: 'a cat', config: IMAGE })
    expect(await whole.catch(({ status, message }) => [status, message])).toEqual([
      status,
      expect.stringContaining(reason),
    ])
    const streamed = modelsFor(secret).generateContentStream({ model, contents: 'a cat', config: IMAGE })
    expect(await streamed.catch((error) => error.status)).toBe(status)
    expect((await settled()).map(({ cost_usd }) => cost_usd)).toEqual(['0.00', '0.00'])
  })
})

test('a stream as one JSON array', async () => {
  const { secret } = await newKey(gateway)
  const asked = { verb: 'streamGenerateContent', query: '?alt=json' }
  const response = await ask(secret, prompt('pace 300 ms, a cat', { candidateCount: 2 }), asked)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  const chunks = (await response.json()) as { candidates: { index: number }[] }[]
  expect(chunks.map(({ candidates }) => candidates.map(({ index }) => index))).toEqual([[0], [1]])
})

test.each([
  ['as events', ''],
  ['as an array', '?alt=json'],
])('an error after the headers of a stream %s', async (_, query) => {
  const { secret, settled } = await newKey(gateway)
  const asked = { verb: 'streamGenerateContent', query, model: 'sandbox-image:no-image' }
  const response = await ask(secret, prompt('pace 1200 ms, a cat'), asked)
  expect(response.status).toBe(200)
  const text = await response.text()
  const last = query === '' ? JSON.parse(text.split('data: ').at(-1) ?? '') : JSON.parse(text)[0]
  expect(last).toMatchObject({ error: { code: 502, status: 'UNAVAILABLE' } })
  expect(await settled()).toMatchObject([{ cost_usd: '0.00' }])
})

test.each([
  ['', 'generateContent'],
  ['', 'streamGenerateContent'],
  ['?alt=json', 'streamGenerateContent'],
])('a repeated request gets the stored response%s of %s', async (query, verb) => {
  const { secret, rows } = await newKey(gateway)
  const asked = { verb, query, headers: { 'idempotency-key': `again-${verb}${query}` } }
  const first = await ask(secret, prompt('a cat'), asked)
  const body = (await first.text()).replace(/^\n+/, '')
  const second = await ask(secret, prompt('a cat'), asked)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
  const images = (text: string) => text.match(/"data":\s?"[^"]+"/g)?.map((each) => Bun.hash(each))
  expect([(await second.clone().text()).length > 1_000, images(await second.text())]).toEqual([true, images(body)])
  const mismatch = await ask(secret, prompt('a cat'), { ...asked, model: 'sandbox-image:no-partials' })
  expect(mismatch.status).toBe(422)
  expect(await rows()).toHaveLength(1)
})

test('headers and receipt', async () => {
  const { secret } = await newKey(gateway)
  const response = await ask(secret, prompt('a cat', { stopSequences: ['x'] }))
  expect(response.status).toBe(200)
  expect(response.headers.get('x-trivium-warnings')).toBe('generationConfig.stopSequences;dropped')
  expect(response.headers.get('x-sandbox')).not.toBeNull()
  await response.bytes()
  const receipt = await receiptOf<object>(gateway.url, secret, response)
  expect(receipt).toMatchObject({ model: 'sandbox-image', cost_usd: '0.04', units: { images: 1 } })
})

const inline = (bytes: Uint8Array, mimeType: string) => ({
  inlineData: { mimeType, data: Buffer.from(bytes).toString('base64') },
})
test.each<[string, object, number, string]>([
  ['text is demanded', prompt('a cat', { responseModalities: ['TEXT'] }), 400, 'responseModalities'],
  ['no prompt', prompt(' '), 400, 'contents'],
  ['a ratio that does not exist', prompt('a cat', { imageConfig: { aspectRatio: '7:1' } }), 400, 'aspectRatio'],
  ['too many candidates', prompt('a cat', { candidateCount: 11 }), 400, 'candidateCount'],
  [
    'an image that is none',
    { contents: [{ parts: [{ text: 'x' }, inline(Buffer.from('<svg/>'), 'image/png')] }] },
    400,
    'contents',
  ],
  ['two spellings', { ...prompt('a cat'), generation_config: {} }, 400, 'generationConfig'],
])('rejected: %s', async (_, body, status, field) => {
  const { secret, rows } = await newKey(gateway)
  for (const verb of ['generateContent', 'streamGenerateContent']) {
    const response = await ask(secret, body, { verb })
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(field)])
  }
  expect(await rows()).toEqual([])
})

test('a model that the key does not allow', async () => {
  const { secret } = await newKey(gateway, '10', { models: 'sandbox-text' })
  const response = await ask(secret, prompt('a cat'))
  expect(response.status).toBe(403)
})
