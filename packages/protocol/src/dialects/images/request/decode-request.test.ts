import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf } from '../../../../fixtures/buffer-codec.ts'
import type { ErrorInfo } from '../../../canonical/error.ts'
import type { ImageLimits } from '../../../canonical/image.ts'
import { RequestError } from '../../../canonical/reading.ts'
import { decodeImageForm, type FormField, type FormFile } from './decode-form.ts'
import { decodeImageEdit, decodeImageRequest } from './decode-request.ts'
import { checkImageLimits } from './limits.ts'

const LEAST = { model: 'img', prompt: 'a lighthouse' }
const decode = (body: object) => decodeImageRequest(bytesOf(JSON.stringify(body)), bufferCodec)

function errorOf(run: () => unknown): ErrorInfo {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof RequestError) return thrown.info
    throw thrown
  }
  throw new Error('nothing was thrown')
}

const ALL_FIELDS = {
  ...LEAST,
  n: 2,
  size: '1536x1024',
  quality: 'high',
  background: 'transparent',
  output_format: 'webp',
  output_compression: 80,
  moderation: 'low',
  style: 'vivid',
  response_format: 'url',
  user: 'ada',
  partial_images: 3,
  stream: true,
}
const DECODED = {
  model: 'img',
  prompt: 'a lighthouse',
  n: 2,
  size: '1536x1024',
  quality: 'high',
  background: 'transparent',
  outputFormat: 'webp',
  outputCompression: 80,
  moderation: 'low',
  style: 'vivid',
  responseFormat: 'url',
  user: 'ada',
  partialImages: 3,
  stream: true,
}

const series = (options: object) => ({
  sequential_image_generation: 'auto',
  sequential_image_generation_options: options,
})

