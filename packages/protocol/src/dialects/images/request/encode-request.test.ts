import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf } from '../../../../fixtures/buffer-codec.ts'
import type { ImageInput, ImageRequest } from '../../../canonical/image.ts'
import { type EncodedImageRequest, type ImageTarget, partLength } from '../../image-service.ts'
import { decodeImageRequest } from './decode-request.ts'
import { encodeRequest } from './encode-request.ts'

const TARGET: ImageTarget = {
  model: 'gpt-image-1',
  stream: false,
  responseFormat: 'keep',
  boundary: 'BOUNDARY',
  warn: () => {
    throw new Error('nothing is to be warned of')
  },
}

const CONTENTS = bytesOf('PNG...')

/** As a sender writes it. */
function sent({ body }: EncodedImageRequest): string {
  const parts = body.map((part) => {
    if (part instanceof Uint8Array) return Buffer.from(part).toString()
    return Buffer.from(CONTENTS).toString(part.as === 'bytes' ? 'latin1' : 'base64')
  })
  const text = parts.join('')
  expect(body.reduce((sum, part) => sum + partLength(part), 0)).toBe(Buffer.byteLength(text))
  return text
}

const BODY =
  '{ "prompt": "caf\\u00e9", "model":"img", "response_format": "url",\n "x": 1.50, "n":2, "stream":true,"partial_images":2, "user":"ada"}'

describe('a JSON body keeps its bytes', () => {
  test.each<[what: string, target: Partial<ImageTarget>, expected: string]>([
    ['but for the model', { stream: true }, BODY.replace('"img"', '"gpt-image-1"')],
    ['whole', { model: 'img', stream: true }, BODY],
    [
      'without what an upstream rejects',
      { model: 'img', stream: true, responseFormat: 'omit', endUser: null },
      '{ "prompt": "caf\\u00e9", "model":"img", "x": 1.50, "n":2, "stream":true,"partial_images":2}',
    ],
    [
      'with what it needs',
      { model: 'img', stream: true, responseFormat: 'b64_json', n: 1, endUser: 'u-1' },
      BODY.replace('"url"', '"b64_json"').replace('"n":2', '"n":1').replace('"ada"', '"u-1"'),
    ],
    [
      'unstreamed',
      { model: 'img' },
      '{ "prompt": "caf\\u00e9", "model":"img", "response_format": "url",\n "x": 1.50, "n":2, "user":"ada"}',
    ],
  ])('%s', (_, target, expected) => {
    const request = decodeImageRequest(bytesOf(BODY), bufferCodec)
    const warnings: string[] = []
    const warn = (field: string) => warnings.push(field)
    const encoded = encodeRequest(request, { ...TARGET, ...target, warn }, bufferCodec)
    expect(encoded.contentType).toBe('application/json')
    expect(sent(encoded)).toBe(expected)
    expect(warnings).toEqual(target.stream ? [] : ['partial_images'])
  })
})

