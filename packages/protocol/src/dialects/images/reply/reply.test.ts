import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf, textOfPieces } from '../../../../fixtures/buffer-codec.ts'
import { thinJsonOf } from '../../../../fixtures/thin-json.ts'
import type { ImageEvent, ImageReply } from '../../../canonical/image.ts'
import { openThinJson } from '../../../framing/json/thin-json.ts'
import { encodeStreamError } from '../error.ts'
import { decodeReply } from './decode-reply.ts'
import { openStreamDecoder } from './decode-stream.ts'
import { encodeReply } from './encode-reply.ts'
import { assumedDetails, encodeEvent, heartbeat } from './encode-stream.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUg'.repeat(1_000)
const USAGE = {
  total_tokens: 1_140,
  input_tokens: 84,
  output_tokens: 1_056,
  input_tokens_details: { text_tokens: 20, image_tokens: 64 },
  vendor_field: true,
}
const REPLY = {
  created: 1_767_225_600,
  background: 'opaque',
  output_format: 'png',
  quality: 'medium',
  size: '1024x1024',
  watermark: { id: 'x'.repeat(3_000) },
  data: [
    { b64_json: PNG, revised_prompt: `A cat\n${'y'.repeat(3_000)}`, seed: 7 },
    { b64_json: 'iVBORw0KGgo=' },
    { url: 'https://images.example.com/1.png' },
  ],
  usage: USAGE,
}

function decoded(body: unknown, size = 1_000_000): ImageReply {
  const reader = openThinJson(1e8)
  const bytes = bytesOf(typeof body === 'string' ? body : JSON.stringify(body))
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.slice(at, at + size))
  const reply = decodeReply(reader.take(), bufferCodec)
  if (!reply.ok) throw new Error(reply.error.message)
  return reply.reply
}

describe.each([1, 500, 1_000_000])('a reply in pieces of %i bytes', (size) => {
  const reply = decoded(REPLY, size)

  test('is decoded', () => {
    expect(reply).toMatchObject({
      created: 1_767_225_600,
      details: { size: '1024x1024', quality: 'medium', background: 'opaque', outputFormat: 'png' },
      usage: { input: 84, output: 1_056, imageInput: 64, imageOutput: 1_056 },
    })
    const images = reply.images.map(({ base64, url, revisedPrompt }) => [
      base64 && textOfPieces(base64.pieces),
      base64?.length,
      url,
      revisedPrompt?.length,
    ])
    expect(images).toEqual([
      [PNG, PNG.length, undefined, 3_006],
      ['iVBORw0KGgo=', 12, undefined, undefined],
      [undefined, undefined, 'https://images.example.com/1.png', undefined],
    ])
  })

  test('reaches the client with every unknown field', () => {
    expect(JSON.parse(textOfPieces(encodeReply(reply, 5, bufferCodec)))).toEqual(REPLY)
  })
})

test('images by URL, and usage where it was not written in this dialect', () => {
  const { created, usageJson, ...reply } = decoded(REPLY)
  const images = reply.images.map((image, index) => ({ url: `https://gw/${index}`, unknown: image.unknown }))
  expect(JSON.parse(textOfPieces(encodeReply({ ...reply, images, unknown: [] }, 5, bufferCodec)))).toEqual({
    created: 5,
    background: 'opaque',
    output_format: 'png',
    quality: 'medium',
    size: '1024x1024',
    data: [{ url: 'https://gw/0', seed: 7 }, { url: 'https://gw/1' }, { url: 'https://gw/2' }],
    usage: {
      total_tokens: 1_140,
      input_tokens: 84,
      output_tokens: 1_056,
      input_tokens_details: { text_tokens: 20, image_tokens: 64 },
      output_tokens_details: { text_tokens: 0, image_tokens: 1_056 },
    },
  })
})

test.each([
  ['escaped slashes', `{"data":[{"b64_json":"${'ab\\/c'.repeat(1_000)}"}]}`, 'ab/c'.repeat(1_000)],
  ['escaped slashes in a short one', '{"data":[{"b64_json":"ab\\/c"}]}', 'ab/c'],
  ['a data URL', `{"data":[{"b64_json":"data:image/png;base64,${PNG}"}]}`, PNG],
  ['a short data URL', '{"data":[{"b64_json":"data:image/png;base64,abcd"}]}', 'abcd'],
])('%s', (_, body, base64) => {
  const [image] = decoded(body).images
  expect([textOfPieces(image?.base64?.pieces ?? []), image?.base64?.length]).toEqual([base64, base64.length])
})

test.each<[body: string, code: string]>([
  ['<html>', 'upstream_error'],
  ['[]', 'upstream_error'],
  ['{"data":[', 'upstream_error'],
  ['{"data":[]}', 'upstream_no_image'],
  ['{"data":[{"b64_json":null,"url":""}]}', 'upstream_no_image'],
  ['{"created":1}', 'upstream_no_image'],
  ['{"error":{"message":"No.","code":"moderation_blocked"}}', 'content_policy_violation'],
  ['{"error":"busy","code":503}', 'service_unavailable'],
])('%s is an error', (body, code) => {
  expect(decodeReply(thinJsonOf(bytesOf(body)), bufferCodec)).toMatchObject({ ok: false, error: { code } })
})

