// Makes the images: calls upstreams until all requested images are made, or no further call is possible.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { ImageEvent, ImageReply } from '@trivium/protocol/canonical/image.ts'
import { IMAGE_SERVICES } from '@trivium/protocol/dialects/image-services.ts'
import { sniffBase64 } from '@trivium/protocol/dialects/shared/images/base64.ts'
import { openThinJson, ThinJsonOverflow } from '@trivium/protocol/framing/json/thin-json.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { codec } from '../bytes/codec.ts'
import { countReceived } from '../bytes/free-memory.ts'
import { Failure } from '../request/failure.ts'
import { receivedPieces } from '../routing/call-candidates.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { failedByBreak, failedByError, failedByOther } from '../routing/upstream-errors.ts'
import { call, nextAttempt } from './call.ts'
import type { ImageDependencies } from './dependencies.ts'
import { EVENT_BYTES, type ImageCall, isEventStream, REPLY_BYTES } from './image-call.ts'
import { type OnPassed, readPassed } from './passing/read-passed.ts'
import { dimensionsOf } from './present.ts'
import { isComplete, makesAll } from './reserve.ts'
import { addUsage } from './usage.ts'

export type PartialImage = Extract<ImageEvent, { type: 'partial' }>
export type CompletedImage = Extract<ImageEvent, { type: 'completed' }>

/** Takes an image on its way to the client, and resolves when the next one may follow. */
export type OnImage = (event: PartialImage | CompletedImage) => Promise<void>

/** What the unstreamed reply says besides its images; of several calls, the first. `passed`: all of it, as the client gets it. */
export type ReplyFrame = Pick<ImageReply, 'created' | 'details' | 'unknown' | 'raw'> & { passed?: Pieces }

/**
 * Resolves when no more images will be made: with at least one, unless the reply was passed on. Throws a Failure if there is none;
 * the call is settled then, unless a part of it was passed on.
 */
export async function generate(
  imageCall: ImageCall,
  onImage: OnImage,
  deps: ImageDependencies,
  onPassed: OnPassed = async () => {},
): Promise<ReplyFrame | undefined> {
  let frame: ReplyFrame | undefined
  try {
    for (let before = -1; mayCallAgain(imageCall, before); ) {
      before = imageCall.own.delivered.length
      const made = await generateOnce(imageCall, onImage, onPassed, deps)
      frame ??= made
    }
  } catch (error) {
    // What was made is delivered and charged, whatever the next call came to.
    const isKept = imageCall.own.delivered.length > 0 && !imageCall.own.hasPassed
    if (!(error instanceof Failure) || !isKept) throw error
  }
  return frame
}

/** An upstream that was asked for all images and made fewer is not asked again: it may have billed all of them. */
function mayCallAgain(imageCall: ImageCall, before: number): boolean {
  const { attempt } = imageCall
  const { delivered, request } = imageCall.own
  if (before === -1) return true
  if (imageCall.own.isPassed) return false
  return !isComplete(imageCall) && delivered.length > before && !makesAll(request, attempt.candidate)
}

/** Calls one upstream after the other, until one returns images. */
async function generateOnce(
  imageCall: ImageCall,
  onImage: OnImage,
  onPassed: OnPassed,
  deps: ImageDependencies,
): Promise<ReplyFrame | undefined> {
  const before = imageCall.own.delivered.length
  for (;;) {
    const reply = await call(imageCall, deps)
    const { usage } = imageCall.own
    const read = imageCall.own.isPassed
      ? await passedFrame(imageCall, reply, onPassed, deps)
      : isEventStream(reply)
        ? await readEvents(imageCall, reply, onImage, deps)
        : await readReply(imageCall, reply, onImage, deps)
    imageCall.own.calls++
    if (!read || !('failure' in read)) return read
    // Images that were completed before the failure are kept.
    if (imageCall.own.delivered.length > before) return undefined
    // What a failed attempt reports is the operator's cost, not the caller's.
    imageCall.own.usage = usage
    await nextAttempt(imageCall, read, deps)
  }
}

async function passedFrame(
  imageCall: ImageCall,
  reply: UpstreamResponse,
  onPassed: OnPassed,
  deps: ImageDependencies,
): Promise<ReplyFrame | FailedAttempt> {
  const passed = await readPassed(imageCall, reply, onPassed, deps)
  return 'failure' in passed ? passed : { details: {}, unknown: [], passed }
}

