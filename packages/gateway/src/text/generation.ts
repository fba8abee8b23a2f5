// What a trace says of a generated answer beside its tokens: how it was requested, what the upstream calls it, why it ended. Noted
// for requests that are traced alone.

import { answerNames, temperatureOf } from '@trivium/protocol/dialects/answer-names.ts'
import { codec } from '../bytes/codec.ts'
import type { Generation, RequestRecord } from '../observe/request-record.ts'
import type { TextRequest } from './request.ts'
import type { Outbound } from './translation/outbound.ts'

/** Names are not looked for in a larger answer, nor in a stream behind so many bytes. */
const MOST_BYTES = 256 * 1024
const MOST_STREAM_BYTES = 16 * 1024

/** `parsed`: the request. A long chat request is not parsed, and its temperature is not known. */
export function beginGeneration(
  record: RequestRecord,
  parsed: TextRequest['parsed'],
  { maxOutput }: Pick<Outbound, 'maxOutput'>,
): void {
  if (!record.trace?.own?.isSampled) return
  record.generation = {
    stream: parsed.stream,
    maxTokens: maxOutput ?? parsed.maxOutput,
    temperature: parsed.body && temperatureOf(parsed.body),
    previousResponse: parsed.state?.previousResponse,
    responseId: undefined,
    responseModel: undefined,
    finish: undefined,
  }
}

/** `bytes`: the upstream's whole answer, or the data of one of its events. */
export function noteAnswer(generation: Generation, bytes: Uint8Array): void {
  if (bytes.length > MOST_BYTES) return
  const { id, model } = answerNames(bytes, codec)
  generation.responseId = id
  generation.responseModel = model
}

/** Looks for the names in what comes before the first output, cut anywhere. */
export type AnswerNotes = { take(piece: Uint8Array): void }

export function openAnswerNotes(generation: Generation): AnswerNotes {
  generation.responseId = undefined
  generation.responseModel = undefined
  const pieces: Uint8Array[] = []
  let length = 0
  let isOver = false
  return {
    take(piece) {
      if (isOver) return
      pieces.push(piece)
      length += piece.length
      const bytes = pieces.length === 1 ? piece : Buffer.concat(pieces)
      isOver = isNamed(generation, bytes) || length > MOST_STREAM_BYTES
    },
  }
}

const DATA = Buffer.from('data:')
const LINE_FEED = 0x0a

/** Reads whole lines alone. */
function isNamed(generation: Generation, bytes: Uint8Array): boolean {
  for (let start = 0, end = 0; end >= 0 && start < MOST_STREAM_BYTES; start = end + 1) {
    end = bytes.indexOf(LINE_FEED, start)
    if (end < 0 || !codec.hasAt(bytes, DATA, start)) continue
    noteAnswer(generation, bytes.subarray(start + DATA.length, end))
    if (generation.responseId !== undefined) return true
  }
  return false
}