describe('a JSON body', () => {
  test('with every field, and one that is unknown', () => {
    const { json, ...request } = decode({ ...ALL_FIELDS, watermark: { on: false } })
    expect(request as unknown).toEqual({
      ...DECODED,
      attribution: { endUser: 'ada', own: [] },
      operation: 'generate',
      images: [],
      unknown: [{ name: 'watermark', text: '{"on":false}' }],
    })
  })

  test('with the least, where null is absent', () => {
    const { json, ...request } = decode({ ...LEAST, n: null, size: null, stream: null, user: null })
    expect(request as unknown).toEqual({
      ...LEAST,
      operation: 'generate',
      n: 1,
      stream: false,
      images: [],
      unknown: [],
    })
  })

  test.each<[fields: object, param: string | undefined, message: string]>([
    [{ model: undefined }, 'model', 'model is required'],
    [{ model: 5 }, 'model', 'must be a string'],
    [{ prompt: undefined }, 'prompt', 'prompt is required'],
    [{ prompt: ' \n' }, 'prompt', 'must not be empty'],
    [{ prompt: 'x'.repeat(32_001) }, 'prompt', '32000 characters'],
    [{ prompt: ['a'] }, 'prompt', 'must be a string'],
    [{ n: 0 }, 'n', 'between 1 and 10'],
    [{ n: 11 }, 'n', 'between 1 and 10'],
    [{ n: 1.5 }, 'n', 'whole number'],
    [{ n: '2' }, 'n', 'whole number'],
    [{ size: 'large' }, 'size', '<width>x<height>'],
    [{ size: '1024X1024' }, 'size', '<width>x<height>'],
    [{ size: '1x1' }, 'size', '<width>x<height>'],
    [{ size: '01024x1024' }, 'size', '<width>x<height>'],
    [{ size: '99999x99999' }, 'size', 'at most 16384'],
    [{ quality: '' }, 'quality', 'must be a word'],
    [{ quality: ' ' }, 'quality', 'must be a word'],
    [{ quality: '1024x1024' }, 'quality', 'must be a word'],
    [{ partial_images: 4 }, 'partial_images', 'between 0 and 3'],
    [{ partial_images: -1 }, 'partial_images', 'between 0 and 3'],
    [{ output_compression: 101, output_format: 'webp' }, 'output_compression', 'between 0 and 100'],
    [{ output_compression: 50 }, 'output_compression', 'needs output_format jpeg or webp'],
    [{ output_compression: 99, output_format: 'png' }, 'output_compression', 'needs output_format'],
    [{ background: 'transparent', output_format: 'jpeg' }, 'background', 'png or webp'],
    [{ background: 'blue' }, 'background', 'transparent, opaque, auto'],
    [{ output_format: 'gif' }, 'output_format', 'png, jpeg, webp'],
    [{ moderation: 'off' }, 'moderation', 'low, auto'],
    [{ response_format: 'json' }, 'response_format', 'url, b64_json'],
    [{ stream: 'yes' }, 'stream', 'true or false'],
    [{ user: 'x'.repeat(600) }, 'user', 'longer than'],
    [{ quality: '2K' }, 'quality', 'must be a word'],
    [{ size: '2KB' }, 'size', 'such as 2K'],
    [{ image: 'x' }, 'image', 'data URL'],
    [{ image: ['https://example.com/a.png', 7] }, 'image[1]', 'must be a string'],
    [{ image: 'ftp://example.com/a.png' }, 'image', 'https URL'],
    [{ image: 'data:image/png;base64,AAA' }, 'image', 'valid base64'],
    [{ image: Array(17).fill('https://example.com/a.png') }, 'image', 'more than 16'],
    [{ images: [{ image_url: 'https://example.com/a.png' }] }, 'images', '/v1/images/edits'],
    [{ mask: { image_url: 'x' } }, 'mask', '/v1/images/edits'],
    [{ Image: 'x' }, 'Image', 'image'],
    [{ Model: 'other' }, 'Model', 'model'],
    [{ sequential_image_generation: 'on' }, 'sequential_image_generation', 'auto, disabled'],
    [{ Sequential_Image_Generation: 'auto' }, 'Sequential_Image_Generation', 'sequential_image_generation'],
    [series({ max_images: 16 }), 'sequential_image_generation_options.max_images', 'between 1 and 15'],
    [series({ max_images: 0 }), 'sequential_image_generation_options.max_images', 'between 1 and 15'],
    [series({ Max_Images: 2 }), 'sequential_image_generation_options.Max_Images', 'max_images'],
    [series({ count: 2 }), 'sequential_image_generation_options.count', 'has no count'],
    [{ ...series({ max_images: 2 }), n: 2 }, 'n', 'must be 1'],
  ])('%j is rejected', (fields, param, message) => {
    const error = errorOf(() => decode({ ...LEAST, ...fields }))
    expect(error).toMatchObject({ code: 'bad_request', param })
    expect(error.message).toContain(message)
  })

  test.each<[fields: object, read: object]>([
    [{ output_compression: 100 }, { outputCompression: 100 }],
    [
      { output_compression: 100, output_format: 'png' },
      { outputCompression: 100, outputFormat: 'png' },
    ],
    [{ size: '2K' }, { size: '2K' }],
    [{ size: 'adaptive' }, { size: 'adaptive' }],
    [series({ max_images: 3 }), { series: { most: 3, isChosen: true }, n: 1 }],
    [{ sequential_image_generation: 'auto' }, { series: { most: 15, isChosen: false } }],
    [
      { image: null, sequential_image_generation: null },
      { operation: 'generate', images: [], unknown: [] },
    ],
  ])('%j is accepted', (fields, read) => {
    expect(decode({ ...LEAST, ...fields })).toMatchObject(read)
  })

  test('images to edit, as some services take them where they make others', () => {
    const data = { mediaType: 'image/png', bytes: 3, source: { kind: 'inline', base64: 'AAAA' } }
    const linked = (url: string, field: string) => ({ mediaType: '', bytes: 0, source: { kind: 'url', url, field } })
    expect(decode({ ...LEAST, image: 'data:image/png;base64,AAAA' })).toMatchObject({
      operation: 'edit',
      images: [data],
    })
    const image = ['https://example.com/a.png', 'data:image/png;base64,AAAA']
    const images = [linked('https://example.com/a.png', 'image[0]'), data]
    expect(decode({ ...LEAST, image }).images as unknown).toEqual(images)
  })

  test.each([
    '',
    '[]',
    '{"model":',
    '{"model":"m","model":"n","prompt":"p"}',
    '{"model":"m","prompt":"\\x"}',
  ])('%s is rejected', (text) => {
    expect(errorOf(() => decodeImageRequest(bytesOf(text), bufferCodec)).code).toBe('bad_request')
  })
})

