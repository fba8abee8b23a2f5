import { afterAll, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import OpenAI, { toFile } from 'openai'
import { dataOf } from '../../test-support/client.ts'
import { createSandbox } from '../handler.ts'
import { startSandboxServer } from '../server.ts'
import { drawPicture } from './draw.ts'
import { decodePng, encodePng } from './png.ts'
import { alphaOf, color, type Raster } from './raster.ts'

const server = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true, pace: 0 })
afterAll(() => server.stop())
const client = new OpenAI({ apiKey: 'any', baseURL: `${server.url}/v1`, maxRetries: 0 })
const genai = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: server.url } })
const handle = createSandbox({ faults: true, pace: 0, clock: () => 1_767_225_600_000 })

const MODEL = 'sandbox-image'
const ASKED = { model: MODEL, prompt: 'A cat', size: '64x96' }
const rasterOf = (base64: string | undefined | null): Raster => decodePng(Buffer.from(base64 ?? '', 'base64'))
const sizeOf = ({ width, height }: Raster) => `${width}x${height}`

const post = (path: string, body: object | FormData, headers: Record<string, string> = {}) =>
  handle(
    new Request(`http://sandbox${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', ...headers },
      body: body instanceof FormData ? body : JSON.stringify(body),
    }),
  )
const generate = async (body: object, headers: Record<string, string> = {}) => {
  const answer = await post('/v1/images/generations', { ...ASKED, ...body }, headers)
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

describe('generations', () => {
  test('n different pictures of the size, the same every time, without usage', async () => {
    const { data = [], ...reply } = await client.images.generate({ ...ASKED, n: 2 })
    expect(reply).toMatchObject({
      size: '64x96',
      output_format: 'png',
      background: 'opaque',
      quality: 'high',
    } as object)
    expect(reply.usage).toBeUndefined()
    expect(data.map(({ b64_json }) => sizeOf(rasterOf(b64_json)))).toEqual(['64x96', '64x96'])
    expect(data[0]?.b64_json).not.toBe(data[1]?.b64_json ?? '')
    expect((await client.images.generate({ ...ASKED, n: 2 })).data).toEqual(data)
  })

  test('auto is 1024x1024, and a transparent background is one', async () => {
    const { body } = await generate({ size: 'auto', background: 'transparent' })
    const raster = rasterOf(body.data[0].b64_json)
    expect([sizeOf(raster), body.size, body.background]).toEqual(['1024x1024', '1024x1024', 'transparent'])
    expect(raster.pixels.filter((pixel) => alphaOf(pixel) === 0).length).toBeGreaterThan(100_000)
  })

  test.each([
    ['jpeg', 'ffd8ff'],
    ['webp', '52494646'],
  ])('as %s', async (output_format, beginning) => {
    const { body } = await generate({ output_format, output_compression: 50 })
    expect(Buffer.from(body.data[0].b64_json, 'base64').toString('hex').startsWith(beginning)).toBe(true)
    expect(body.output_format).toBe(output_format)
  })

  test('a stream has coarser versions, then the picture, for each of n', async () => {
    const seen: string[][] = []
    const stream = await client.images.generate({ ...ASKED, n: 2, stream: true, partial_images: 2 })
    for await (const event of stream) seen.push([event.type, event.b64_json])
    const [partial, completed] = ['image_generation.partial_image', 'image_generation.completed']
    expect(seen.map(([type]) => type)).toEqual([partial, partial, completed, partial, partial, completed] as string[])
    expect(new Set(seen.map(([, base64]) => base64)).size).toBe(6)
    for (const [, base64] of seen) expect(sizeOf(rasterOf(base64))).toBe('64x96')
    const whole = await client.images.generate({ ...ASKED, n: 2 })
    expect([seen[2]?.[1], seen[5]?.[1]]).toEqual(whole.data?.map(({ b64_json }) => b64_json) as string[])
  })

  test('by URL', async () => {
    const { data } = await client.images.generate({ ...ASKED, response_format: 'url' })
    const answer = await fetch(data?.[0]?.url ?? '')
    expect([answer.headers.get('content-type'), sizeOf(decodePng(await answer.bytes()))]).toEqual([
      'image/png',
      '64x96',
    ])
  })

  test.each<[body: object, status: number, param: string | null]>([
    [{ prompt: '' }, 400, 'prompt'],
    [{ model: 'sandbox-text2' }, 404, 'model'],
    [{ n: 11 }, 400, 'n'],
    [{ size: '63x64' }, 400, 'size'],
    [{ size: '64x2049' }, 400, 'size'],
    [{ partial_images: 4 }, 400, 'partial_images'],
    [{ output_format: 'gif' }, 400, 'output_format'],
    [{ output_format: 'jpeg', background: 'transparent' }, 400, 'background'],
    [{ unknown: 1 }, 400, 'unknown'],
  ])('%j is %i', async (given, status, param) => {
    const { status: got, body } = await generate(given)
    expect([got, body.error.param]).toEqual([status, param])
  })
})

describe('faults and pace', () => {
  test.each<
    [fault: string, body: object, see: (status: number, body: { data: object[]; size: string; error: object }) => void]
  >([
    ['status=503', {}, (status) => expect(status).toBe(503)],
    ['no-image', {}, (_, { data }) => expect(data).toEqual([])],
    ['fewer-images', { n: 3 }, (_, { data }) => expect(data.length).toBe(2)],
    [
      'wrong-size',
      {},
      (_, { data, size }) => {
        const [image] = data as { b64_json: string }[]
        expect([sizeOf(rasterOf(image?.b64_json)), size]).toEqual(['32x48', '64x96'])
      },
    ],
    ['image-url', {}, (_, { data }) => expect(Object.keys(data[0] ?? {})).toEqual(['url'])],
    [
      'moderation',
      {},
      (status, { error }) => {
        expect(status).toBe(400)
        expect(error).toMatchObject({ type: 'image_generation_user_error', code: 'moderation_blocked' })
      },
    ],
  ])('%s', async (fault, more, see) => {
    const { status, body } = await generate({ ...more, model: `${MODEL}:${fault}` })
    see(status, body)
    const byHeader = await generate(more, { 'x-sandbox-fault': fault })
    see(byHeader.status, byHeader.body)
  })

  const stream = async (model: string) => {
    const answer = await post('/v1/images/generations', { ...ASKED, model, stream: true, partial_images: 2 })
    return dataOf(await answer.text()).map((data) => JSON.parse(data))
  }

  test('no-partials, and an error in the middle', async () => {
    expect((await stream(`${MODEL}:no-partials`)).map(({ type }) => type)).toEqual(['image_generation.completed'])
    const events = await stream(`${MODEL}:error-event=1`)
    expect([events.length, events[0].type, events[1].error.type]).toEqual([
      2,
      'image_generation.partial_image',
      'server_error',
    ])
  })

  test('a cut in the middle of the base64', async () => {
    const answer = await post('/v1/images/generations', { ...ASKED, model: `${MODEL}:cut=300` })
    await expect(answer.text()).rejects.toThrow('cut the connection')
  })

  test('the pace is waited for before every event, and before a single answer', async () => {
    const slept: number[] = []
    const sleep = async (ms: number) => void slept.push(ms)
    const paced = createSandbox({ faults: false, sleep })
    const ask = (body: object, headers: Record<string, string>) =>
      paced(
        new Request('http://sandbox/v1/images/generations', {
          method: 'POST',
          headers: { authorization: 'Bearer any', ...headers },
          body: JSON.stringify({ ...ASKED, ...body }),
        }),
      ).then((answer) => answer.text())
    await ask({ stream: true, partial_images: 2 }, { 'x-sandbox-pace': '700' })
    await ask({ prompt: 'A cat, pace 300 ms' }, {})
    expect(slept).toEqual([700, 700, 700, 300])
  })

  test('a prompt that is to be filtered', async () => {
    expect((await generate({ prompt: 'A cat. Be filtered' })).body.error.code).toBe('moderation_blocked')
  })
})

const source = drawPicture({ prompt: 'source', width: 120, height: 90, index: 0, transparent: false })
/** Transparent in a box in the middle, but for a smaller one inside it. */
function maskOf(width: number, height: number): Raster {
  const raster = drawPicture({ prompt: 'm', width, height, index: 0, transparent: false })
  for (let y = 20; y < 70; y++) raster.pixels.fill(0, y * width + 30, y * width + 100)
  for (let y = 40; y < 50; y++) raster.pixels.fill(color(0, 0, 0), y * width + 50, y * width + 60)
  return raster
}
const png = async (raster: Raster, name: string) => toFile(await encodePng(raster), name, { type: 'image/png' })

describe('edits', () => {
  test('change what the mask shows, and nothing else', async () => {
    const mask = maskOf(120, 90)
    const edit = {
      model: MODEL,
      prompt: 'a red hat',
      image: await png(source, 'a.png'),
      mask: await png(mask, 'm.png'),
    }
    const { data } = await client.images.edit(edit)
    const edited = rasterOf(data?.[0]?.b64_json)
    expect(sizeOf(edited)).toBe('120x90')
    let changed = 0
    for (const [at, pixel] of edited.pixels.entries()) {
      if (pixel === source.pixels[at]) continue
      changed++
      expect(alphaOf(mask.pixels[at] ?? 0)).toBe(0)
    }
    expect(changed).toBeGreaterThan(2_900)
    expect(edited.pixels.filter((pixel) => pixel === color(255, 255, 255)).length).toBeGreaterThan(20)
  })

  test('without a mask the lower third', async () => {
    const image = [await png(source, 'a.png'), await png(source, 'b.png')]
    const { data } = await client.images.edit({ model: MODEL, prompt: 'a red hat', image, size: '120x90' })
    const edited = rasterOf(data?.[0]?.b64_json)
    expect(edited.pixels.slice(0, 120 * 60)).toEqual(source.pixels.slice(0, 120 * 60))
    expect(edited.pixels).not.toEqual(source.pixels)
  })

  test.each(['jpeg', 'webp'] as const)('of a %s, streamed, in another size', async (format) => {
    const image = new Bun.Image(await encodePng(source))
    const file = await toFile(await (format === 'jpeg' ? image.jpeg() : image.webp()).bytes(), `a.${format}`)
    const stream = await client.images.edit({
      model: MODEL,
      prompt: 'p',
      image: file,
      size: '256x128',
      stream: true,
      partial_images: 1,
    })
    const seen: unknown[] = []
    for await (const event of stream) seen.push([event.type, sizeOf(rasterOf(event.b64_json))])
    expect(seen).toEqual([
      ['image_edit.partial_image', '256x128'],
      ['image_edit.completed', '256x128'],
    ])
  })

  test('what is wrong with them', async () => {
    const form = (entries: Record<string, string | File>) => {
      const data = new FormData()
      for (const [name, value] of Object.entries({ model: MODEL, prompt: 'p', ...entries })) data.append(name, value)
      return data
    }
    const image = await png(source, 'a.png')
    const cases: [body: FormData | object, status: number, param: string | null][] = [
      [{ model: MODEL, prompt: 'p' }, 415, null],
      [form({}), 400, 'image'],
      [form({ image: 'text' }), 400, 'image'],
      [form({ image: new File(['nonsense'], 'a.png') }), 400, 'image'],
      [form({ image, mask: await png(maskOf(130, 90), 'm.png') }), 400, 'mask'],
      [form({ image, n: 'two' }), 400, 'n'],
      [form({ image, prompt: '' }), 400, 'prompt'],
    ]
    for (const [body, status, param] of cases) {
      const answer = await post('/v1/images/edits', body)
      expect([answer.status, JSON.parse(await answer.text()).error.param]).toEqual([status, param])
    }
  })
})

describe('generate-content', () => {
  test('an image, whole and streamed, with the aspect ratio', async () => {
    const config = { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '16:9' } }
    const whole = await genai.models.generateContent({ model: MODEL, contents: 'A cat', config })
    expect([sizeOf(rasterOf(whole.data)), String(whole.candidates?.[0]?.finishReason)]).toEqual(['1024x576', 'STOP'])
    const streamed: unknown[] = []
    for await (const chunk of await genai.models.generateContentStream({ model: MODEL, contents: 'A cat', config }))
      streamed.push(chunk.data === whole.data, chunk.candidates?.[0]?.finishReason)
    expect(streamed as unknown[]).toEqual([true, undefined, false, 'STOP'])
  })

  test('an edit', async () => {
    const inlineData = { mimeType: 'image/png', data: Buffer.from(await encodePng(source)).toString('base64') }
    const { data } = await genai.models.generateContent({ model: MODEL, contents: [{ inlineData }, { text: 'a hat' }] })
    expect(rasterOf(data).pixels.slice(0, 120 * 60)).toEqual(source.pixels.slice(0, 120 * 60))
  })

  test.each([
    ['no-image', 'NO_IMAGE'],
    ['moderation', 'IMAGE_SAFETY'],
  ])('%s', async (fault, reason) => {
    const reply = await genai.models.generateContent({ model: `${MODEL}:${fault}`, contents: 'A cat' })
    expect([reply.data, String(reply.candidates?.[0]?.finishReason)]).toEqual([undefined, reason])
  })

  test('what is wrong with it is told in the dialect', async () => {
    const config = { imageConfig: { aspectRatio: 'wide' } }
    const call = genai.models.generateContent({ model: MODEL, contents: 'A cat', config })
    await expect(call).rejects.toMatchObject({ status: 400 })
  })
})

describe('responses', () => {
  const tool = { type: 'image_generation', size: '1024x1024', partial_images: 2 } as const
  const small = { ...tool, size: '64x64' as '1024x1024' }

  test.each([
    ['sandbox-text', 'Draw a cat', 'auto'],
    ['sandbox-text', 'Please make me an image of a cat', 'auto'],
    ['sandbox-text', 'A cat', { type: 'image_generation' }],
    ['sandbox-image', 'A cat', { type: 'image_generation' }],
  ] as const)('%s makes an image of %j with %p', async (model, input, tool_choice) => {
    const { output } = await client.responses.create({ model, input, tools: [small], tool_choice })
    expect(output.map(({ type }) => type)).toEqual(['image_generation_call', 'message'])
    const [item] = output
    expect(item?.type === 'image_generation_call' && sizeOf(rasterOf(item.result))).toBe('64x64')
  })

  test.each([
    ['Hello', 'auto'],
    ['Draw a cat', 'none'],
  ] as const)('%j with %s is text', async (input, tool_choice) => {
    const { output } = await client.responses.create({ model: 'sandbox-text', input, tools: [small], tool_choice })
    expect(output.map(({ type }) => type)).toEqual(['message'])
  })

  test('streamed, with partial images', async () => {
    const stream = client.responses.stream({ model: 'sandbox-text', input: 'Draw a cat', tools: [small] })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    const call = 'response.image_generation_call'
    expect(types.slice(3, 9)).toEqual([
      `${call}.in_progress`,
      `${call}.generating`,
      `${call}.partial_image`,
      `${call}.partial_image`,
      `${call}.completed`,
      'response.output_item.done',
    ])
    const { output } = await stream.finalResponse()
    expect(output.map(({ type }) => type)).toEqual(['image_generation_call', 'message'])
  })

  test('an edit with a mask', async () => {
    const url = async (raster: Raster) =>
      `data:image/png;base64,${Buffer.from(await encodePng(raster)).toString('base64')}`
    const { output } = await client.responses.create({
      model: 'sandbox-image',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', detail: 'auto', image_url: await url(source) },
            { type: 'input_text', text: 'a hat' },
          ],
        },
      ],
      tools: [
        { type: 'image_generation', action: 'edit', input_image_mask: { image_url: await url(maskOf(120, 90)) } },
      ],
      tool_choice: { type: 'image_generation' },
    })
    const [item] = output
    if (item?.type !== 'image_generation_call') throw new Error('no image')
    expect(rasterOf(item.result).pixels.slice(0, 120 * 20)).toEqual(source.pixels.slice(0, 120 * 20))
  })

  test('a failed item, and a blocked prompt', async () => {
    const create = (model: string) =>
      client.responses.create({ model, input: 'A cat', tools: [small], tool_choice: { type: 'image_generation' } })
    const { output } = await create('sandbox-image:no-image')
    expect(output[0]).toMatchObject({ type: 'image_generation_call', status: 'failed', result: null })
    const thrown: unknown = await create('sandbox-image:moderation').catch((error: unknown) => error)
    expect(thrown).toMatchObject({ status: 400, code: 'moderation_blocked' })
  })
})

test('a prompt that asks for an image calls the function that makes images', async () => {
  const reply = await client.chat.completions.create({
    model: 'sandbox-text',
    messages: [{ role: 'user', content: 'Draw a cat' }],
    tools: [
      { type: 'function', function: { name: 'add' } },
      { type: 'function', function: { name: 'image_generation' } },
    ],
  })
  expect(reply.choices[0]?.message.tool_calls).toMatchObject([
    { function: { name: 'image_generation', arguments: '{"prompt":"Draw a cat"}' } },
  ])
})
