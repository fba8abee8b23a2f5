// generateContent and streamGenerateContent of a model that generates images.

import type { ImageInput, ImageLimits } from '@trivium/protocol/canonical/image.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import type { PathParameters } from '@trivium/protocol/dialects/dialect.ts'
import {
  type ImageGeneration,
  outlineOf,
  readImageGeneration,
  translateImageGeneration,
} from '@trivium/protocol/dialects/generate-content/image-generation/decode-request.ts'
import { encodeImageReply } from '@trivium/protocol/dialects/generate-content/image-generation/encode-reply.ts'
import { generateContent } from '@trivium/protocol/dialects/generate-content/index.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'
import { codec } from '../../bytes/codec.ts'
import { Failure, memoryFailure } from '../../request/failure.ts'
import { formatRequestId } from '../../request/ids.ts'
import { readJson } from '../../request/read-json.ts'
import { BYTES_PER_VALUE, weighJson } from '../../request/weigh-json.ts'
import { inspectImage, MOST_PIXELS } from '../inspect-image.ts'
import type { PassableRequest } from '../passing/passable.ts'
import type { ImageEncoding, ImageEndpoint } from './endpoint.ts'

/** Base64 characters of the beginning of an image, which tells its type and its dimensions. */
const BEGINNING = 4 * 1024 * 1024

/** `asArray`: the stream is one JSON array. */
export const generateContentEndpoint = (addressed: PathParameters, asArray: boolean): ImageEndpoint => ({
  dialect: 'generate-content',
  name: JSON.stringify(['generate-content.images', addressed.model, addressed.stream, asArray]),
  async read(incoming, { slot, catalogue, offerOf }, deps) {
    const { limits } = catalogue.config.server
    const parse = (bytes: Uint8Array, own: Codec) => {
      weighJson(bytes, codec, slot, limits)
      return { bytes, generation: readImageGeneration(bytes, own, addressed, limits.values) }
    }
    const { bytes, generation } = await readJson(incoming.http, limits.bodyBytes, slot, deps, parse)
    incoming.record.model = addressed.model
    const parsed = bytes.length + generation.passing.values * BYTES_PER_VALUE
    if (!slot.weigh(parsed)) throw memoryFailure(parsed, limits.memoryBytes)
    const request = await passable(generation, offerOf(addressed.model).model.limits)
    return { request: isSealed(bytes) ? translated(request) : request, fingerprint: bytes, close: async () => {} }
  },
  encoding: (call, _created) => encodingOf(call, asArray),
})

/** Reasoning of another upstream, which this one would reject. */
const isSealed = (body: Uint8Array): boolean =>
  generateContent.sealed.marks.some((mark) => Buffer.from(body.buffer, body.byteOffset, body.length).includes(mark))

function translated({ passing, ...request }: PassableRequest): PassableRequest {
  if (passing?.untranslatable) throw passing.untranslatable
  return request
}

async function passable(generation: ImageGeneration, limits: ImageLimits): Promise<PassableRequest> {
  const dropped: string[] = []
  const warn = (field: string, reason: string) => dropped.push(`${field};${reason}`)
  const passing = { dialect: 'generate-content', facts: generation.passing, dropped } as const
  try {
    const request = translateImageGeneration(generation, { limits, warn })
    const images = await Promise.all(request.images.map(inspected))
    return { ...request, images, passing: { ...passing, untranslatable: undefined } }
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof Failure)) throw error
    return { ...outlineOf(generation), passing: { ...passing, untranslatable: error } }
  }
}

/** What the image is, by its content. */
async function inspected(image: ImageInput): Promise<ImageInput> {
  const { source } = image
  const beginning = source.kind === 'inline' ? Buffer.from(source.base64.slice(0, BEGINNING), 'base64') : undefined
  const found = beginning && (await inspectImage(beginning))
  if (typeof found === 'object') return { ...image, mediaType: found.type }
  const fault = found ? `have no more than ${MOST_PIXELS} pixels` : 'be PNG, JPEG or WebP'
  throw new Failure('bad_request', `The images of contents must ${fault}.`, { param: 'contents' })
}

function encodingOf({ request: { model }, id }: Parameters<ImageEndpoint['encoding']>[0], asArray: boolean) {
  const context = { id: formatRequestId(id), model }
  let sent = 0
  const encoding: ImageEncoding = {
    reply: (reply) => encodeImageReply(reply, { ...context, framing: 'reply' }, codec),
    streamType: asArray ? 'application/json' : 'text/event-stream; charset=utf-8',
    heartbeat: codec.encode(asArray ? '\n' : generateContent.heartbeat),
    partial: () => [],
    completed({ image, details }, usage) {
      const before = asArray ? [codec.encode(sent === 0 ? '[' : ',\r\n')] : []
      const framing = asArray ? 'element' : 'event'
      const reply = { images: [image], details, usage, unknown: [] }
      return [...before, ...encodeImageReply(reply, { ...context, framing, from: sent++ }, codec)]
    },
    passed({ json, before, after }) {
      const first = sent++ === 0
      if (asArray) return [codec.encode(first ? '[' : ',\r\n'), ...json]
      return [codec.encode(before), ...json, codec.encode(after)]
    },
    end: () => (asArray ? [codec.encode(']')] : []),
    error({ info }) {
      const { encodeArrayStreamError, encodeStreamError } = generateContent
      const array = asArray ? encodeArrayStreamError?.(info, sent > 0) : undefined
      return codec.encode(array ?? encodeStreamError(info, context.id))
    },
  }
  return encoding
}
