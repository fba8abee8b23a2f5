// An unstreamed response for a client of this dialect.

import { type CanonicalReply, type Choice, spokenBytes } from '../../../canonical/reply.ts'
import type { Answering } from '../../text-dialect.ts'
import type { WireCandidate, WirePart } from '../wire.ts'
import { type CitedText, writeCitations } from './citations.ts'
import { partOf } from './encode-part.ts'
import { writeLogprobs } from './logprobs.ts'
import { finishFields } from './stop.ts'
import { writeUsage } from './usage.ts'

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
