// The transcript in a reply of this dialect.

import { type ErrorInfo, errorInfo } from '../../../canonical/error.ts'
import type { StreamEvent } from '../../../canonical/event.ts'
import { finishOf, type Stop } from '../../../canonical/finish.ts'
import { parsedJson } from '../../../canonical/reading.ts'
import type { CanonicalReply } from '../../../canonical/reply.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import {
  type DecodedTranscript,
  deltaEvent,
  doneEvent,
  type TranscriptEvent,
  type TranscriptReader,
} from '../../shared/transcription/transcript.ts'
import { decodeReply } from '../reply/decode-reply.ts'
import { openStreamDecoder } from '../reply/decode-stream.ts'

export function decodeTranscript(body: Uint8Array, codec: Codec): DecodedTranscript {
  const decoded = decodeReply(parsedJson(codec.decode(body, 0, body.length)))
  if (!decoded.ok) return decoded
  const { reply } = decoded
  const text = textOf(reply)
  const blocked = text === '' ? blockedBy(reply.choices[0]?.stop) : undefined
  if (blocked) return { ok: false, error: blocked }
  return { ok: true, transcript: { text, report: { usage: reply.usage } } }
}

const textOf = ({ choices }: CanonicalReply): string =>
  (choices[0]?.blocks ?? [])
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('')
    .trim()

/** A model that was not allowed to answer has not heard silence. */
const blockedBy = (stop: Stop | undefined): ErrorInfo | undefined =>
  stop && finishOf(stop).unified === 'content_filtered'
    ? errorInfo('content_policy_violation', 'The upstream rejected the audio, or what is said in it.')
    : undefined

export function openTranscriptEvents(emit: (event: TranscriptEvent) => void, codec: Codec): TranscriptReader {
  const texts = new Set<number>()
  let text = ''
  let usage: Usage | undefined
  let stop: Stop | undefined
  const take = (event: StreamEvent): void => {
    if (event.type === 'open' && event.block.type === 'text') texts.add(event.index)
    else if (event.type === 'delta' && texts.has(event.index)) {
      text += event.text
      emit({ type: 'delta', sse: deltaEvent(event.text), text: event.text })
    } else if (event.type === 'usage') usage = event.usage
    else if (event.type === 'stop') stop = event.stop
    else if (event.type === 'error') emit(event)
    else if (event.type === 'end') {
      const blocked = text === '' ? blockedBy(stop) : undefined
      if (blocked) emit({ type: 'error', error: blocked })
      else emit({ type: 'done', sse: doneEvent(text, usage), text, report: { usage } })
    }
  }
  return openStreamDecoder(take, codec)
}
