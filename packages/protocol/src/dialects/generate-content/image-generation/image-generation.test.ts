import { describe, expect, test } from 'bun:test'
import type { GenerateContentParameters } from '@google/genai'
import { GoogleGenAI } from '@google/genai'
import { bufferCodec, bytesOf, textOfPieces } from '../../../../fixtures/buffer-codec.ts'
import { thinJsonOf } from '../../../../fixtures/thin-json.ts'
import type { ImageEvent, ImageInput, ImageLimits, ImageRequest } from '../../../canonical/image.ts'
import { RequestError } from '../../../canonical/reading.ts'
import type { EncodedImageRequest, ImageTarget } from '../../image-service.ts'
import { checkImageLimits } from '../../images/request/limits.ts'
import { CONFIG } from '../pass-through/fields.ts'
import { ASPECT_RATIOS, SIZE_CLASSES } from './aspect-ratio.ts'
import { decodeReply, openStreamDecoder } from './decode-reply.ts'
import { readImageGeneration, translateImageGeneration } from './decode-request.ts'
import { encodeImageReply } from './encode-reply.ts'
import { encodeRequest } from './encode-request.ts'

const warnings: string[] = []
const warn = (field: string, reason: string) => void warnings.push(`${field};${reason}`)
const TARGET: ImageTarget = { model: 'gemini-3-pro-image', stream: false, responseFormat: 'omit', boundary: 'B', warn }
const REQUEST: ImageRequest = {
  operation: 'generate',
  model: 'img',
  prompt: 'a "cat"',
  n: 1,
  stream: false,
  images: [],
  unknown: [],
}
const PNG: ImageInput = { mediaType: 'image/png', bytes: 3, source: { kind: 'inline', base64: 'AAAA' } }

const sent = ({ body }: EncodedImageRequest): unknown =>
  JSON.parse(body.map((part) => (part instanceof Uint8Array ? Buffer.from(part).toString() : 'AAAA')).join(''))
const encode = (request: Partial<ImageRequest>, target: Partial<ImageTarget> = {}) => {
  warnings.length = 0
  return sent(encodeRequest({ ...REQUEST, ...request }, { ...TARGET, ...target }, bufferCodec))
}

test.each<[size: string | undefined, model: string, imageConfig: object | undefined, warned: string[]]>([
  [undefined, 'gemini-3-pro-image', undefined, []],
  ['auto', 'gemini-3-pro-image', undefined, []],
  ['1024x1024', 'gemini-3-pro-image', { aspectRatio: '1:1' }, []],
  ['1536x1024', 'gemini-3-pro-image', { aspectRatio: '3:2' }, ['size;changed']],
  ['1024x1536', 'gemini-3-pro-image', { aspectRatio: '2:3' }, ['size;changed']],
  ['1792x1024', 'gemini-3-pro-image', { aspectRatio: '16:9', imageSize: '2K' }, ['size;changed']],
  ['1080x1920', 'gemini-3-pro-image', { aspectRatio: '9:16', imageSize: '2K' }, ['size;changed']],
  ['2048x2048', 'gemini-3-pro-image', { aspectRatio: '1:1', imageSize: '2K' }, []],
  ['2048x2048', 'gemini-2.5-flash-image', { aspectRatio: '1:1' }, ['size;changed']],
  ['3840x1640', 'gemini-3-pro-image', { aspectRatio: '21:9', imageSize: '4K' }, ['size;changed']],
  ['800x600', 'gemini-3-pro-image', { aspectRatio: '4:3' }, ['size;changed']],
])('size %s for %s', (size, model, imageConfig, warned) => {
  const body = encode(size === undefined ? {} : { size }, { model })
  expect(body).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'a "cat"' }] }],
    generationConfig: { responseModalities: ['TEXT', 'IMAGE'], ...(imageConfig ? { imageConfig } : {}) },
  })
  expect(warnings).toEqual(warned)
})

test('images stand before the prompt, and what cannot be said is named', () => {
  const body = encode({
    operation: 'edit',
    images: [PNG, PNG],
    quality: 'high',
    background: 'opaque',
    outputFormat: 'jpeg',
    style: 'vivid',
    moderation: 'auto',
    partialImages: 2,
    user: 'ada',
    unknown: [{ name: 'x', text: '1' }],
  })
  const part = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
  expect(body).toMatchObject({ contents: [{ parts: [part, part, { text: 'a "cat"' }] }] })
  expect(warnings).toEqual(
    ['quality', 'output_format', 'style', 'partial_images', 'user', 'x'].map((field) => `${field};dropped`),
  )
})

