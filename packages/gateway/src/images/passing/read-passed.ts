// The reply of an upstream of the caller's own dialect: its bytes are the client's, and the images and tokens in it are metered.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { errorInfo } from '@trivium/protocol/canonical/error.ts'
import type { ReplyImage } from '@trivium/protocol/canonical/image.ts'
import {
  openPassedReply,
  type PassedChunk,
  type PassedReply,
} from '@trivium/protocol/dialects/generate-content/image-generation/pass-through.ts'
import { openThinJson, type ThinJson, ThinJsonOverflow } from '@trivium/protocol/framing/json/thin-json.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { openThinEvents, type ThinEvent } from '@trivium/protocol/framing/thin-events.ts'
import { codec } from '../../bytes/codec.ts'
import { countReceived } from '../../bytes/free-memory.ts'
import { receivedPieces } from '../../routing/call-candidates.ts'
import type { RoutingDependencies } from '../../routing/dependencies.ts'
import type { FailedAttempt } from '../../routing/failed-attempt.ts'
import { failedByBreak, failedByError, failedByOther } from '../../routing/upstream-errors.ts'
import { EVENT_BYTES, type ImageCall, isEventStream, REPLY_BYTES } from '../image-call.ts'
import { dimensionsOf } from '../present.ts'

/** `isEnd`: it is the last event, unless another follows. */
export type PassedEvent = { json: Pieces; before: string; after: string; isEnd: boolean }

/** Takes an event on its way to the client, and resolves when the next one may follow. */
export type OnPassed = (event: PassedEvent) => Promise<void>

/** Events without output, before the first that has some. */
const MOST_EARLY = 64

type Chunk = Extract<PassedChunk, { ok: true }>

/** Resolves with the body of an unstreamed reply. Throws the Failure of a stream that has begun, which no other can follow. */
export async function readPassed(
  imageCall: ImageCall,
  response: UpstreamResponse,
  onPassed: OnPassed,
  deps: RoutingDependencies,
): Promise<Pieces | FailedAttempt> {
  const { offer, candidate } = imageCall.attempt
  const reply = openPassedReply(candidate.route.model === offer.model.id ? undefined : offer.model.id, codec)
  const isStream = isEventStream(response)
  if (isStream && !imageCall.own.request.stream) {
    response.cancel()
    return failedByOther('The upstream sent a stream that was not requested.')
  }
  const read = isStream
    ? await readEvents(imageCall, reply, response, onPassed, deps)
    : await readWhole(imageCall, reply, response, deps)
  imageCall.own.usage = reply.usage()
  if ('failure' in read) {
    if (!imageCall.own.hasPassed) return read
    imageCall.own.outcome = read.outcome
    throw read.failure
  }
  imageCall.own.outcome = reply.finish?.unified === 'tool_calls' ? 'completed' : reply.finish?.unified
  if (!imageCall.own.request.stream || isStream) return read
  await onPassed({ json: read, before: 'data: ', after: '\r\n\r\n', isEnd: true })
  return []
}

async function readWhole(
  imageCall: ImageCall,
  reply: PassedReply,
  response: UpstreamResponse,
  deps: RoutingDependencies,
): Promise<Pieces | FailedAttempt> {
  const thin = openThinJson(REPLY_BYTES)
  try {
    for await (const piece of receivedPieces(imageCall, response)) {
      countReceived(piece.length)
      thin.push(piece)
    }
  } catch (error) {
    return failedByReading(imageCall, error)
  }
  const chunk = reply.read(thin.take())
  if (!chunk.ok) return failedByError(imageCall, chunk.error, deps)
  if (!chunk.hasOutput) return failedByError(imageCall, EMPTY, deps)
  await meter(imageCall, chunk.images)
  imageCall.firstOutputAt ??= performance.now()
  return chunk.json
}

const EMPTY = errorInfo('upstream_no_image', 'The upstream answered with nothing.')

async function readEvents(
  imageCall: ImageCall,
  reply: PassedReply,
  response: UpstreamResponse,
  onPassed: OnPassed,
  deps: RoutingDependencies,
): Promise<Pieces | FailedAttempt> {
  const arrived: ThinEvent[] = []
  const reader = openThinEvents((event) => arrived.push(event), codec, EVENT_BYTES)
  /** Before the first output another upstream may still be called. */
  const early: PassedEvent[] = []
  const passOn = async (event: ThinEvent, { json, isEnd, hasOutput }: Chunk): Promise<void> => {
    const { before, after } = event
    early.push({ json, before, after, isEnd })
    if (!hasOutput && !imageCall.own.hasPassed && early.length < MOST_EARLY) return
    imageCall.own.hasPassed = true
    imageCall.firstOutputAt ??= performance.now()
    for (const each of early.splice(0)) await onPassed(each)
  }
  try {
    for (let piece = await response.read(); ; piece = await response.read()) {
      if (piece) {
        imageCall.upstreamCall.received(piece)
        countReceived(piece.length)
        reader.push(piece)
      } else reader.end()
      for (const event of arrived.splice(0)) {
        if (isDone(event.data)) continue
        const chunk = reply.read(onOneLine(event.data))
        if (!chunk.ok) {
          response.cancel()
          return failedByError(imageCall, chunk.error, deps, imageCall.own.hasPassed)
        }
        await meter(imageCall, chunk.images)
        await passOn(event, chunk)
      }
      if (!piece) break
    }
  } catch (error) {
    response.cancel()
    // A break behind the last event takes nothing from a reply.
    if (!reply.finish) return failedByReading(imageCall, error)
  }
  return reply.finish ? [] : failedByBreak(imageCall)
}

function failedByReading(imageCall: ImageCall, error: unknown): FailedAttempt {
  if (error instanceof ThinJsonOverflow) return failedByOther('The upstream sent a response that is too large.')
  return failedByBreak(imageCall)
}

/** What is no image is passed on, and costs no image. */
async function meter({ own: { delivered } }: ImageCall, images: readonly ReplyImage[]): Promise<void> {
  for (const image of images) {
    const size = await dimensionsOf(image)
    if (size !== undefined) delivered.push({ size, quality: undefined })
  }
}

/** Not needed in this dialect, and clients lose the stream over it. */
const isDone = ({ bytes }: ThinJson): boolean =>
  bytes.length < 16 && codec.decode(bytes, 0, bytes.length).trim() === '[DONE]'

const LINE_FEED = 0x0a
const SPACE = 0x20

/** Data of several lines has line feeds between its tokens, and is passed on in one line. */
function onOneLine(thin: ThinJson): ThinJson {
  if (!thin.bytes.includes(LINE_FEED)) return thin
  return { ...thin, bytes: thin.bytes.map((byte) => (byte === LINE_FEED ? SPACE : byte)) }
}
