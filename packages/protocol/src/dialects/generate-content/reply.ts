// An upstream's whole answer into neutral terms, and a neutral answer for a client.

import type { StreamEvent } from '../../canonical/event.ts'
import { type CanonicalReply, type Choice, fold, spokenBytes } from '../../canonical/reply.ts'
import type { Answering, DecodedReply } from '../text-dialect.ts'
import { type CitedText, writeCitations } from './reply/citations.ts'
import { openAnswerReader } from './reply/decode-chunk.ts'
import { partOf } from './reply/encode-part.ts'
import { writeLogprobs } from './reply/logprobs.ts'
import { finishFields } from './reply/stop.ts'
import { writeUsage } from './reply/usage.ts'
import type { WireCandidate, WirePart } from './wire.ts'

/** Through the same reader as a stream, so that the two can never tell different stories. */
export function decodeReply(body: unknown): DecodedReply {
  const events: StreamEvent[] = []
  const reader = openAnswerReader((event) => events.push(event))
  // Without `alt=sse` some services answer in one array whatever they were asked for.
  for (const chunk of Array.isArray(body) ? body : [body]) reader.take(chunk)
  reader.end(true)
  const last = events.at(-1)
  return last?.type === 'error' ? { ok: false, error: last.error } : { ok: true, reply: fold(events) }
}

export function encodeReply(reply: CanonicalReply, answering: Answering): Record<string, unknown> {
  const choices = reply.choices.length === 0 ? [{ blocks: [], stop: undefined }] : reply.choices
  return {
    candidates: choices.map((choice, index) => writeCandidate(choice, index, answering)),
    usageMetadata: writeUsage(reply.usage, () => answering.estimate(spokenBytes(reply))),
    modelVersion: answering.model,
    responseId: answering.id,
  }
}

function writeCandidate({ blocks, stop }: Choice, index: number, answering: Answering): WireCandidate {
  const parts: WirePart[] = []
  const cited: CitedText[] = []
  for (const block of blocks) {
    const part = partOf(block, answering)
    if (part === undefined) continue
    if (block.type === 'text' && block.citations.length > 0)
      cited.push({ part: parts.length, citations: block.citations, text: block.text, isAscii: false })
    parts.push(part)
  }
  const logprobs = blocks.flatMap((block) => (block.type === 'text' ? (block.logprobs ?? []) : []))
  return {
    // Never without a part: chats of the SDK forget a turn that has none.
    content: { role: 'model', parts: parts.length === 0 ? [{ text: '' }] : parts },
    ...finishFields(
      stop,
      blocks.some((block) => block.type === 'refusal'),
    ),
    index,
    ...writeCitations(cited),
    ...(logprobs.length === 0 ? {} : { logprobsResult: writeLogprobs(logprobs) }),
  }
}
