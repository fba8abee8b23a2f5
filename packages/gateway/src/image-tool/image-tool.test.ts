// The tool of a request: what the caller sets, what the model may choose, and what each call of the model asks for.
import { describe, expect, test } from 'bun:test'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import type { Turn } from '@trivium/protocol/canonical/request.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'
import { ConversationImages } from './conversation-images.ts'
import { withImageCalls } from './history.ts'
import { functionOf, imageRequestOf, readImageTool } from './image-tool.ts'

const LIMITS = { sizes: ['512x512', '1024x1024'], qualities: ['low', 'high'], n: 1 }
const offerOf = (...capabilities: string[]) =>
  ({ model: { id: 'img', limits: LIMITS, capabilities } }) as unknown as OfferOf<'image'>
const NONE = new ConversationImages([], {})

function read(tool: object, more: object = {}, { offer = offerOf(), images = NONE } = {}) {
  const warnings: string[] = []
  const body = {
    tools: [
      { type: 'function', name: 'other' },
      { type: 'image_generation', ...tool },
    ],
    ...more,
  }
  const offered = { offer, functionName: 'image_generation', images }
  return { tool: readImageTool(body, offered, warnings), warnings }
}

const rejection = (run: () => unknown): unknown[] => {
  try {
    run()
  } catch (error) {
    if (error instanceof RequestError) return [error.info.code, error.info.param]
    throw error
  }
  return []
}

const propertiesOf = (tool: object) =>
  (functionOf(read(tool).tool).schema as { properties: Record<string, { enum?: string[] }> }).properties

describe('what the caller sets', () => {
  test('is kept, and what only a vendor can follow is named', () => {
    const { tool, warnings } = read({ size: '512x512', quality: null, model: 'gpt-image' })
    expect(tool).toMatchObject({ options: { size: '512x512' }, maxCalls: 4, isStream: false })
    expect(warnings).toEqual(['tools[1].model;dropped'])
  })

  test.each([
    [{ size: '9x9' }, {}],
    [{ quality: 'best' }, {}],
    [{}, { max_tool_calls: 0 }],
    [{}, { max_tool_calls: 1.5 }],
  ])('%j %j is rejected before anything is held', (tool, more) => {
    expect(rejection(() => read(tool, more))[0]).toBe('bad_request')
  })

  test.each([
    [{ max_tool_calls: 2 }, 2],
    [{ max_tool_calls: 1_000 }, 128],
    [{ max_tool_calls: null }, 4],
  ])('%j: at most %p calls', (more, most) => {
    expect(read({}, more).tool.maxCalls).toBe(most)
  })
})

describe('what the model may choose', () => {
  test('is what the image model has', () => {
    const { size, quality, background } = propertiesOf({})
    expect(size?.enum).toEqual(['auto', '512x512', '1024x1024'])
    expect(quality?.enum).toEqual(['auto', 'low', 'high'])
    expect(background?.enum).toContain('transparent')
  })

  test('is not what the caller has set', () => {
    expect(Object.keys(propertiesOf({ size: '512x512', background: 'opaque' }))).toEqual(['prompt', 'quality'])
  })
})

describe('a call of the model', () => {
  test('asks for one image, with the options of both', () => {
    const { tool } = read({ quality: 'high', output_format: 'webp' })
    expect(imageRequestOf(tool, '{"prompt":"a cat","size":"512x512","quality":"low"}')).toMatchObject({
      operation: 'generate',
      model: 'img',
      prompt: 'a cat',
      size: '512x512',
      quality: 'high',
      outputFormat: 'webp',
      stream: false,
      responseFormat: 'b64_json',
    })
  })

  test.each([
    [true, 2, true],
    [true, 0, false],
    [false, 2, false],
  ])('streamed: %p, partial images: %p: streamed from the upstream %p', (stream, partial_images, expected) => {
    const { tool } = read({ partial_images }, { stream })
    const request = imageRequestOf(tool, '{"prompt":"a cat"}')
    expect([request.stream, request.partialImages]).toEqual([expected, expected ? partial_images : undefined])
  })

  test.each(['', 'a cat', '[]', '{}', '{"prompt":7}', '{"prompt":"a cat","size":"9x9"}'])('%j is rejected', (text) => {
    expect(rejection(() => imageRequestOf(read({}).tool, text))).not.toEqual([])
  })
})

