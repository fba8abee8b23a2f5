// Checks a model that generates images with one real request: the smallest that all upstreams accept, for one image.

import type { ImageRequest, ReplyImage } from '@trivium/protocol/canonical/image.ts'
import { IMAGE_SERVICES, type ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import { openThinJson } from '@trivium/protocol/framing/json/thin-json.ts'
import { HEAD_BYTES, readImageHead } from '@trivium/protocol/image-data/image-size.ts'
import { codec } from '../../bytes/codec.ts'
import type { Upstream } from '../../config/types.ts'
import { imageTimeoutsOf } from '../../config/upstream-defaults.ts'
import type { Nanos } from '../../money/amount.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import { outcomeOf } from '../../upstreams/certification/check.ts'
import { type EndpointChecks, type NamedModel, ruledName } from '../../upstreams/diagnostics/endpoint-checks.ts'
import { type CostAt, type TimedResult, timedRequest } from '../../upstreams/diagnostics/timed-request.ts'
import { dialectFor, imagesEndpointOf, responseFormatFor, upstreamPath } from '../../upstreams/endpoint.ts'
import type { Send } from '../../upstreams/send.ts'
import type { ImageRate } from './modality/price.ts'

const MAX_REPLY_BYTES = 64 * 1024 * 1024

const PROMPT = 'A red circle.'

/** The most that the check can cost. */
const imageBound = (rate: ImageRate): Nanos | undefined =>
  rate.bound({ count: 1, size: undefined, quality: undefined, promptBytes: PROMPT.length })

async function checkImages(
  send: Send,
  upstream: Upstream,
  dialect: ImageDialectId,
  named: NamedModel,
): Promise<TimedResult> {
  const { name: model } = named
  const request: ImageRequest = {
    operation: 'generate',
    model,
    prompt: PROMPT,
    n: 1,
    stream: false,
    images: [],
    unknown: [],
  }
  const responseFormat = responseFormatFor(upstream, ruledName(named))
  const target = { model, stream: false, responseFormat, boundary: '', warn: () => {} }
  const { body } = IMAGE_SERVICES[dialect].encodeRequest(request, target, codec)
  const isImages = dialect === 'images'
  const path = isImages ? imagesEndpointOf(upstream).generations : upstreamPath(upstream, dialect, model, false)
  // There are no files in it.
  const sent = { path, dialect, body: body.filter((part) => part instanceof Uint8Array), maxBytes: MAX_REPLY_BYTES }
  const { firstByteMs, totalMs } = imageTimeoutsOf(upstream)
  return await timedRequest(send, upstream, sent, (text) => read(text, dialect), Math.min(firstByteMs, totalMs))
}

function read(text: string, dialect: ImageDialectId): { answer?: string; problem?: string; costAt?: CostAt } {
  const reader = openThinJson(MAX_REPLY_BYTES)
  reader.push(Buffer.from(text))
  const decoded = IMAGE_SERVICES[dialect].decodeReply(reader.take(), codec)
  const [image] = decoded.ok ? decoded.reply.images : []
  if (decoded.ok && image) {
    const { usage, details } = decoded.reply
    const images = [{ size: details.size ?? headOf(image)?.size, quality: details.quality }]
    const costAt = (rate: AnyPrice) => (rate as ImageRate).cost({ images, requested: 1, usage })?.cost
    return { answer: inWords(image), costAt }
  }
  const said = decoded.ok ? '' : decoded.error.message
  return { problem: `the response has no image in the ${dialect} dialect; is base_url right? ${said}`.trim() }
}

function inWords(image: ReplyImage): string {
  if (!image.base64) return image.url === undefined ? 'an image' : 'an image by URL'
  const head = headOf(image)
  return head ? `${head.mediaType}, ${head.size}` : 'an image of an unknown type'
}

function headOf({ base64 }: ReplyImage): { mediaType: string; size: string } | undefined {
  if (!base64) return undefined
  const beginning = Buffer.concat(base64.pieces)
    .toString('latin1')
    .slice(0, 2 * HEAD_BYTES)
  const head = readImageHead(Buffer.from(beginning, 'base64'))
  return head && { mediaType: head.mediaType, size: `${head.width}x${head.height}` }
}

const ROWS = ['image'] as const

export const checks = {
  model: {
    cost: 'one image',
    once: true,
    modes: ['image'],
    bound: (rate) => imageBound(rate as ImageRate),
    check: (send, upstream, dialect, model) => checkImages(send, upstream, dialect as ImageDialectId, model),
  },
  certified(upstream, model) {
    const dialect = dialectFor(upstream, 'image') as ImageDialectId | undefined
    if (!dialect) return []
    return [
      {
        part: 'image',
        rows: ROWS,
        type: 'image',
        bound: (rate) => imageBound(rate as ImageRate),
        run: async (send) => ({
          ...outcomeOf({ rows: ROWS }, await checkImages(send, upstream, dialect, model), []),
          isUnfit: true as const,
        }),
      },
    ]
  },
} satisfies EndpointChecks