test('a mask is rejected', () => {
  expect(() => encode({ operation: 'edit', images: [PNG], mask: PNG })).toThrow(
    expect.objectContaining({ info: expect.objectContaining({ code: 'unsupported_parameter', param: 'mask' }) }),
  )
})

const IMAGE = 'iVBORw0KGgo'.repeat(500)
const inline = (data: string, more: object = {}) => ({ inlineData: { mimeType: 'image/png', data }, ...more })
const USAGE = { promptTokenCount: 5, candidatesTokenCount: 1_290, totalTokenCount: 1_295 }
const chunk = (parts: object[], more: object = {}) => ({ candidates: [{ content: { parts }, ...more }] })

const decode = (body: unknown) => decodeReply(thinJsonOf(bytesOf(JSON.stringify(body))), bufferCodec)

test('the image of a reply', () => {
  const body = {
    ...chunk([{ text: 'Here it is' }, inline('abcd', { thought: true }), inline(IMAGE)], { finishReason: 'STOP' }),
    usageMetadata: { ...USAGE, candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }] },
  }
  const decoded = decode(body)
  if (!decoded.ok) throw new Error(decoded.error.message)
  const { images, details, usage } = decoded.reply
  expect(images.map(({ base64 }) => textOfPieces(base64?.pieces ?? []))).toEqual([IMAGE])
  expect([details, usage]).toMatchObject([{ outputFormat: 'png' }, { input: 5, output: 1_290, imageOutput: 1_290 }])
})

const ENDINGS: [body: object, code: string, billed: true | undefined][] = [
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'PROHIBITED_CONTENT', 'SAFETY'].map(
    (finishReason): [object, string, undefined] => [chunk([], { finishReason }), 'content_policy_violation', undefined],
  ),
  ...['NO_IMAGE', 'IMAGE_OTHER', 'IMAGE_RECITATION', 'STOP'].map((finishReason): [object, string, undefined] => [
    chunk([{ text: 'no' }], { finishReason }),
    'upstream_no_image',
    undefined,
  ]),
  [{ promptFeedback: { blockReason: 'OTHER' } }, 'content_policy_violation', undefined],
  [{ ...chunk([], { finishReason: 'NO_IMAGE' }), usageMetadata: USAGE }, 'upstream_no_image', true],
  [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x' } }, 'rate_limit_exceeded', undefined],
  [{}, 'upstream_no_image', undefined],
]

function events(chunks: unknown[]): ImageEvent[] {
  const found: ImageEvent[] = []
  const decoder = openStreamDecoder((event) => found.push(event), bufferCodec)
  for (const item of chunks) decoder.push(bytesOf(`data: ${JSON.stringify(item)}\r\n\r\n`))
  decoder.end()
  return found
}

describe('no image', () => {
  test.each(ENDINGS)('%j', (body, code, billed) => {
    const decoded = decode(body)
    expect(decoded.ok ? undefined : [decoded.error.code, decoded.error.billed]).toEqual([code, billed] as never)
    expect(events([body])).toMatchObject([{ type: 'error', error: { code } }])
  })
})

test('a stream: sketches are partial images, and the image comes with the usage', () => {
  const found = events([
    chunk([inline('abcd', { thought: true })]),
    chunk([{ text: 'There' }]),
    chunk([inline(IMAGE)]),
    { ...chunk([], { finishReason: 'STOP' }), usageMetadata: USAGE },
  ])
  expect(found).toMatchObject([
    { type: 'partial', index: 0 },
    { type: 'completed', usage: { input: 5, output: 1_290 }, details: { outputFormat: 'png' } },
    { type: 'end' },
  ])
})

