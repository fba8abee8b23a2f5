// A whole answer for a client.

import type { StreamEvent } from '../../../canonical/event.ts'
import { dataUrl } from '../../../canonical/media.ts'
import { put } from '../../../canonical/reading.ts'
import { bytesToEstimate, type CallBlock, type CanonicalReply, type Choice } from '../../../canonical/reply.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import { LEGACY } from '../request/decode-request.ts'
import type {
  WrittenAnnotation,
  WrittenCall,
  WrittenChoice,
  WrittenImage,
  WrittenLogprob,
  WrittenReply,
  WrittenReplyMessage,
} from '../wire.ts'
import { encodeCitation, encodeLogprob } from './citations.ts'
import { wordOf } from './stop.ts'
import { encodeTier, encodeUsage } from './usage.ts'

/** This dialect cites URLs only. */
export function droppedPart(event: StreamEvent): string | undefined {
  return event.type === 'citation' && event.citation.url === undefined ? 'citations' : undefined
}

export function encodeReply(reply: CanonicalReply, answering: ReplyContext): WrittenReply {
  const choices = reply.choices.length === 0 ? [{ blocks: [], stop: undefined }] : reply.choices
  const written: WrittenReply = {
    id: `chatcmpl-${answering.id}`,
    object: 'chat.completion',
    created: answering.created,
    model: answering.model,
    choices: choices.map((choice, index) => encodeChoice(choice, index, answering)),
    usage: encodeUsage(reply.usage, bytesToEstimate(reply), answering),
  }
  put(written, 'service_tier', encodeTier(reply.usage))
  return written
}

function encodeChoice({ blocks, stop }: Choice, index: number, answering: ReplyContext): WrittenChoice {
  let content: string | undefined
  let refusal: string | undefined
  let reasoning = ''
  const annotations: WrittenAnnotation[] = []
  const logprobs: WrittenLogprob[] = []
  const images: WrittenImage[] = []
  const calls: CallBlock[] = []
  for (const block of blocks) {
    if (block.type === 'text') {
      const offset = content?.length ?? 0
      content = (content ?? '') + block.text
      for (const citation of block.citations) {
        const annotation = encodeCitation(citation, offset, block.text.length)
        if (annotation !== undefined) annotations.push(annotation)
      }
      for (const logprob of block.logprobs ?? []) logprobs.push(encodeLogprob(logprob))
    } else if (block.type === 'reasoning') reasoning += block.text
    else if (block.type === 'refusal') refusal = (refusal ?? '') + block.text
    else if (block.type === 'call') calls.push(block)
    else if (block.type === 'media') images.push(imageOf(block))
  }
  const isLegacy = answering.echo[LEGACY] === true
  const [first] = calls
  const message: WrittenReplyMessage = {
    role: 'assistant',
    // Null is for answers that consist of something else; an empty answer is empty text.
    content: content ?? (refusal === undefined && calls.length === 0 ? '' : null),
    refusal: refusal ?? null,
  }
  if (reasoning !== '' && !answering.hideReasoning) message.reasoning_content = reasoning
  if (annotations.length > 0) message.annotations = annotations
  if (images.length > 0) message.images = images
  if (first !== undefined) {
    if (isLegacy) message.function_call = { name: first.name, arguments: first.arguments || NO_ARGUMENTS }
    else message.tool_calls = calls.map((call) => encodeCall(call, answering))
  }
  return {
    index,
    message,
    logprobs: logprobs.length === 0 ? null : { content: logprobs, refusal: null },
    finish_reason: wordOf(stop, calls.length > 0, isLegacy),
  }
}

export const imageOf = ({ mime, data }: { mime: string; data: string }): WrittenImage => ({
  type: 'image_url',
  image_url: { url: dataUrl({ kind: 'inline', mime, data }) },
})

function encodeCall({ id, name, custom, arguments: text, signature }: CallBlock, { seal }: ReplyContext): WrittenCall {
  const signed = signature === undefined ? {} : { extra_content: { google: { thought_signature: seal(signature) } } }
  if (custom) return { id, type: 'custom', custom: { name, input: text }, ...signed }
  return { id, type: 'function', function: { name, arguments: text === '' ? NO_ARGUMENTS : text }, ...signed }
}

/** Clients parse what they get, and nothing at all is not JSON. */
export const NO_ARGUMENTS = '{}'