describe('fields that have no price, or that the upstream does not have', () => {
  const encodeWith = (fields: object, target: Partial<ImageTarget>) => {
    const warnings: string[] = []
    const warn = (field: string, reason: string) => warnings.push(`${field};${reason}`)
    const bytes = bytesOf(JSON.stringify({ model: 'gpt-image-1', prompt: 'a cat', ...fields }))
    const encoded = encodeRequest(decodeImageRequest(bytes, bufferCodec), { ...TARGET, ...target, warn }, bufferCodec)
    const { model, prompt, ...rest } = JSON.parse(sent(encoded))
    return { rest, warnings }
  }

  test.each([
    'num_images',
    'numImages',
    'number_of_images',
    'NUM_IMAGES',
    'n_images',
    'num_images_per_prompt',
    'image_count',
    'batch_size',
    'batchSize',
    'batch_count',
    'num_outputs',
    'sampleCount',
    'samples',
    'max_images',
    'n_iter',
    'tools',
    'service_tier',
    'serviceTier',
    'tier',
    'speed',
    'web_search',
    'web_search_options',
    'enable_search',
    'candidateCount',
    'number_results',
    'sequential_image_generation_mode',
    'upscale',
    'enable_hr',
  ])('%s is dropped and named', (name) => {
    expect(encodeWith({ [name]: 4 }, {})).toEqual({ rest: {}, warnings: [`${name};no-price`] })
    const inside = { parameters: { inner: [{ [name]: 4 }] } }
    expect(encodeWith(inside, {})).toEqual({ rest: {}, warnings: ['parameters;no-price'] })
    // Asks for nothing.
    expect(encodeWith({ [name]: null }, {})).toEqual({ rest: {}, warnings: [] })
  })

  test('others are passed on', () => {
    const fields = {
      seed: 7,
      watermark: false,
      guidance_scale: 2.5,
      image_size: '2K',
      steps: 20,
      negative_prompt: 'n: 4',
      optimize_prompt_options: { mode: 'fast' },
      loras: [{ path: 'a', scale: 1 }],
      note: 'a "tools": b',
    }
    expect(encodeWith(fields, {})).toEqual({ rest: fields, warnings: [] })
  })

  test('fields that the upstream lacks', () => {
    const lacks = ['n', 'user', 'moderation', 'quality', 'output_compression', 'background']
    const fields = {
      n: 2,
      user: 'ada',
      moderation: 'low',
      quality: 'high',
      output_compression: 100,
      background: 'auto',
    }
    const warnings = ['quality;dropped', 'moderation;dropped', 'user;dropped']
    expect(encodeWith({ ...fields, seed: 7 }, { lacks, n: 1, endUser: 'u-1' })).toEqual({ rest: { seed: 7 }, warnings })
  })

  test.each<[fields: object, makesSeries: boolean, rest: object, warnings: string[]]>([
    [series(3), true, series(3), []],
    [series(undefined), true, series(15), []],
    [series(3), false, {}, ['sequential_image_generation;no-price']],
    [{ ...series(3), sequential_image_generation: 'disabled' }, true, { sequential_image_generation: 'disabled' }, []],
    [{ ...series(3), sequential_image_generation: 'disabled' }, false, {}, []],
  ])('a series: %j', (fields, makesSeries, rest, warnings) => {
    expect(encodeWith(fields, { makesSeries })).toEqual({ rest, warnings })
  })
})

function series(most: number | undefined) {
  const options = most === undefined ? {} : { sequential_image_generation_options: { max_images: most } }
  return { sequential_image_generation: 'auto', ...options }
}

const image = (mediaType: string): ImageInput => ({
  mediaType,
  bytes: CONTENTS.length,
  filename: '../../etc/"passwd',
  source: { kind: 'file', handle: 'h' },
})
const MADE: ImageRequest = {
  operation: 'generate',
  model: 'img',
  prompt: 'a "cat"',
  n: 1,
  stream: false,
  size: '64x64',
  images: [],
  unknown: [{ name: 'x', text: '[1]' }],
}

test('a request that came from elsewhere is written anew', () => {
  expect(JSON.parse(sent(encodeRequest(MADE, { ...TARGET, stream: true, n: 2 }, bufferCodec)))).toEqual({
    model: 'gpt-image-1',
    prompt: 'a "cat"',
    size: '64x64',
    stream: true,
    n: 2,
    x: [1],
  })
})