/** A conversation: two images of one message, one that a response made, one that failed, one by its URL. */
const PNG = 'iVBORw0KGgoAAAAA'
const JPEG = '/9j/AAAA'
const media = (source: object, at: string) => ({ type: 'media', media: 'image', source, at })
const inline = (data: string, mime: string) => ({ kind: 'inline', mime, data })
const item = (index: number) => ({ type: 'foreign', what: 'image_generation_call', at: `input[${index}]` })
const LINK = 'https://example.com/a.png'
const TURNS = [
  { role: 'user', parts: [media(inline(JPEG, 'image/jpg'), 'a'), media(inline(PNG, 'image/png'), 'b')] },
  { role: 'assistant', parts: [item(1), item(2), { type: 'text', text: 'Here.' }] },
  { role: 'user', parts: [{ type: 'text', text: 'Bluer.' }, media({ kind: 'url', url: LINK }, 'c')] },
] as unknown as Turn[]
const FAILED = { type: 'image_generation_call', status: 'failed', result: null }
const MADE = {
  type: 'image_generation_call',
  status: 'completed',
  result: PNG,
  revised_prompt: 'a hat',
  action: 'edit',
}
const HISTORY = { input: [{}, MADE, FAILED, {}] }

const editing = (tool: object = {}, images = new ConversationImages(TURNS, HISTORY)) =>
  read(tool, {}, { offer: offerOf('images'), images })
const MASK = { image_url: `data:image/png;base64,${PNG}` }

describe('images of the conversation', () => {
  test('the model learns their names, where they stand', () => {
    const images = new ConversationImages(TURNS, HISTORY)
    const turns = TURNS.flatMap((turn) =>
      withImageCalls(turn, 'draw', HISTORY, (part) => images.nameOf(part), new Map()),
    )
    const told = turns.flatMap(({ parts }) =>
      parts.map((part) => {
        if (part.type === 'result') return part.parts.map((each) => (each.type === 'text' ? each.text : '')).join()
        return part.type === 'text' ? part.text : part.type === 'call' ? part.arguments : part.type
      }),
    )
    expect(told).toEqual([
      ...['image_1:', 'media', 'image_2:', 'media'],
      ...['{"prompt":"a hat","action":"edit"}', 'The image was made and is shown to the user. Its name is image_3.'],
      ...['{"prompt":""}', 'The image was not made.', 'Here.', 'Bluer.', 'image_4:', 'media'],
    ])
  })

  const sourcesOf = (text: string, images?: ConversationImages) =>
    imageRequestOf(editing({}, images).tool, text).images.map(({ source, mediaType }) => [
      mediaType,
      source.kind === 'url' ? source.url : source.kind === 'inline' ? source.base64 : '',
    ])
  const call = (more: object) => JSON.stringify({ prompt: 'bluer', ...more })

  test.each<[string, object, string[][]]>([
    [
      'by their names, each once',
      { action: 'edit', images: ['image_3', 'image_1', 'image_3'] },
      [
        ['image/png', PNG],
        ['image/jpeg', JPEG],
      ],
    ],
    ['without names the last one', { action: 'edit' }, [['', LINK]]],
    ['names alone are enough', { images: ['image_2'] }, [['image/png', PNG]]],
    ['a new image', { action: 'generate', images: ['image_2'] }, []],
    ['nothing said', {}, []],
  ])('%s', (_, more, expected) => expect(sourcesOf(call(more))).toEqual(expected))

  test('the last message as a whole, and before others the image that was made last', () => {
    const images = new ConversationImages(TURNS.slice(0, 1), HISTORY)
    expect(sourcesOf(call({ action: 'edit' }), images)).toHaveLength(2)
    expect(images.addMade(PNG, 'image/png')).toBe('image_3')
    expect(sourcesOf(call({ action: 'edit' }), images)).toEqual([['image/png', PNG]])
    expect(images.bytes).toBe(2 * PNG.length + JPEG.length)
  })

  test('what is behind a URL is fetched once', () => {
    const { tool } = editing()
    const request = imageRequestOf(tool, call({ action: 'edit' }))
    const fetched = { mediaType: 'image/png', bytes: 3, source: { kind: 'inline' as const, base64: 'AAAA' } }
    tool.images.remember(request, { ...request, images: [fetched] })
    expect(imageRequestOf(tool, call({ action: 'edit' })).images).toEqual([fetched])
  })

  const many = new ConversationImages(
    [
      { role: 'user', parts: Array.from({ length: 17 }, () => media(inline(PNG, 'image/png'), 'a')) },
    ] as unknown as Turn[],
    {},
  )
  test.each<[string, object, ConversationImages | undefined]>([
    ['an unknown name', { images: ['image_9'] }, undefined],
    ['no name', { images: ['image_0'] }, undefined],
    ['a name that is no text', { images: [{}] }, undefined],
    ['too many names', { images: Array(17).fill('image_1') }, undefined],
    ['no list', { action: 'edit', images: 'image_1' }, undefined],
    ['none there', { action: 'edit' }, NONE],
    ['too many', { action: 'edit' }, many],
    [
      'no base64',
      { action: 'edit' },
      new ConversationImages([{ role: 'assistant', parts: [item(0)] }] as unknown as Turn[], {
        input: [{ ...MADE, result: 'a b' }],
      }),
    ],
  ])('told to the model: %s', (_, more, images) => {
    expect(rejection(() => sourcesOf(call(more), images))).not.toEqual([])
  })
})