const LIMITS: ImageLimits = { sizes: ['1024x1024', '1536x1024', '1024x1536'] }
const asked = (body: Omit<GenerateContentParameters, 'model' | 'config'> & object, limits: ImageLimits = {}) => {
  warnings.length = 0
  const bytes = bytesOf(JSON.stringify(body))
  const generation = readImageGeneration(bytes, bufferCodec, { model: 'img', stream: false })
  return translateImageGeneration(generation, { limits, warn })
}
const wants = (generationConfig: object) => ({
  contents: [{ role: 'user', parts: [{ text: 'a cat' }] }],
  generationConfig: { responseModalities: ['IMAGE'], ...generationConfig },
})

test('a request of this dialect as an image request', () => {
  const body = {
    systemInstruction: { parts: [{ text: 'Draw in ink.' }] },
    contents: [{ role: 'user', parts: [inline('AAAA'), { text: 'a cat' }] }],
    generationConfig: { responseModalities: ['TEXT', 'IMAGE'], candidateCount: 2, stopSequences: ['x'] },
    safetySettings: [{}],
  }
  expect(asked(body as never)).toEqual({
    operation: 'edit',
    model: 'img',
    prompt: 'Draw in ink.\na cat',
    n: 2,
    stream: false,
    responseFormat: 'b64_json',
    images: [{ mediaType: 'image/png', bytes: 3, source: { kind: 'inline', base64: 'AAAA' } }],
    unknown: [],
  })
  expect(warnings).toEqual(['generationConfig.stopSequences;dropped', 'safetySettings;dropped'])
})

const RATIO = 'generationConfig.imageConfig.aspectRatio;changed'
const SIZE = 'generationConfig.imageConfig.imageSize;changed'
/** That of gpt-image-2. */
const RANGE: ImageLimits = {
  sizeRange: { least: 480, most: 3_840, multipleOf: 16, maxRatio: 3, minPixels: 655_360, maxPixels: 8_294_400 },
}
test.each<[config: object, limits: ImageLimits, size: string | undefined, warned: string[]]>([
  [{}, LIMITS, undefined, []],
  [{ imageConfig: { aspectRatio: '3:2' } }, LIMITS, '1536x1024', []],
  [{ imageConfig: { aspectRatio: '16:9' } }, LIMITS, '1536x1024', [RATIO]],
  [{ image_config: { aspect_ratio: '9:16' } }, LIMITS, '1024x1536', [RATIO]],
  [{ imageConfig: { imageSize: '2K' } }, LIMITS, '1024x1024', [SIZE]],
  [{ imageConfig: { aspectRatio: '16:9' } }, {}, '1024x576', []],
  [{ imageConfig: { aspectRatio: '2:3', imageSize: '2K' } }, {}, '1360x2048', []],
  [{ imageConfig: { imageSize: '4K' } }, { sizeRange: { least: 64, most: 2_048 } }, '2048x2048', [SIZE]],
  [{ imageConfig: { imageSize: '1K' } }, { sizeRange: { least: 64, most: 1_000 } }, '992x992', []],
  [{ imageConfig: { aspectRatio: '16:9' } }, RANGE, '1088x608', []],
  [{ imageConfig: { aspectRatio: '9:16', imageSize: '4K' } }, RANGE, '2160x3840', []],
  [{ imageConfig: { aspectRatio: '1:1', imageSize: '4K' } }, RANGE, '2880x2880', [SIZE]],
  [
    { imageConfig: { aspectRatio: '21:9' } },
    { sizeRange: { least: 64, most: 2_048, maxRatio: 2 } },
    '1024x512',
    [RATIO],
  ],
])('%j with %j', (config, limits, size, warned) => {
  expect(asked(wants(config), limits).size).toBe(size as string)
  expect(warnings).toEqual(warned)
})

test.each(
  ASPECT_RATIOS.flatMap((ratio) => SIZE_CLASSES.map((name) => [ratio, name] as const)),
)('a range allows the size of %s in %s', (aspectRatio, imageSize) => {
  const request = asked(wants({ imageConfig: { aspectRatio, imageSize } }), RANGE)
  expect(() => checkImageLimits(request, RANGE)).not.toThrow()
  expect(warnings).not.toContain(RATIO)
})

