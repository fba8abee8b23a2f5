// Images are requested from the sandbox in every dialect that has them, and found in what it answers.

import { describe, expect, test } from 'bun:test'
import type { Base64, ImageEvent, ImageInput, ImageReply, ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { type ImageTarget, partLength } from '@trivium/protocol/dialects/image-service.ts'
import { IMAGE_SERVICES, type ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { bufferCodec } from '@trivium/protocol/fixtures/buffer-codec.ts'
import { openThinJson } from '@trivium/protocol/framing/json/thin-json.ts'
import { createSandbox } from '@trivium/sandbox/handler.ts'

const sandbox = createSandbox({ faults: true, pace: 0 })
const IDS = Object.keys(IMAGE_SERVICES) as ImageDialectId[]
const REQUEST: ImageRequest = {
  operation: 'generate',
  model: 'img',
  prompt: 'a "cat"',
  n: 1,
  stream: false,
  images: [],
  unknown: [],
}
const target = (model: string, stream: boolean): ImageTarget => ({
  model,
  stream,
  responseFormat: 'b64_json',
  boundary: 'boundary0123456789',
  warn: () => {},
})

async function ask(id: ImageDialectId, request: ImageRequest, given: ImageTarget): Promise<Response> {
  const service = IMAGE_SERVICES[id]
  const { endpoint } = DIALECTS[id]
  const { contentType, body } = service.encodeRequest(request, given, bufferCodec)
  const bytes = Buffer.concat(
    body.map((part) => {
      if (part instanceof Uint8Array) return part
      const base64 = part.image.source.kind === 'inline' ? part.image.source.base64 : ''
      return Buffer.from(base64, part.as === 'bytes' ? 'base64' : 'latin1')
    }),
  )
  expect(body.reduce((sum, part) => sum + partLength(part), 0)).toBe(bytes.length)
  const path = request.operation === 'edit' ? (service.editsPath ?? endpoint.path) : endpoint.path
  const filled = endpoint.fillPath?.(path, given.model, given.stream) ?? path
  return sandbox(
    new Request(`http://sandbox${endpoint.basePath}${filled}`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': contentType },
      body: bytes,
    }),
  )
}

async function replyOf(id: ImageDialectId, request: Partial<ImageRequest> = {}, model = 'sandbox-image') {
  const answer = await ask(id, { ...REQUEST, ...request }, target(model, false))
  const reader = openThinJson(1e8)
  reader.push(await answer.bytes())
  return IMAGE_SERVICES[id].decodeReply(reader.take(), bufferCodec)
}

async function eventsOf(id: ImageDialectId, request: Partial<ImageRequest> = {}, model = 'sandbox-image') {
  const answer = await ask(id, { ...REQUEST, ...request, stream: true }, target(model, true))
  const events: ImageEvent[] = []
  const decoder = IMAGE_SERVICES[id].openStreamDecoder((event) => events.push(event), bufferCodec)
  for await (const chunk of answer.body ?? []) decoder.push(chunk)
  decoder.end()
  return events
}

const textOf = (base64: Base64 | undefined): string => Buffer.concat(base64?.pieces ?? []).toString()

async function imageOf(reply: Promise<{ ok: boolean; reply?: ImageReply }>): Promise<{ base64: string; size: string }> {
  const base64 = textOf((await reply).reply?.images[0]?.base64)
  const { width, height } = await new Bun.Image(Buffer.from(base64, 'base64')).metadata()
  return { base64, size: `${width}x${height}` }
}

describe.each(IDS)('%s', (id) => {
  const { hasPartialImages } = IMAGE_SERVICES[id]

  test('a generation, and the same streamed', async () => {
    const { base64, size } = await imageOf(replyOf(id, { size: '1024x1024' }))
    expect(size).toBe('1024x1024')
    const events = await eventsOf(id, { size: '1024x1024', partialImages: 2 })
    const types = events.map(({ type }) => type).filter((type) => type !== 'usage')
    expect(types).toEqual([...(hasPartialImages ? ['partial', 'partial'] : []), 'completed', 'end'] as typeof types)
    expect(events.flatMap((event) => (event.type === 'completed' ? textOf(event.image.base64) : []))).toEqual([base64])
  })

  test('an edit', async () => {
    const { base64 } = await imageOf(replyOf(id, { size: '1024x1024' }))
    const source: ImageInput = {
      mediaType: 'image/png',
      bytes: Buffer.from(base64, 'base64').length,
      source: { kind: 'inline', base64 },
    }
    const edited = await imageOf(replyOf(id, { operation: 'edit', prompt: 'a hat', images: [source] }))
    expect([edited.size, edited.base64 === base64]).toEqual(['1024x1024', false])
  })

  test.each([
    ['no-image', 'upstream_no_image'],
    ['error-event=0', 'upstream_error'],
  ])('%s', async (fault, code) => {
    const model = `sandbox-image:${fault}`
    expect(await replyOf(id, {}, model)).toMatchObject({ ok: false, error: { code } })
    expect((await eventsOf(id, {}, model)).at(-1)).toMatchObject({ type: 'error', error: { code } })
  })

  test('a prompt that is blocked', async () => {
    const answer = await ask(id, REQUEST, target('sandbox-image:moderation', false))
    const decoded =
      answer.status === 200
        ? await replyOf(id, {}, 'sandbox-image:moderation')
        : { error: DIALECTS[id].decodeError(answer.status, await answer.json()) }
    expect(decoded).toMatchObject({ error: { code: 'content_policy_violation' } })
  })
})

test('several images, by URL, in the images dialect', async () => {
  const decoded = await replyOf('images', { n: 3, size: '64x64' }, 'sandbox-image:image-url')
  expect(decoded.ok && decoded.reply.images.map(({ url }) => url?.startsWith('http://sandbox/'))).toEqual([
    true,
    true,
    true,
  ])
})