describe('whether images are edited', () => {
  const properties = (tool: object) => {
    const { properties, required } = functionOf(
      editing({ size: '512x512', quality: 'low', background: 'auto', ...tool }).tool,
    ).schema as never
    return [Object.keys(properties), required]
  }
  test.each<[object, string[], string[]]>([
    [{}, ['prompt', 'action', 'images'], ['prompt', 'action']],
    [{ action: 'edit' }, ['prompt', 'images'], ['prompt']],
    [{ action: 'generate' }, ['prompt'], ['prompt']],
    // The model knows nothing of the mask.
    [{ input_image_mask: MASK }, ['prompt', 'images'], ['prompt']],
  ])('%j: the model chooses %p', (tool, names, required) => expect(properties(tool)).toEqual([names, required]))

  test('mask and fidelity are those of edits alone', () => {
    const { tool } = editing({ input_image_mask: MASK, input_fidelity: 'high' })
    const source = { kind: 'inline', base64: PNG }
    expect(imageRequestOf(tool, '{"prompt":"a"}')).toMatchObject({
      operation: 'edit',
      inputFidelity: 'high',
      mask: { source },
    })
    const plain = imageRequestOf(editing({ input_fidelity: 'high' }).tool, '{"prompt":"a"}')
    expect([plain.operation, plain.inputFidelity, plain.mask]).toEqual(['generate', undefined, undefined])
  })

  const cannot = (tool: object) => read(tool, {}, { images: new ConversationImages(TURNS, HISTORY) })
  test('an image model that cannot: a new image, with warnings', () => {
    const { tool, warnings } = cannot({ input_image_mask: MASK, input_fidelity: 'low' })
    expect(tool).toMatchObject({ action: 'generate', mask: undefined, isEditDropped: true })
    const names = ['input_fidelity', 'input_image_mask']
    expect(warnings).toEqual(names.map((name) => `tools[1].${name};dropped`))
    for (const other of [cannot({ action: 'generate' }), read({}), editing()])
      expect([other.tool.isEditDropped, other.warnings]).toEqual([false, []])
  })

  test('a mask for nothing is dropped with a warning', () => {
    for (const { tool, warnings } of [
      editing({ input_image_mask: MASK }, NONE),
      editing({ input_image_mask: MASK, action: 'generate' }),
    ]) {
      expect(tool.mask).toBeUndefined()
      expect(warnings).toEqual(['tools[1].input_image_mask;dropped'])
    }
  })

  test.each<[string, () => unknown, unknown[]]>([
    ['an edit, by a model that cannot', () => cannot({ action: 'edit' }), ['unsupported_parameter', 'tools[1].action']],
    ['an edit of nothing', () => editing({ action: 'edit' }, NONE), ['bad_request', 'tools[1].action']],
    ['an unknown action', () => editing({ action: 'paint' }), ['bad_request', 'tools[1].action']],
    [
      'a file as the mask',
      () => editing({ input_image_mask: { file_id: 'f' } }),
      ['unsupported_parameter', 'tools[1].input_image_mask.file_id'],
    ],
    [
      'a mask that is no image',
      () => editing({ input_image_mask: { image_url: 'data:image/png;base64,AAAA' } }),
      ['unsupported_media_type', 'tools[1].input_image_mask.image_url'],
    ],
    ['a fidelity that is none', () => editing({ input_fidelity: 'best' }), ['bad_request', 'input_fidelity']],
  ])('rejected before anything is held: %s', (_, run, expected) => expect(rejection(run)).toEqual(expected))
})