describe('an edit as JSON', () => {
  const edit = (fields: object) => decodeImageEdit(bytesOf(JSON.stringify({ ...LEAST, ...fields })), bufferCodec)
  const url = 'https://example.com/a.png'

  test('has images and a mask as URLs or data URLs', () => {
    const data = { image_url: 'data:image/webp;base64,AAAA' }
    const request = edit({ images: [{ image_url: url }, data], mask: data, input_fidelity: 'high', seed: 7 })
    const inline = { mediaType: 'image/webp', bytes: 3, source: { kind: 'inline', base64: 'AAAA' } }
    expect(request as unknown).toEqual({
      ...LEAST,
      operation: 'edit',
      n: 1,
      stream: false,
      inputFidelity: 'high',
      images: [{ mediaType: '', bytes: 0, source: { kind: 'url', url, field: 'images[0].image_url' } }, inline],
      mask: inline,
      unknown: [{ name: 'seed', text: '7' }],
    })
  })

  test.each<[fields: object, code: string, param: string]>([
    [{}, 'bad_request', 'images'],
    [{ images: [] }, 'bad_request', 'images'],
    [{ images: url }, 'bad_request', 'images'],
    [{ images: [url] }, 'bad_request', 'images[0]'],
    [{ images: [{}] }, 'bad_request', 'images[0].image_url'],
    [{ images: [{ file_id: 'file-1' }] }, 'unsupported_parameter', 'images[0].file_id'],
    [{ images: [{ image_url: { url } }] }, 'bad_request', 'images[0].image_url'],
    [{ images: [{ Image_url: url }] }, 'bad_request', 'images[0].Image_url'],
    [{ images: [{ image_url: 'data:image/gif;base64,AAAA' }] }, 'unsupported_media_type', 'images[0].image_url'],
    [{ images: [{ image_url: url }], image: url }, 'bad_request', 'images'],
    [{ images: [{ image_url: url }], mask: url }, 'bad_request', 'mask'],
  ])('%j is rejected', (fields, code, param) => {
    expect(errorOf(() => edit(fields))).toMatchObject({ code, param })
  })
})

const file = (name: string, more: Partial<FormFile> = {}): FormFile => ({
  name,
  mediaType: 'image/png',
  bytes: 100,
  source: { kind: 'file', handle: `/spool/${name}` },
  ...more,
})
const form = (fields: Record<string, string>, files: FormFile[] = [file('image')]) =>
  decodeImageForm(
    Object.entries({ ...LEAST, ...fields }).map(([name, value]): FormField => ({ name, value })),
    files,
  )

const LEAST_FIELDS: FormField[] = Object.entries(LEAST).map(([name, value]) => ({ name, value: String(value) }))

describe('a form', () => {
  test('with every field as text', () => {
    const { moderation, style, ...decoded } = DECODED
    const { moderation: _, style: __, ...sent } = ALL_FIELDS
    const text = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, String(value)]))
    const files = [file('image', { filename: 'a.png' }), file('mask')]
    expect(form({ ...text, input_fidelity: 'high', watermark: 'no' }, files) as unknown).toEqual({
      attribution: { endUser: 'ada', own: [] },
      ...decoded,
      operation: 'edit',
      inputFidelity: 'high',
      images: [
        { mediaType: 'image/png', bytes: 100, filename: 'a.png', source: { kind: 'file', handle: '/spool/image' } },
      ],
      mask: { mediaType: 'image/png', bytes: 100, source: { kind: 'file', handle: '/spool/mask' } },
      unknown: [{ name: 'watermark', text: 'no', isForm: true }],
    })
  })

  test.each<[name: string, reads: string]>([
    ['Model', 'model'],
    ['N', 'n'],
    ['n[]', 'n'],
    ['SIZE', 'size'],
    ['Image', 'image'],
    ['Mask', 'mask'],
    ['mask[]', 'mask'],
    ['Sequential_Image_Generation', 'sequential_image_generation'],
    // The Kelvin sign and the long s.
    ['ma\u017f\u212a', 'mask'],
  ])('%s, which some upstreams read as %s, is rejected', (name, reads) => {
    for (const read of [() => form({ [name]: '2' }), () => form({}, [file('image'), file(name)])]) {
      const error = errorOf(read)
      expect(error).toMatchObject({ code: 'bad_request', param: name })
      expect(error.message).toContain(`Write ${reads}.`)
    }
  })

  test('an unknown field that comes twice is rejected, one of a list is not', () => {
    const twice = (name: string) =>
      decodeImageForm([...LEAST_FIELDS, { name, value: '1' }, { name, value: '2' }], [file('image')])
    expect(errorOf(() => twice('seed'))).toMatchObject({ code: 'bad_request', param: 'seed' })
    expect(twice('tags[]').unknown.map(({ text }) => text)).toEqual(['1', '2'])
  })

  test('image, image[] and image[0] in any mix, in order', () => {
    const names = ['image[1]', 'image', 'image[]', 'image[]', 'image[0]']
    const request = form(
      {},
      names.map((name) => file(name)),
    )
    expect(request.images.map(({ source }) => source)).toEqual(
      names.map((name) => ({ kind: 'file', handle: `/spool/${name}` })),
    )
  })

  test('an empty field is an absent one, and stream may be false', () => {
    expect(form({ n: '', size: '', stream: 'false' })).toMatchObject({ n: 1, stream: false })
    // As Python writes it.
    for (const flag of [true, false]) expect(form({ stream: flag ? 'True' : 'False' })).toMatchObject({ stream: flag })
  })

  test('a file that was not chosen in a browser, empty and without a name, is an absent one', () => {
    const request = form({}, [file('image'), file('mask', { bytes: 0, filename: '' })])
    expect(request).not.toHaveProperty('mask')
    expect(errorOf(() => form({}, [file('image', { bytes: 0, filename: '' })])).message).toContain('image is required')
  })

  test.each<[what: string, code: string, param: string, run: () => unknown]>([
    ['no image', 'bad_request', 'image', () => form({}, [])],
    ['only a mask', 'bad_request', 'image', () => form({}, [file('mask')])],
    ['an image as text', 'bad_request', 'image', () => form({ 'image[]': 'x' })],
    ['two masks', 'bad_request', 'mask', () => form({}, [file('image'), file('mask'), file('mask')])],
    [
      '17 images',
      'bad_request',
      'image',
      () =>
        form(
          {},
          Array.from({ length: 17 }, () => file('image[]')),
        ),
    ],
    [
      'a file of another type',
      'unsupported_media_type',
      'image',
      () => form({}, [file('image', { mediaType: undefined })]),
    ],
    [
      'a GIF',
      'unsupported_media_type',
      'mask',
      () => form({}, [file('image'), file('mask', { mediaType: 'image/gif' })]),
    ],
    ['an empty file', 'bad_request', 'image', () => form({}, [file('image', { bytes: 0 })])],
    ['a file under another name', 'bad_request', 'photo', () => form({}, [file('image'), file('photo')])],
    ['n that is no number', 'bad_request', 'n', () => form({ n: 'two' })],
    ['n of 11', 'bad_request', 'n', () => form({ n: '11' })],
    ['stream that is no flag', 'bad_request', 'stream', () => form({ stream: '1' })],
    ['an empty prompt', 'bad_request', 'prompt', () => form({ prompt: '' })],
    [
      'a field that comes twice',
      'bad_request',
      'model',
      () =>
        decodeImageForm(
          [
            { name: 'model', value: 'a' },
            { name: 'model', value: 'b' },
          ],
          [file('image')],
        ),
    ],
  ])('%s is rejected', (_, code, param, run) => {
    expect(errorOf(run)).toMatchObject({ code, param })
  })
})