describe('every setting of this dialect is carried, or named', () => {
  test('the format of the image', () => {
    const imageConfig = { outputMimeType: 'image/jpeg', outputCompressionQuality: 80 }
    expect(asked(wants({ imageConfig }))).toMatchObject({ outputFormat: 'jpeg', outputCompression: 80 })
    expect(warnings).toEqual([])
    expect(asked(wants({ imageConfig: { outputMimeType: 'image/tiff' } })).outputFormat).toBeUndefined()
    expect(warnings).toEqual(['generationConfig.imageConfig.outputMimeType;dropped'])
  })
  const carried = ['responseModalities', 'candidateCount', 'imageConfig', 'modelConfig', 'routingConfig']
  const samples: Readonly<Record<string, unknown>> = {
    responseLogprobs: true,
    audioTimestamp: true,
    enableAffectiveDialog: true,
    thinkingConfig: { includeThoughts: true },
    responseSchema: { type: 'OBJECT' },
    responseJsonSchema: { type: 'object' },
    stopSequences: ['x'],
    responseMimeType: 'application/json',
    mediaResolution: 'MEDIA_RESOLUTION_LOW',
  }
  test.each(Object.keys(CONFIG).filter((name) => !carried.includes(name)))('generationConfig.%s', (name) => {
    asked(wants({ [name]: samples[name] ?? 1 }))
    expect(warnings.map((warning) => warning.split('.').slice(0, 2).join('.').replace(/;.*/, ''))).toEqual([
      `generationConfig.${name}`,
    ])
  })
  const image = ['personGeneration', 'prominentPeople', 'imageOutputOptions']
  test.each(image)('generationConfig.imageConfig.%s', (name) => {
    asked(wants({ imageConfig: { [name]: { a: 1 } } }))
    expect(warnings).toEqual([`generationConfig.imageConfig.${name};dropped`])
  })
})

test.each<[body: object, param: string]>([
  [wants({ imageConfig: { aspectRatio: '7:1' } }), 'generationConfig.imageConfig.aspectRatio'],
  [wants({ imageConfig: { imageSize: '9K' } }), 'generationConfig.imageConfig.imageSize'],
  [wants({ candidateCount: 11 }), 'generationConfig.candidateCount'],
  [wants({ responseModalities: ['TEXT'] }), 'generationConfig.responseModalities'],
  [wants({ responseModalities: 'audio' }), 'generationConfig.responseModalities'],
  [{ contents: [{ parts: [inline('AAAA')] }] }, 'contents'],
  [{ contents: [{ parts: [{ text: 'x' }, ...Array(17).fill(inline('AAAA'))] }] }, 'contents'],
  [{ contents: [{ parts: [{ text: 'x'.repeat(32_001) }] }] }, 'contents'],
  [
    { contents: [{ parts: [{ text: 'x' }, { fileData: { fileUri: 'https://a/b.png' } }] }] },
    'contents[0].parts[1].fileData',
  ],
  [
    { contents: [{ parts: [{ text: 'x' }, { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }] }] },
    'contents[0].parts[1].inlineData',
  ],
])('%j is rejected', (body, param) => {
  let thrown: unknown
  try {
    asked(body as never)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(RequestError)
  expect((thrown as RequestError).info.param).toBe(param)
})

test('the official SDK reads the images, whole and streamed', async () => {
  const decoded = decode(chunk([inline(IMAGE)]))
  if (!decoded.ok) throw new Error(decoded.error.message)
  const { reply } = decoded
  const context = { id: 'r1', model: 'img' }
  const server = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      const framing = url.includes('stream') ? ('event' as const) : ('reply' as const)
      return new Response(textOfPieces(encodeImageReply(reply, { ...context, framing }, bufferCodec)))
    },
  })
  const { models } = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: `http://127.0.0.1:${server.port}` } })
  const whole = await models.generateContent({ model: 'img', contents: 'a cat' })
  expect([whole.data === IMAGE, whole.candidates?.[0]?.finishReason as string, whole.responseId]).toEqual([
    true,
    'STOP',
    'r1',
  ])
  const chunks: unknown[] = []
  for await (const part of await models.generateContentStream({ model: 'img', contents: 'a cat' }))
    chunks.push(part.data)
  expect(chunks).toEqual([IMAGE])
  await server.stop(true)
  const element = textOfPieces(encodeImageReply(reply, { ...context, framing: 'element', from: 2 }, bufferCodec))
  const candidates = [{ content: { parts: [inline(IMAGE)] }, index: 2 }]
  expect(JSON.parse(element)).toMatchObject({ candidates, modelVersion: 'img' })
})
