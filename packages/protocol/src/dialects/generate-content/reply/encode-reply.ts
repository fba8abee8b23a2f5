// An unstreamed response for a client of this dialect.

import { type CanonicalReply, type Choice, outputBytesOf } from '../../../canonical/reply.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import type { WireCandidate, WirePart } from '../wire.ts'
import { type CitedText, encodeCitations } from './citations.ts'
import { encodePart } from './encode-part.ts'
import { encodeLogprobs } from './logprobs.ts'
import { finishFields } from './stop.ts'
import { encodeUsage } from './usage.ts'

export function encodeReply(reply: CanonicalReply, answering: ReplyContext): Record<string, unknown> {
  const choices = reply.choices.length === 0 ? [{ blocks: [], stop: undefined }] : reply.choices
  return {
    candidates: choices.map((choice, index) => encodeCandidate(choice, index, answering)),
    usageMetadata: encodeUsage(reply.usage, () => answering.estimate(outputBytesOf(reply))),
    modelVersion: answering.model,
    responseId: answering.id,
  }
}

function encodeCandidate({ blocks, stop }: Choice, index: number, answering: ReplyContext): WireCandidate {
  const parts: WirePart[] = []
  const cited: CitedText[] = []
  for (const block of blocks) {
    const part = encodePart(block, answering)
    if (part === undefined) continue
    if (block.type === 'text' && block.citations.length > 0)
      cited.push({
        part: parts.length,
        offset: 0,
        bytes: utf8Length(block.text),
        citations: block.citations,
        text: block.text,
        isAscii: false,
      })
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
    ...encodeCitations(
      cited,
      blocks.filter((block) => block.type === 'search'),
    ),
    ...(logprobs.length === 0 ? {} : { logprobsResult: encodeLogprobs(logprobs) }),
  }
}
