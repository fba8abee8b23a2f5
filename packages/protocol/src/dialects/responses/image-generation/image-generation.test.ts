import { describe, expect, test } from 'bun:test'
import type OpenAI from 'openai'
import { bufferCodec, bytesOf, textOfPieces } from '../../../../fixtures/buffer-codec.ts'
import { thinJsonOf } from '../../../../fixtures/thin-json.ts'
import type { ImageEvent, ImageInput, ImageRequest } from '../../../canonical/image.ts'
import type { ImageTarget } from '../../image-service.ts'
import { decodeReply } from './decode-reply.ts'
import { openStreamDecoder } from './decode-stream.ts'
import { encodeRequest } from './encode-request.ts'

const warnings: string[] = []
const TARGET: ImageTarget = {
  model: 'gpt-5',
  stream: false,
  responseFormat: 'omit',
  boundary: 'B',
  warn: (field, reason) => void warnings.push(`${field};${reason}`),
}
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

function encode(
  request: Partial<ImageRequest>,
  target: Partial<ImageTarget> = {},
): OpenAI.Responses.ResponseCreateParams {
  warnings.length = 0
  const { body } = encodeRequest({ ...REQUEST, ...request }, { ...TARGET, ...target }, bufferCodec)
  return JSON.parse(body.map((part) => (part instanceof Uint8Array ? Buffer.from(part).toString() : 'AAAA')).join(''))
}

test('the tool is forced, and has the fields of the request', () => {
  const more: Partial<ImageRequest> = {
    size: '1024x1024',
    quality: 'high',
    background: 'opaque',
    outputFormat: 'webp',
    outputCompression: 50,
    moderation: 'low',
    partialImages: 2,
    style: 'vivid',
    user: 'ada',
    unknown: [{ name: 'x', text: '1' }],
  }
  expect(encode(more, { stream: true, endUser: 'u-1' })).toEqual({
    model: 'gpt-5',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'a "cat"' }] }],
    tools: [
      {
        type: 'image_generation',
        size: '1024x1024',
        quality: 'high',
        background: 'opaque',
        output_format: 'webp',
        output_compression: 50,
        moderation: 'low',
        partial_images: 2,
      },
    ],
    tool_choice: { type: 'image_generation' },
    store: false,
    stream: true,
    user: 'u-1',
  })
  expect(warnings).toEqual(['style;dropped', 'x;dropped'])
})

test('an edit has its images, and the mask', () => {
  const url = 'data:image/png;base64,AAAA'
  const image = { type: 'input_image' as const, detail: 'auto' as const, image_url: url }
  expect(encode({ operation: 'edit', images: [PNG, PNG], mask: PNG, inputFidelity: 'high' })).toEqual({
    model: 'gpt-5',
    input: [{ role: 'user', content: [image, image, { type: 'input_text', text: 'a "cat"' }] }],
    tools: [{ type: 'image_generation', action: 'edit', input_fidelity: 'high', input_image_mask: { image_url: url } }],
    tool_choice: { type: 'image_generation' },
    store: false,
  })
  expect(warnings).toEqual([])
})

const IMAGE = 'iVBORw0KGgo'.repeat(500)
const ITEM = {
  id: 'ig_1',
  type: 'image_generation_call',
  status: 'completed',
  result: IMAGE,
  revised_prompt: 'A cat.',
  size: '1024x1024',
  quality: 'high',
  background: 'opaque',
  output_format: 'png',
}
const MESSAGE = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Here.' }] }
const USAGE = { input_tokens: 10, output_tokens: 20, total_tokens: 30 }
const IMAGE_GEN = { input_tokens: 5, output_tokens: 1_056, output_tokens_details: { image_tokens: 1_056 } }
const RESPONSE = { id: 'resp_1', created_at: 9, status: 'completed', output: [MESSAGE, ITEM], usage: USAGE }

const decode = (body: unknown) => decodeReply(thinJsonOf(bytesOf(JSON.stringify(body))), bufferCodec)

test('the image of a response, with the tokens of the model and of the tool', () => {
  const decoded = decode({ ...RESPONSE, tool_usage: { image_gen: IMAGE_GEN } })
  if (!decoded.ok) throw new Error(decoded.error.message)
  const { images, ...reply } = decoded.reply
  expect(images.map(({ base64, revisedPrompt }) => [textOfPieces(base64?.pieces ?? []), revisedPrompt])).toEqual([
    [IMAGE, 'A cat.'],
  ])
  expect(reply).toMatchObject({
    created: 9,
    details: { size: '1024x1024', quality: 'high', background: 'opaque', outputFormat: 'png' },
    usage: { input: 15, output: 1_076, imageOutput: 1_056 },
  })
})

const event = (type: string, fields: object) => ({ type, ...fields })
function events(given: object[], size = 1_000_000): ImageEvent[] {
  const found: ImageEvent[] = []
  const decoder = openStreamDecoder((found_) => found.push(found_), bufferCodec)
  const bytes = bytesOf(
    given.map((item) => `event: ${(item as { type: string }).type}\ndata: ${JSON.stringify(item)}\n\n`).join(''),
  )
  for (let at = 0; at < bytes.length; at += size) decoder.push(bytes.slice(at, at + size))
  decoder.end()
  return found
}

test.each([3, 1_000_000])('a streamed response in pieces of %i bytes: every image once, then the usage', (size) => {
  const partial = { item_id: 'ig_1', output_index: 0, partial_image_index: 0, partial_image_b64: IMAGE, size: '64x64' }
  const found = events(
    [
      event('response.created', { response: { status: 'in_progress' } }),
      event('response.image_generation_call.in_progress', { item_id: 'ig_1' }),
      event('response.image_generation_call.partial_image', partial),
      event('response.output_item.done', { item: ITEM }),
      event('response.completed', { response: RESPONSE }),
    ],
    size,
  )
  expect(found).toMatchObject([
    { type: 'partial', index: 0, details: { size: '64x64' } },
    { type: 'completed', details: { quality: 'high' } },
    { type: 'usage', usage: { input: 10, output: 20 } },
    { type: 'end' },
  ])
})

test('an image that only the last event has', () => {
  const found = events([event('response.completed', { response: RESPONSE })])
  expect(found.map(({ type }) => type)).toEqual(['completed', 'usage', 'end'])
})

describe('no image', () => {
  test.each<[response: object, code: string]>([
    [{ ...RESPONSE, output: [MESSAGE] }, 'upstream_no_image'],
    [{ ...RESPONSE, output: [{ ...ITEM, status: 'failed', result: null }] }, 'upstream_no_image'],
    [
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] },
      'content_policy_violation',
    ],
    [{ status: 'failed', error: { code: 'moderation_blocked', message: 'x' }, output: [] }, 'content_policy_violation'],
    [{ status: 'failed', error: { code: 'server_error', message: 'x' } }, 'upstream_error'],
  ])('%j', (response, code) => {
    expect(decode(response)).toMatchObject({ ok: false, error: { code } })
    const { status } = response as { status: string }
    expect(events([event(`response.${status}`, { response })])).toMatchObject([{ type: 'error', error: { code } }])
  })

  test('an error event, and a stream that is cut', () => {
    expect(events([event('error', { code: 'rate_limit_exceeded', message: 'x' })])).toMatchObject([
      { type: 'error', error: { code: 'rate_limit_exceeded' } },
    ])
    expect(events([event('response.created', {})])).toMatchObject([
      { type: 'error', error: { code: 'upstream_no_image' } },
    ])
  })
})