async function readReply(
  imageCall: ImageCall,
  response: UpstreamResponse,
  onImage: OnImage,
  deps: ImageDependencies,
): Promise<ReplyFrame | FailedAttempt> {
  const { attempt } = imageCall
  const thin = openThinJson(REPLY_BYTES - imageCall.own.heldBytes)
  try {
    for await (const piece of receivedPieces(imageCall, response)) {
      countReceived(piece.length)
      thin.push(piece)
    }
  } catch (error) {
    return failedByReading(imageCall, response, error)
  }
  const decoded = IMAGE_SERVICES[attempt.dialect].decodeReply(thin.take(), codec)
  if (!decoded.ok) return failedByError(imageCall, decoded.error, deps)
  const { images, details, usage, usageJson, created, unknown, raw } = decoded.reply
  if (images.length === 0) return failedByOther('The upstream returned no image.')
  noteUsage(imageCall, usage)
  const before = imageCall.own.delivered.length
  let isImage = true
  for (const image of images) {
    const completed: CompletedImage = {
      type: 'completed',
      image,
      details,
      unknown: [],
      usage,
      ...(created === undefined ? {} : { created }),
      ...(usageJson === undefined ? {} : { usageJson }),
    }
    isImage = (await deliver(imageCall, completed, onImage)) && isImage
  }
  if (!isImage && imageCall.own.delivered.length === before) return failedByOther(NO_IMAGE)
  // All of it is delivered, and there is nothing else in it.
  const isAll =
    before === 0 && imageCall.own.delivered.length === images.length && imageCall.own.request.responseFormat !== 'url'
  return { details, unknown, ...(created === undefined ? {} : { created }), ...(raw && isAll ? { raw } : {}) }
}

/** undefined: the stream has ended as it should. */
async function readEvents(
  imageCall: ImageCall,
  response: UpstreamResponse,
  onImage: OnImage,
  deps: ImageDependencies,
): Promise<undefined | FailedAttempt> {
  const { upstreamCall, attempt } = imageCall
  const events: ImageEvent[] = []
  const decoder = IMAGE_SERVICES[attempt.dialect].openStreamDecoder((event) => events.push(event), codec, EVENT_BYTES)
  const before = imageCall.own.delivered.length
  let hasPartial = false
  let isImage = true
  try {
    for (let isOver = false; !isOver; ) {
      const piece = await response.read()
      if (piece) {
        upstreamCall.received(piece)
        countReceived(piece.length)
        decoder.push(piece)
      } else {
        isOver = true
        decoder.end()
      }
      for (const event of events.splice(0)) {
        if (event.type === 'end') isOver = true
        else if (event.type === 'usage') noteUsage(imageCall, event.usage)
        else if (event.type === 'error') {
          response.cancel()
          return failedByError(imageCall, event.error, deps, hasPartial)
        } else {
          hasPartial = true
          if (event.type === 'completed') noteUsage(imageCall, event.usage)
          if (event.type === 'completed') isImage = (await deliver(imageCall, event, onImage)) && isImage
          else if (looksLikeImage(event)) await onImage(event)
        }
      }
    }
    response.cancel()
    return isImage || imageCall.own.delivered.length > before ? undefined : failedByOther(NO_IMAGE)
  } catch (error) {
    if (!(error instanceof Failure)) return failedByReading(imageCall, response, error)
    response.cancel()
    throw error
  }
}

function failedByReading(imageCall: ImageCall, response: UpstreamResponse, error: unknown): FailedAttempt {
  response.cancel()
  if (error instanceof ThinJsonOverflow) return failedByOther('The upstream sent a response that is too large.')
  return failedByBreak(imageCall)
}

/**
 * More than were requested are neither delivered nor charged, nor is one that cannot be handed to the client. Resolves with
 * false for something that is no image.
 */
async function deliver(imageCall: ImageCall, event: CompletedImage, onImage: OnImage): Promise<boolean> {
  if (isComplete(imageCall)) return true
  const { attempt } = imageCall
  const { request } = imageCall.own
  const seen = await dimensionsOf(event.image)
  // An image behind a URL is looked at when it is fetched.
  if (event.image.base64 && seen === undefined) return false
  const size = chosen(event.details.size)
  // Many vendors do not report the quality: then it is the one that was requested, unless the vendor was not told.
  const isDropped = attempt.warnings.some((warning) => warning.startsWith('quality;'))
  const quality = chosen(event.details.quality) ?? (isDropped ? undefined : chosen(request.quality))
  const { base64 } = event.image
  // Several calls make one response. A URL takes the place of an image that was stored.
  if (base64 && request.responseFormat !== 'url') imageCall.own.heldBytes += base64.length
  if (imageCall.own.heldBytes > REPLY_BYTES) throw new ThinJsonOverflow('the images are too large together')
  imageCall.firstOutputAt ??= performance.now()
  await onImage(event)
  imageCall.own.delivered.push({ size: size ?? seen ?? chosen(request.size), quality })
  return true
}

/** Looks only at the first bytes of a partial image. */
const looksLikeImage = ({ image: { base64 } }: PartialImage): boolean =>
  base64 === undefined || sniffBase64(base64, codec)?.startsWith('image/') === true

const NO_IMAGE = 'The upstream returned something that is not an image.'

const chosen = (word: string | undefined): string | undefined => (word === 'auto' ? undefined : word)

/** Several calls to upstreams add up. */
function noteUsage(imageCall: ImageCall, usage: ImageReply['usage']): void {
  if (usage) imageCall.own.usage = imageCall.own.usage ? addUsage(imageCall.own.usage, usage) : usage
}
