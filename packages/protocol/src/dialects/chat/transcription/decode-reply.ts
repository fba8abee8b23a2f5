// Transcripts as upstreams of this dialect send them.

import { errorInfo } from '../../../canonical/error.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import { checkedUsage, readCount, type Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { openEventReader } from '../../../framing/event-reader.ts'
import { formatSse } from '../../../framing/sse.ts'
import { inVendorWords } from '../../shared/errors/upstream-error.ts'
import {
  type DecodedTranscript,
  deltaEvent,
  doneEvent,
  isText,
  type TranscriptEvent,
  type TranscriptReader,
  type TranscriptSegment,
} from '../../shared/transcription/transcript.ts'
import type { ReportedAudio, TranscriptFormat } from '../../shared/transcription/transcription.ts'
import { decodeError } from '../error.ts'

/** Services that have no other format than JSON, or were asked for it to know what is charged, answer with it. */
export function decodeTranscript(body: Uint8Array, format: TranscriptFormat, codec: Codec): DecodedTranscript {
  const text = codec.decode(body, 0, body.length)
  const reply = isText(format) && !text.trimStart().startsWith('{') ? undefined : parsedJson(text)
  if (isObject(reply) && typeof reply.text === 'string') {
    const transcript = { text: reply.text, report: reportIn(reply) }
    if (!isText(format)) return { ok: true, transcript, passed: body }
    const segments = segmentsIn(reply)
    if (format === 'text' || segments.length > 0) return { ok: true, transcript: { ...transcript, segments } }
    return { ok: false, error: NO_SEGMENTS }
  }
  if (isObject(reply) && isObject(reply.error))
    return { ok: false, error: inVendorWords(decodeError(200, reply), reply) }
  return isText(format)
    ? { ok: true, transcript: { text, report: {} }, passed: body }
    : { ok: false, error: NO_TRANSCRIPT }
}

function segmentsIn({ segments }: Json): TranscriptSegment[] {
  const found: TranscriptSegment[] = []
  for (const segment of Array.isArray(segments) ? segments : []) {
    const { start, end, text } = isObject(segment) ? segment : {}
    if (typeof start === 'number' && typeof end === 'number' && typeof text === 'string')
      found.push({ start, end, text })
  }
  return found
}

const NO_SEGMENTS = errorInfo('upstream_error', 'The upstream sent a transcript without timestamps.')
const NO_TRANSCRIPT = errorInfo('upstream_error', 'The upstream sent something that is not a transcript.')

/** No audio lasts longer; a figure beyond it is a fault, and must not reach a price. */
const MOST_SECONDS = 1_000_000

function reportIn({ usage, duration }: Json): ReportedAudio {
  const said = isObject(usage) ? usage : {}
  const seconds = [said.seconds, said.prompt_audio_seconds, duration].map(secondsOf).find((each) => each !== undefined)
  const tokens = tokensIn(said)
  return { ...(seconds === undefined ? {} : { seconds }), ...(tokens ? { usage: tokens } : {}) }
}

/** Some services write the duration as text. */
function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d{1,7}(\.\d{1,20})?$/.test(value) ? Number(value) : value
  return typeof seconds === 'number' && seconds > 0 && seconds <= MOST_SECONDS ? seconds : undefined
}

function tokensIn(usage: Json): Usage | undefined {
  const details = isObject(usage.input_token_details) ? usage.input_token_details : {}
  const input = readCount(usage.input_tokens ?? usage.prompt_tokens)
  const output = readCount(usage.output_tokens ?? usage.completion_tokens)
  if (input === undefined && output === undefined) return undefined
  const nothing = { cachedInput: undefined, cacheWrite: undefined, reasoning: undefined }
  return checkedUsage({ input, output, ...nothing, audioInput: readCount(details.audio_tokens) })
}

/** Mistral's names of events. */
const MISTRAL_DELTA = 'transcription.text.delta'
const MISTRAL_DONE = 'transcription.done'

/** Events pass as they came; those of services that have other names, or send nothing but text, are translated. */
export function openTranscriptEvents(emit: (event: TranscriptEvent) => void, codec: Codec): TranscriptReader {
  let text = ''
  let isDone = false
  const reader = openEventReader(({ data, event }) => {
    if (isDone || data.trim() === '[DONE]') return
    const object = parsedJson(data)
    if (!isObject(object)) return emit({ type: 'error', error: NOT_JSON })
    const { type = event } = object
    if (type === 'error' || isObject(object.error))
      return emit({ type: 'error', error: inVendorWords(decodeError(200, object), object) })
    if (typeof type === 'string' && type.endsWith('.done')) {
      isDone = true
      if (typeof object.text === 'string') text = object.text
      const report = reportIn(object)
      const sse = type === MISTRAL_DONE ? doneEvent(text, report.usage) : formatSse(data, event)
      return emit({ type: 'done', sse, text, report })
    }
    const isPlain = (type === undefined || type === MISTRAL_DELTA) && typeof object.text === 'string'
    const delta = isPlain ? String(object.text) : typeof object.delta === 'string' ? object.delta : ''
    text += delta
    emit({ type: 'delta', sse: isPlain ? deltaEvent(delta) : formatSse(data, event), text: delta })
  }, codec)
  return {
    push: reader.push,
    end() {
      reader.end()
      if (!isDone && text !== '') emit({ type: 'done', sse: doneEvent(text, undefined), text, report: {} })
    },
  }
}

const NOT_JSON = errorInfo('upstream_error', 'The upstream sent an event that is not JSON.')