function events(text: string, size = 1_000_000): ImageEvent[] {
  const found: ImageEvent[] = []
  const decoder = openStreamDecoder((event) => found.push(event), bufferCodec)
  const bytes = bytesOf(text)
  for (let at = 0; at < bytes.length; at += size) decoder.push(bytes.slice(at, at + size))
  decoder.end()
  return found
}

const sse = (fields: { type: string }) => `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`
const DETAILS = { created_at: 9, size: '1024x1024', quality: 'high', background: 'opaque', output_format: 'png' }
const PARTIAL = { type: 'image_generation.partial_image', b64_json: PNG, partial_image_index: 1, ...DETAILS, odd: [1] }
const COMPLETED = { type: 'image_generation.completed', b64_json: `${PNG}00`, ...DETAILS, usage: USAGE, more: 'x' }

describe.each([1, 777, 1_000_000])('a stream in pieces of %i bytes', (size) => {
  const found = events(`${heartbeat}${sse(PARTIAL)}${sse(COMPLETED)}data: [DONE]\n\n`, size)

  test('is decoded', () => {
    expect(found.map(({ type }) => type)).toEqual(['partial', 'completed', 'end'])
    expect(found[0]).toMatchObject({ index: 1, created: 9, details: { quality: 'high' } })
    expect(found[1]).toMatchObject({ usage: { output: 1_056 } })
  })

  test('reaches the client as it was', () => {
    const context = { operation: 'generate', created: 5, details: assumedDetails({ ...REQUEST }) } as const
    const data = found.flatMap((event) =>
      event.type === 'partial' || event.type === 'completed' ? dataOf(encodeEvent(event, context, bufferCodec)) : [],
    )
    expect(data).toEqual([PARTIAL, COMPLETED])
  })
})

const REQUEST = { operation: 'generate', model: 'm', prompt: 'p', n: 1, stream: true, images: [], unknown: [] } as const

function dataOf(pieces: readonly Uint8Array[]): unknown[] {
  const text = textOfPieces(pieces)
  expect(text).toMatch(/^event: [a-z_.]+\ndata: [^\n\r]+\n\n$/)
  return [JSON.parse(text.slice(text.indexOf('data: ') + 6))]
}

test('partial images without an index are counted for each image', () => {
  const { partial_image_index, ...partial } = PARTIAL
  const found = events([partial, partial, COMPLETED, partial].map(sse).join(''))
  expect(found.flatMap((event) => (event.type === 'partial' ? event.index : event.type))).toEqual([
    0,
    1,
    'completed',
    0,
    'end',
  ] as never)
})

test('what clients demand is there, also where the upstream tells nothing; in one line', () => {
  const [image] = decoded('{"data":[{"b64_json":"abcd"}]}').images
  if (image === undefined) throw new Error('no image')
  const context = { operation: 'edit', created: 5, details: assumedDetails({ ...REQUEST, quality: 'low' }) } as const
  const unknown = [{ name: 'x', json: [bytesOf('[\n1,\r\n2]')] }]
  const event = { type: 'completed', image, details: { size: '64x64' }, usage: undefined, unknown } as const
  expect(dataOf(encodeEvent(event, context, bufferCodec))).toEqual([
    {
      type: 'image_edit.completed',
      b64_json: 'abcd',
      created_at: 5,
      background: 'auto',
      output_format: 'png',
      quality: 'low',
      size: '64x64',
      x: [1, 2],
      usage: {
        total_tokens: 0,
        input_tokens: 0,
        output_tokens: 0,
        input_tokens_details: { text_tokens: 0, image_tokens: 0 },
        output_tokens_details: { text_tokens: 0, image_tokens: 0 },
      },
    },
  ])
})

test.each<[what: string, text: string, types: string[], code: string | undefined]>([
  [
    'an error event',
    `${sse(PARTIAL)}${encodeStreamError({ code: 'content_policy_violation', message: 'No.' }, '')}`,
    ['partial', 'error'],
    'content_policy_violation',
  ],
  ['an error without a name', 'data: {"error":{"message":"x","type":"server_error"}}\n\n', ['error'], 'upstream_error'],
  [
    'an error after an image',
    `${sse(COMPLETED)}event: error\ndata: {"error":{"code":"moderation_blocked"}}\n\n`,
    ['completed', 'error'],
    'content_policy_violation',
  ],
  ['no image', sse(PARTIAL), ['partial', 'error'], 'upstream_no_image'],
  ['nothing', '', ['error'], 'upstream_no_image'],
  ['what is not JSON', 'data: {"type":\n\n', ['error'], 'upstream_error'],
  ['unknown events', `${sse({ type: 'image_generation.queued' })}${sse(COMPLETED)}`, ['completed', 'end'], undefined],
  ['events of edits', sse({ ...COMPLETED, type: 'image_edit.completed' }), ['completed', 'end'], undefined],
])('%s', (_, text, types, code) => {
  const found = events(text)
  expect(found.map(({ type }) => type)).toEqual(types as ImageEvent['type'][])
  const last = found.at(-1)
  expect(last?.type === 'error' ? last.error.code : undefined).toBe(code as never)
})
