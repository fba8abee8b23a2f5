// An upstream's speech on its way to the client: bytes, or events with base64, and each as the other where the client reads the
// other. What it comes to is measured while it passes.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { type AudioLength, openAudioLength } from '@trivium/protocol/audio-data/audio-length.ts'
import { wavHeader } from '@trivium/protocol/audio-data/wav-header.ts'
import { type ErrorInfo, errorInfo } from '@trivium/protocol/canonical/error.ts'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import {
  decodeSpeechEvent,
  encodeSpeechDelta,
  encodeSpeechDone,
} from '@trivium/protocol/dialects/chat/speech/events.ts'
import { openSpeechContent, sampleRateOf } from '@trivium/protocol/dialects/generate-content/speech/stream.ts'
import { SPEECH_TYPES, type SpeechEvent, type SpeechFormat } from '@trivium/protocol/dialects/shared/speech/speech.ts'
import { openThinJson, type ThinJson, wholeJson } from '@trivium/protocol/framing/json/thin-json.ts'
import { openThinEvents } from '@trivium/protocol/framing/thin-events.ts'
import { decodeBase64 } from '../bytes/base64.ts'
import { codec } from '../bytes/codec.ts'
import type { AttemptedCall } from '../paid-call/paid-request.ts'
import { receivedPieces } from '../routing/call-candidates.ts'

/** A vendor may send minutes of speech in one event. */
export const EVENT_BYTES = 64 * 1024 * 1024
/** The sample rate of PCM in the chat dialect. */
const PCM_RATE = 24_000

/** An error in the place of speech, or in the middle of it. */
export class SpeechError extends Error {
  readonly info: ErrorInfo
  constructor(info: ErrorInfo) {
    super(info.message)
    this.info = info
  }
}

export type Heard = {
  contentType: string
  /** What the client gets. Throws SpeechError, Failure or ThinJsonOverflow. */
  pieces: AsyncGenerator<Uint8Array>
  /** Known at the end; before it, so far. */
  seconds(): number | undefined
  usage(): Usage | undefined
}

type Wanted = {
  format?: SpeechFormat
  asEvents: boolean /** Whether a price counts seconds or tokens. */
  isMeasured: boolean
  /** The client gets what the upstream sends. */
  isPassed: boolean
}

/** undefined: the response is no speech. */
export function hear(call: AttemptedCall, reply: UpstreamResponse, wanted: Wanted): Heard | undefined {
  const said = reply.header('content-type') ?? ''
  const isEvents = /^text\/event-stream\b/i.test(said)
  if (wanted.isPassed) return passed(receivedPieces(call, reply), isEvents, wanted)
  if (!isEvents && /^(?:text\/|application\/(?:json|xml))/i.test(said)) return undefined
  const isContent = call.attempt.dialect === 'generate-content'
  const { asEvents } = wanted
  const format = isContent && wanted.format !== 'pcm' ? 'wav' : (wanted.format ?? 'mp3')
  const rawRate = format === 'pcm' ? (sampleRateOf(said) ?? PCM_RATE) : undefined
  const length = wanted.isMeasured ? openAudioLength(rawRate) : undefined
  const seen: Seen = { usage: undefined, length }
  const received = receivedPieces(call, reply)
  const decoder = isContent ? openSpeechContent(codec) : CHAT_EVENTS
  const pieces = !isEvents
    ? bytesOf(received, seen)
    : asEvents && !isContent
      ? passedEvents(received, seen, CHAT_EVENTS)
      : audioOf(eventsOf(received, decoder), seen, isContent && format === 'wav')
  const isMade = asEvents && (isContent || !isEvents)
  return {
    pieces: isMade ? madeEvents(pieces, seen) : pieces,
    contentType: asEvents ? 'text/event-stream; charset=utf-8' : isEvents ? SPEECH_TYPES[format] : typeOf(said, format),
    seconds: () => length?.seconds(),
    usage: () => seen.usage,
  }
}

function passed(received: AsyncIterable<Uint8Array>, isEvents: boolean, { isMeasured }: Wanted): Heard {
  const length = isMeasured ? openAudioLength(PCM_RATE) : undefined
  const seen: Seen = { usage: undefined, length }
  const decoder = openSpeechContent(codec)
  return {
    pieces: isEvents ? passedEvents(received, seen, decoder) : passedWhole(received, seen, decoder),
    contentType: isEvents ? 'text/event-stream; charset=utf-8' : 'application/json',
    seconds: () => length?.seconds(),
    usage: () => seen.usage,
  }
}