const LIMITS: ImageLimits = { sizes: ['1024x1024', '1536x1024'], qualities: ['low', 'high'], n: 2 }
const RANGE: ImageLimits = { sizeRange: { least: 64, most: 2_048 } }
const FINE: ImageLimits = {
  sizeRange: { least: 16, most: 3_840, multipleOf: 16, maxRatio: 3, minPixels: 1_024, maxPixels: 3_840 * 2_160 },
}

test.each<[fields: object, limits: ImageLimits, param: string, allowed: string]>([
  [{ size: '512x512' }, LIMITS, 'size', 'auto, 1024x1024, 1536x1024'],
  [{ quality: 'hd' }, LIMITS, 'quality', 'auto, low, high'],
  [{ n: 3 }, LIMITS, 'n', '1 to 2'],
  [{ size: '63x64' }, RANGE, 'size', 'any size from 64x64 to 2048x2048'],
  [{ size: '64x2049' }, RANGE, 'size', 'any size from 64x64 to 2048x2048'],
  [
    { size: '1000x1024' },
    FINE,
    'size',
    'sides divisible by 16, at most 3:1, at least 1024 pixels, at most 8294400 pixels',
  ],
  [{ size: '16x32' }, FINE, 'size', 'at least 1024 pixels'],
  [{ size: '160x1600' }, FINE, 'size', 'at most 3:1'],
  [{ size: '3840x3840' }, FINE, 'size', 'at most 8294400 pixels'],
])('%j is more than the model allows', (fields, limits, param, allowed) => {
  const error = errorOf(() => checkImageLimits(decode({ ...LEAST, ...fields }), limits))
  expect(error).toMatchObject({ code: 'bad_request', param })
  expect(error.message).toContain(allowed)
})

test.each<[fields: object, limits: ImageLimits]>([
  [{}, LIMITS],
  [{ size: 'auto', quality: 'auto', n: 2 }, LIMITS],
  [{ size: '1536x1024', quality: 'low' }, LIMITS],
  [{ size: '64x2048' }, RANGE],
  [{ size: '3840x2160' }, FINE],
  [{ size: '32x32' }, FINE],
  [{ size: '99x77', quality: 'any' }, {}],
])('%j is allowed', (fields, limits) => {
  expect(() => checkImageLimits(decode({ ...LEAST, ...fields }), limits)).not.toThrow()
})
