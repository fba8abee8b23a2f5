// Images through a running gateway by the official SDK, and by curl.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { pngOf } from '../support/requests/images.ts'

const folder = mkdtempSync(join(tmpdir(), 'trivium-sdk-images-'))
const MODEL = 'sandbox-image'
const PROMPT = { model: MODEL, prompt: 'a cat', size: '128x64' as '1024x1024' }
let gateway: Gateway
let openai: OpenAI
let secret: string
let rows: Awaited<ReturnType<typeof newKey>>['rows']
const file = (name: string) => join(folder, name)

beforeAll(async () => {
  gateway = await startGateway({ config: 'sandbox: { faults: true }\n' })
  const key = await newKey(gateway, '100')
  secret = key.secret
  rows = key.rows
  openai = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  writeFileSync(file('source.png'), await pngOf(96, 64))
  writeFileSync(file('mask.png'), await pngOf(96, 64))
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function sizeOf(image: string | Uint8Array | undefined): Promise<string> {
  const bytes = typeof image === 'string' ? Buffer.from(image, 'base64') : image
  const { width, height, format } = await new Bun.Image(bytes ?? new Uint8Array()).metadata()
  return `${format} ${width}x${height}`
}

/** What the last request cost. */
const lastCost = async () => (await rows())[0]?.cost_usd

describe('generations', () => {
  test('in base64', async () => {
    const { data, size, created } = await openai.images.generate(PROMPT)
    expect(await sizeOf(data?.[0]?.b64_json)).toBe('png 128x64')
    expect([data?.length, data?.[0]?.url, size, created > 0] as unknown[]).toEqual([1, undefined, '128x64', true])
    expect(await lastCost()).toBe('0.04')
  })

  test('as a URL that can be downloaded without a key', async () => {
    const { data } = await openai.images.generate({ ...PROMPT, response_format: 'url' })
    const { url = '', b64_json } = data?.[0] ?? {}
    expect([b64_json, url.startsWith(`${gateway.url}/media/`)]).toEqual([undefined, true])
    const download = await fetch(url)
    expect([download.status, download.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(await sizeOf(await download.bytes())).toBe('png 128x64')
    expect((await fetch(`${url}0`)).status).toBe(403)
  })

  test('several, which are not the same', async () => {
    const { data } = await openai.images.generate({ ...PROMPT, n: 3 })
    expect(new Set(data?.map(({ b64_json }) => b64_json)).size).toBe(3)
    expect(await lastCost()).toBe('0.12')
  })

  test('in another format', async () => {
    const { data, output_format } = await openai.images.generate({ ...PROMPT, output_format: 'jpeg' })
    expect([await sizeOf(data?.[0]?.b64_json), output_format] as string[]).toEqual(['jpeg 128x64', 'jpeg'])
  })

  test('streamed with partial images, the same image at the end', async () => {
    const stream = await openai.images.generate({ ...PROMPT, stream: true, partial_images: 2 })
    const seen: OpenAI.Images.ImageGenStreamEvent[] = []
    for await (const event of stream) seen.push(event)
    expect(seen.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ])
    expect(seen.map((event) => ('partial_image_index' in event ? event.partial_image_index : -1))).toEqual([0, 1, -1])
    for (const { b64_json } of seen) expect(await sizeOf(b64_json)).toBe('png 128x64')
    const { data } = await openai.images.generate(PROMPT)
    expect(seen.at(-1)?.b64_json).toBe(data?.[0]?.b64_json ?? '')
    expect(seen.at(-1)).toMatchObject({ size: '128x64', output_format: 'png', usage: { total_tokens: 0 } })
  })

  test('several streamed', async () => {
    const stream = await openai.images.generate({ ...PROMPT, n: 2, stream: true, partial_images: 1 })
    const types: string[] = []
    for await (const { type } of stream) types.push(type)
    expect(types.filter((type) => type === 'image_generation.completed').length).toBe(2)
    expect(await lastCost()).toBe('0.08')
  })
})

describe('edits', () => {
  const EDIT = { model: MODEL, prompt: 'a hat' }

  test.each<[string, () => Promise<OpenAI.ImageEditParams['image']>]>([
    ['a stream of a file', async () => createReadStream(file('source.png'))],
    ['several streams of files', async () => [1, 2, 3].map(() => createReadStream(file('source.png')))],
    ['bytes', async () => toFile(await Bun.file(file('source.png')).bytes(), 'x.png', { type: 'image/png' })],
    ['bytes without a type', async () => toFile(await Bun.file(file('source.png')).bytes(), 'x')],
    ['a fetched file', async () => fetch(`file://${file('source.png')}`)],
  ])('%s', async (_, image) => {
    const { data } = await openai.images.edit({ ...EDIT, image: await image() })
    expect([data?.length, await sizeOf(data?.[0]?.b64_json)]).toEqual([1, 'png 96x64'])
    expect(await lastCost()).toBe('0.04')
  })

  test('with a mask, and several results as URLs', async () => {
    const { data = [] } = await openai.images.edit({
      ...EDIT,
      n: 2,
      response_format: 'url',
      image: createReadStream(file('source.png')),
      mask: createReadStream(file('mask.png')),
    })
    expect(data.length).toBe(2)
    for (const { url = '' } of data) expect(await sizeOf(await (await fetch(url)).bytes())).toBe('png 96x64')
  })

  test('streamed', async () => {
    const image = createReadStream(file('source.png'))
    const stream = await openai.images.edit({ ...EDIT, image, stream: true, partial_images: 1 })
    const types: string[] = []
    for await (const { type } of stream) types.push(type)
    expect(types).toEqual(['image_edit.partial_image', 'image_edit.completed'])
    expect(await lastCost()).toBe('0.04')
  })
})

describe('errors are those of the SDK, and free', () => {
  const thrown = async (call: () => Promise<unknown>): Promise<unknown> => {
    const before = (await rows()).filter(({ cost_usd }) => cost_usd !== '0.00').length
    const error = await call().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect((await rows()).filter(({ cost_usd }) => cost_usd !== '0.00').length).toBe(before)
    return error
  }
  const text = () => toFile(Buffer.from('no image'), 'a.png', { type: 'image/png' })

  test.each<[string, () => Promise<unknown>, new (...args: never[]) => Error, object]>([
    [
      'a wrong size',
      () => openai.images.generate({ ...PROMPT, size: '9x9' as '1024x1024' }),
      OpenAI.BadRequestError,
      { param: 'size' },
    ],
    [
      'a size that the model has not',
      () => openai.images.generate({ ...PROMPT, size: '4096x4096' as '1024x1024' }),
      OpenAI.BadRequestError,
      { param: 'size', message: expect.stringContaining('Allowed: ') },
    ],
    [
      'an empty prompt',
      () => openai.images.generate({ ...PROMPT, prompt: '' }),
      OpenAI.BadRequestError,
      { param: 'prompt' },
    ],
    [
      'an unknown model',
      () => openai.images.generate({ ...PROMPT, model: 'none' }),
      OpenAI.NotFoundError,
      { code: 'model_not_found' },
    ],
    [
      'a text model',
      () => openai.images.generate({ ...PROMPT, model: 'sandbox-text' }),
      OpenAI.BadRequestError,
      { param: 'model' },
    ],
    [
      'a blocked prompt',
      () => openai.images.generate({ ...PROMPT, model: `${MODEL}:moderation` }),
      OpenAI.BadRequestError,
      { code: 'moderation_blocked', type: 'image_generation_user_error' },
    ],
    [
      'a blocked prompt, streamed',
      () => openai.images.generate({ ...PROMPT, model: `${MODEL}:moderation`, stream: true }),
      OpenAI.BadRequestError,
      { code: 'moderation_blocked' },
    ],
    [
      'no image',
      () => openai.images.generate({ ...PROMPT, model: `${MODEL}:no-image` }),
      OpenAI.InternalServerError,
      { status: 502 },
    ],
    [
      'a wrong key',
      () => openai.withOptions({ apiKey: 'sk-wrong' }).images.generate(PROMPT),
      OpenAI.AuthenticationError,
      { status: 401 },
    ],
    [
      'a file that is no image',
      async () => openai.images.edit({ model: MODEL, prompt: 'x', image: await text() }),
      OpenAI.APIError,
      { status: 415, param: 'image' },
    ],
  ])('%s', async (_, call, errorClass, fields) => {
    const error = await thrown(call)
    expect(error).toBeInstanceOf(errorClass)
    expect(error).toMatchObject(fields)
  })
})

async function curl(...args: string[]): Promise<{ status: number; body: string }> {
  const child = Bun.spawn(['curl', '-sS', '-w', '\n%{http_code}', '-H', `authorization: Bearer ${secret}`, ...args], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const text = await child.stdout.text()
  const end = text.lastIndexOf('\n')
  return { status: Number(text.slice(end + 1)), body: text.slice(0, end) }
}

describe('curl', () => {
  const edits = () => `${gateway.url}/v1/images/edits`
  const source = () => `image=@${file('source.png')}`

  test('a form, with the model after the image', async () => {
    const { status, body } = await curl(edits(), '-F', source(), '-F', 'prompt=a hat', '-F', `model=${MODEL}`)
    expect([status, await sizeOf(JSON.parse(body).data[0].b64_json)]).toEqual([200, 'png 96x64'])
  })

  test('a chunked form with Expect: 100-continue, several images and a mask', async () => {
    const headers = ['-H', 'transfer-encoding: chunked', '-H', 'expect: 100-continue']
    const files = ['-F', `image[]=@${file('source.png')}`, '-F', `image[]=@${file('source.png')}`]
    const rest = ['-F', `mask=@${file('mask.png')}`, '-F', 'prompt=a hat', '-F', `model=${MODEL}`, '-F', 'n=2']
    const { status, body } = await curl(edits(), ...headers, ...files, ...rest)
    expect([status, JSON.parse(body).data.length]).toEqual([200, 2])
  })

  test('a streamed edit', async () => {
    const { status, body } = await curl(
      ...[edits(), '-N', '-F', source(), '-F', 'prompt=a hat', '-F', `model=${MODEL}`, '-F', 'stream=true'],
    )
    expect([status, body.includes('event: image_edit.completed\ndata: {')]).toEqual([200, true])
  })

  test('JSON instead of a form, without images and with one', async () => {
    const post = (more: object) =>
      curl(
        edits(),
        '-H',
        'content-type: application/json',
        '-d',
        JSON.stringify({ model: MODEL, prompt: 'x', ...more }),
      )
    const rejected = await post({})
    expect([rejected.status, rejected.body]).toEqual([400, expect.stringContaining('images is required')])
    const image_url = `data:image/png;base64,${Buffer.from(await pngOf(64, 64)).toString('base64')}`
    const { status, body } = await post({ images: [{ image_url }], mask: { image_url } })
    expect([status, JSON.parse(body).data[0].b64_json]).toEqual([200, expect.stringMatching(/^iVBORw0KGgo/)])
  })
})