test('an edit is a form: text first, file names by content', async () => {
  const request: ImageRequest = {
    ...MADE,
    operation: 'edit',
    n: 2,
    images: [image('image/png'), image('image/jpeg')],
    mask: image('image/webp'),
    responseFormat: 'url',
    unknown: [
      { name: 'odd"\r\nname', text: 'kept', isForm: true },
      { name: 'from_json', text: '"plain"' },
    ],
  }
  const encoded = encodeRequest(request, { ...TARGET, responseFormat: 'b64_json' }, bufferCodec)
  const text = sent(encoded)
  const form = await new Response(text, { headers: { 'content-type': encoded.contentType } }).formData()
  const entries = [...form.entries()].map(([name, value]) =>
    typeof value === 'string' ? [name, value] : [name, (value as File).name, (value as File).type],
  )
  expect(entries.slice(0, 5)).toEqual([
    ['model', 'gpt-image-1'],
    ['prompt', 'a "cat"'],
    ['n', '2'],
    ['size', '64x64'],
    ['response_format', 'b64_json'],
  ])
  expect(text).toContain('name="odd%22%0D%0Aname"\r\n\r\nkept\r\n')
  expect(text).toContain('name="from_json"\r\n\r\nplain\r\n')
  expect(entries.slice(-3)).toEqual([
    ['image[]', 'image-0.png', 'image/png'],
    ['image[]', 'image-1.jpg', 'image/jpeg'],
    ['mask', 'mask.webp', 'image/webp'],
  ])
  expect(await (form.get('mask') as File).text()).toBe('PNG...')
})

test('a single image has the plain name', () => {
  const text = sent(encodeRequest({ ...MADE, operation: 'edit', images: [image('image/png')] }, TARGET, bufferCodec))
  expect(text).toContain('name="image"; filename="image-0.png"')
  expect(text.endsWith('PNG...\r\n--BOUNDARY--\r\n')).toBe(true)
})

describe('images to edit as data URLs', () => {
  const png: ImageInput = { mediaType: 'image/png', bytes: CONTENTS.length, source: { kind: 'file', handle: '1' } }
  const edit: ImageRequest = {
    operation: 'edit',
    model: 'img',
    prompt: 'a "hat"',
    n: 1,
    stream: false,
    size: '2048x2048',
    images: [png],
    unknown: ['watermark=false', 'seed=7', 'scale=-1.5', 'zip=007', 'mode=a"b'].map((field) => {
      const [name = '', text = ''] = field.split('=')
      return { name, text, isForm: true as const }
    }),
  }
  const target = { ...TARGET, editsAsJson: true, responseFormat: 'b64_json' as const }

  test.each([1, 2])('%i of them', (count) => {
    const images = Array<ImageInput>(count).fill(png)
    const encoded = encodeRequest({ ...edit, images }, target, bufferCodec)
    expect(encoded.contentType).toBe('application/json')
    const url = `data:image/png;base64,${Buffer.from(CONTENTS).toString('base64')}`
    expect(JSON.parse(sent(encoded))).toEqual({
      model: 'gpt-image-1',
      prompt: 'a "hat"',
      size: '2048x2048',
      response_format: 'b64_json',
      watermark: false,
      seed: 7,
      scale: -1.5,
      zip: '007',
      mode: 'a"b',
      image: count === 1 ? url : [url, url],
    })
  })

  test('URLs stay URLs, and a body that has them already keeps its bytes', () => {
    const url = 'https://example.com/a.png?"b'
    const linked: ImageInput = { mediaType: '', bytes: 0, source: { kind: 'url', url, field: 'images[0].image_url' } }
    const encoded = encodeRequest({ ...edit, images: [linked, png] }, target, bufferCodec)
    const data = `data:image/png;base64,${Buffer.from(CONTENTS).toString('base64')}`
    expect(JSON.parse(sent(encoded)).image).toEqual([url, data])
    const body =
      '{"model":"gpt-image-1","prompt":"a cat", "image" : ["https://example.com/a.png"],"response_format":"b64_json"}'
    const request = decodeImageRequest(bytesOf(body), bufferCodec)
    expect(sent(encodeRequest(request, target, bufferCodec))).toBe(body)
  })

  test('but no mask', () => {
    expect(() => encodeRequest({ ...edit, mask: png }, target, bufferCodec)).toThrow('takes no mask')
  })
})