/** A server that has another format than the one that was asked for says so. */
const typeOf = (said: string, format: SpeechFormat): string =>
  /^audio\/[\w.+-]+(?:; ?[\w.-]+=[\w.-]+)*$/.test(said) ? said : SPEECH_TYPES[format]

type Seen = { usage: Usage | undefined; readonly length: AudioLength | undefined }

async function* bytesOf(received: AsyncIterable<Uint8Array>, { length }: Seen): AsyncGenerator<Uint8Array> {
  for await (const piece of received) {
    length?.push(piece)
    yield piece
  }
}

type EventDecoder = { push(thin: ThinJson): readonly SpeechEvent[]; end(): readonly SpeechEvent[] }

const CHAT_EVENTS: EventDecoder = {
  push(thin) {
    const event = decodeSpeechEvent(thin, codec)
    return event ? [event] : []
  },
  end: () => [],
}

/** What each piece completes; at the end, without a piece, what is left. */
type Arrived = { piece: Uint8Array; events: readonly SpeechEvent[] }

async function* eventsOf(received: AsyncIterable<Uint8Array>, decoder: EventDecoder): AsyncGenerator<Arrived> {
  let found: SpeechEvent[] = []
  const reader = openThinEvents(({ data }) => found.push(...decoder.push(data)), codec, EVENT_BYTES)
  for await (const piece of received) {
    reader.push(piece)
    const events = found
    found = []
    yield { piece, events }
  }
  reader.end()
  yield { piece: NOTHING, events: [...found, ...decoder.end()] }
}

const NOTHING = new Uint8Array(0)

async function* audioOf(arrived: AsyncIterable<Arrived>, seen: Seen, isWav: boolean): AsyncGenerator<Uint8Array> {
  let hasBegun = false
  for await (const { events } of arrived)
    for (const event of events) {
      if (event.type === 'error') throw new SpeechError(event.error)
      if (event.type === 'usage') seen.usage = event.usage
      if (event.type !== 'audio') continue
      const header = isWav && !hasBegun ? wavHeader(event.rate ?? PCM_RATE) : NOTHING
      for (const bytes of [header, ...decodeBase64(event.base64.pieces)]) {
        seen.length?.push(bytes)
        if (bytes.length > 0) yield bytes
      }
      hasBegun = true
    }
}

/** The upstream's own events. Nothing leaves before there is audio: until then an error can be a real status. */
async function* passedEvents(
  received: AsyncIterable<Uint8Array>,
  seen: Seen,
  decoder: EventDecoder,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] | undefined = []
  for await (const { piece, events } of eventsOf(received, decoder)) {
    for (const event of events) {
      if (event.type === 'usage') seen.usage = event.usage
      if (event.type === 'audio' && seen.length)
        for (const bytes of decodeBase64(event.base64.pieces)) seen.length.push(bytes)
    }
    const error = events.find((event) => event.type === 'error')
    const hasAudio = events.find(({ type }) => type !== 'usage')?.type === 'audio'
    if (held && error && !hasAudio) throw new SpeechError(error.error)
    held?.push(piece)
    if (held && hasAudio) {
      yield* held
      held = undefined
    } else if (!held && piece.length > 0) yield piece
    if (error) throw new SpeechError(error.error)
  }
  if (held) throw new SpeechError(errorInfo('upstream_error', 'The upstream answered without audio.'))
}

/** One object with all of the speech. */
async function* passedWhole(
  received: AsyncIterable<Uint8Array>,
  seen: Seen,
  decoder: EventDecoder,
): AsyncGenerator<Uint8Array> {
  const reader = openThinJson(EVENT_BYTES)
  for await (const piece of received) reader.push(piece)
  const whole = reader.take()
  for (const event of [...decoder.push(whole), ...decoder.end()]) {
    if (event.type === 'error') throw new SpeechError(event.error)
    if (event.type === 'usage') seen.usage = event.usage
    else if (seen.length) for (const bytes of decodeBase64(event.base64.pieces)) seen.length.push(bytes)
  }
  yield* wholeJson(whole, 0, whole.bytes.length)
}

/** Each of them can be decoded alone. */
async function* madeEvents(audio: AsyncIterable<Uint8Array>, seen: Seen): AsyncGenerator<Uint8Array> {
  let hasAudio = false
  for await (const bytes of audio) {
    hasAudio = true
    yield encodeSpeechDelta(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'), codec)
  }
  if (hasAudio) yield encodeSpeechDone(seen.usage, codec)
}
