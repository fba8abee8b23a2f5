import { expect, test } from 'bun:test'
import OpenAI from 'openai'
import { bufferCodec, bytesOf, textOfPieces } from '../../../fixtures/buffer-codec.ts'
import type { ImageEvent, ImageReply, ReplyImage } from '../../canonical/image.ts'
import { encodeStreamError } from './error.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { encodeEvent, heartbeat } from './reply/encode-stream.ts'

const DETAILS = { size: '1024x1024', quality: 'high', background: 'opaque', outputFormat: 'png' }
const image = (base64: string): ReplyImage => ({
  base64: { pieces: [bytesOf(base64)], length: base64.length },
  unknown: [],
})

/** A server that answers everything with this. */
function served(body: string, type: string) {
  const server = Bun.serve({ port: 0, fetch: () => new Response(body, { headers: { 'content-type': type } }) })
  const client = new OpenAI({ apiKey: 'sk-test', baseURL: `http://127.0.0.1:${server.port}/v1`, maxRetries: 0 })
  return { client, [Symbol.asyncDispose]: () => server.stop(true) }
}

test('the official SDK reads a reply', async () => {
  const reply: ImageReply = { images: [image('abcd'), image('efgh')], details: DETAILS, usage: undefined, unknown: [] }
  await using server = served(textOfPieces(encodeReply(reply, 7, bufferCodec)), 'application/json')
  const { created, data, size, output_format } = await server.client.images.generate({ model: 'm', prompt: 'p' })
  expect([created, data, size, output_format] as unknown[]).toEqual([
    7,
    [{ b64_json: 'abcd' }, { b64_json: 'efgh' }],
    '1024x1024',
    'png',
  ])
})

const EVENTS: Extract<ImageEvent, { type: 'partial' | 'completed' }>[] = [
  { type: 'partial', index: 0, image: image('abcd'), details: DETAILS, unknown: [] },
  { type: 'completed', image: image('efgh'), details: DETAILS, usage: undefined, unknown: [] },
]
const encoded = (operation: 'generate' | 'edit') =>
  EVENTS.map((event) =>
    textOfPieces(encodeEvent(event, { operation, created: 7, details: DETAILS }, bufferCodec)),
  ).join(heartbeat)

test('the official SDK reads the events of a generation', async () => {
  await using server = served(heartbeat + encoded('generate'), 'text/event-stream')
  const seen: unknown[] = []
  for await (const event of await server.client.images.generate({ model: 'm', prompt: 'p', stream: true }))
    seen.push([event.type, event.b64_json, 'usage' in event ? event.usage.total_tokens : event.partial_image_index])
  expect(seen).toEqual([
    ['image_generation.partial_image', 'abcd', 0],
    ['image_generation.completed', 'efgh', 0],
  ])
})

test('the official SDK reads the events of an edit, and throws the error that ends them', async () => {
  const error = { code: 'content_policy_violation', message: 'Blocked.' } as const
  await using server = served(encoded('edit') + encodeStreamError(error, 'req_1'), 'text/event-stream')
  const file = new File(['x'], 'a.png', { type: 'image/png' })
  const seen: string[] = []
  const read = async () => {
    const stream = await server.client.images.edit({ model: 'm', prompt: 'p', image: file, stream: true })
    for await (const event of stream) seen.push(event.type)
  }
  expect(await read().catch((thrown: unknown) => thrown)).toMatchObject({
    code: 'moderation_blocked',
    type: 'image_generation_user_error',
  })
  expect(seen).toEqual(['image_edit.partial_image', 'image_edit.completed'])
})
