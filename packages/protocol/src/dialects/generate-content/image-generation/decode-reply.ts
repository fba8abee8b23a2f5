// Images in the replies and streams of this dialect: inline data of the model's parts.

import { type ErrorInfo, errorInfo } from '../../../canonical/error.ts'
import { type Finish, finishOf } from '../../../canonical/finish.ts'
import type { DecodedImageReply, ImageReply, ReplyImage } from '../../../canonical/image.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { parseThin, type ThinJson } from '../../../framing/json/thin-json.ts'
import type { EmitImage, ImageStreamDecoder } from '../../image-service.ts'
import { base64Of, sniffBase64 } from '../../shared/images/base64.ts'
import { openImageEvents } from '../../shared/images/image-events.ts'
import { decodeError } from '../error.ts'
import { blockedStop, stopOf } from '../reply/stop.ts'
import { decodeUsage, withReport } from '../reply/usage.ts'
import type { WireUsage } from '../wire.ts'

/** The caller's prompt or image is at fault. */
const MODERATION = new Set([
  'SAFETY',
  'PROHIBITED_CONTENT',
  'BLOCKLIST',
  'SPII',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
])

const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED'

/** What the chunks of one answer have said so far; an unstreamed reply is one chunk. */
export type Gathered = {
  images: ReplyImage[]
  /** Images that a model makes while it reasons: sketches of the final one. */
  sketches: ReplyImage[]
  usage: WireUsage
  refusal: ErrorInfo | undefined
  /** Why it has ended; undefined: it has not. */
  finish: Finish | undefined
}

export const nothing = (): Gathered => ({ images: [], sketches: [], usage: {}, refusal: undefined, finish: undefined })

export function decodeReply(thin: ThinJson, codec: Codec): DecodedImageReply {
  const body = parseThin(thin, codec)
  const gathered = nothing()
  for (const chunk of Array.isArray(body) ? body : [body]) {
    const error = gather(chunk, gathered, thin, codec)
    if (error !== undefined) return { ok: false, error }
  }
  const usage = decodeUsage(gathered.usage, undefined)
  if (gathered.images.length === 0) return { ok: false, error: withoutImage(gathered, usage !== undefined) }
  return { ok: true, reply: { ...detailsOf(gathered.images), images: gathered.images, usage, unknown: [] } }
}

/** The usage is told at the end, so the images wait for it. */
export function openStreamDecoder(emit: EmitImage, codec: Codec, limit?: number): ImageStreamDecoder {
  const gathered = nothing()
  let partials = 0
  return openImageEvents(
    emit,
    codec,
    limit,
    (_event, thin, deliver) => {
      const error = gather(parseThin(thin, codec), gathered, thin, codec)
      if (error !== undefined) return deliver({ type: 'error', error })
      for (const image of gathered.sketches.splice(0))
        deliver({ type: 'partial', index: partials++, image, ...detailsOf([image]), unknown: [] })
    },
    (deliver) => {
      const usage = decodeUsage(gathered.usage, undefined)
      if (gathered.images.length === 0)
        return deliver({ type: 'error', error: withoutImage(gathered, usage !== undefined) })
      const last = gathered.images.length - 1
      for (const [index, image] of gathered.images.entries()) {
        const ownUsage = index === last ? usage : undefined
        deliver({ type: 'completed', image, ...detailsOf([image]), usage: ownUsage, unknown: [] })
      }
    },
  )
}

export function gather(chunk: unknown, into: Gathered, thin: ThinJson, codec: Codec): ErrorInfo | undefined {
  if (!isObject(chunk)) return errorInfo('upstream_error', 'The upstream answered with something that is not JSON.')
  if (chunk.error !== undefined && chunk.error !== null) return decodeError(200, chunk)
  into.usage = withReport(into.usage, chunk.usageMetadata)
  const { promptFeedback, candidates } = chunk
  if (isObject(promptFeedback) && typeof promptFeedback.blockReason === 'string') {
    into.refusal = refused(promptFeedback.blockReason, promptFeedback.blockReasonMessage)
    into.finish = finishOf(blockedStop(promptFeedback.blockReason, undefined))
  }
  for (const candidate of Array.isArray(candidates) ? candidates.filter(isObject) : []) {
    const { finishReason, finishMessage, content } = candidate
    if (typeof finishReason === 'string' && finishReason !== UNSPECIFIED)
      into.finish = finishOf(stopOf(finishReason, false, undefined))
    if (typeof finishReason === 'string' && MODERATION.has(finishReason))
      into.refusal = refused(finishReason, finishMessage)
    const parts = isObject(content) && Array.isArray(content.parts) ? content.parts.filter(isObject) : []
    for (const part of parts) {
      const image = imageOf(part, thin, codec)
      if (image !== undefined) (part.thought === true ? into.sketches : into.images).push(image)
    }
  }
  return undefined
}

function imageOf({ inlineData, inline_data: snake }: Json, thin: ThinJson, codec: Codec): ReplyImage | undefined {
  const blob = inlineData ?? snake
  if (!isObject(blob)) return undefined
  const base64 = base64Of(thin, blob.data, codec)
  if (base64 === undefined) return undefined
  const said = blob.mimeType ?? blob.mime_type
  const mediaType = typeof said === 'string' && said !== '' ? said : (sniffBase64(base64, codec) ?? 'image/png')
  return mediaType.startsWith('image/') ? { base64, mediaType, unknown: [] } : undefined
}

function detailsOf([first]: readonly ReplyImage[]): Pick<ImageReply, 'details'> {
  const type = first?.mediaType
  return { details: type === undefined ? {} : { outputFormat: type.slice('image/'.length) } }
}

function refused(reason: string, message: unknown): ErrorInfo {
  const said = typeof message === 'string' && message !== '' ? ` ${message}` : ''
  return errorInfo(
    'content_policy_violation',
    `The request was blocked by the upstream's moderation (${reason}).${said}`,
  )
}

function withoutImage({ refusal }: Gathered, billed: boolean): ErrorInfo {
  const error = refusal ?? errorInfo('upstream_no_image', 'The upstream answered without an image.')
  return billed ? { ...error, billed: true } : error
}
