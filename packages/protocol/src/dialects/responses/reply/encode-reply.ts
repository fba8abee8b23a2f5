// A whole answer for a client of this dialect.

import { type Block, bytesToEstimate, type CanonicalReply, type TextBlock } from '../../../canonical/reply.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import type { WrittenPart } from '../wire.ts'
import {
  callDraft,
  carrierDraft,
  type Draft,
  encodeAnnotation,
  encodeItem,
  encodeLogprobs,
  endingOf,
  itemId,
  responseObject,
} from './encode-items.ts'
import { encodeCarried, encryptedReasoning } from './reasoning-carrier.ts'
import { encodeUsage } from './usage.ts'

export function encodeReply(reply: CanonicalReply, answering: ReplyContext): Record<string, unknown> {
  // There is no way to ask for more than one choice in this dialect.
  const { blocks = [], stop } = reply.choices[0] ?? {}
  const ending = endingOf(stop)
  const drafts = draftsOf(blocks, answering)
  const output = drafts.map((draft, index) => {
    const isCutShort = index === drafts.length - 1 && ending.status !== 'completed'
    return encodeItem(draft, isCutShort ? 'incomplete' : 'completed')
  })
  return responseObject(answering, ending, output, encodeUsage(reply.usage, bytesToEstimate(reply), answering))
}

function draftsOf(blocks: readonly Block[], answering: ReplyContext): Draft[] {
  const drafts: Draft[] = []
  const carry = (signature: string | undefined): void => {
    if (signature === undefined) return
    const encrypted = encodeCarried({ of: 'previous', value: answering.seal(signature) })
    drafts.push(carrierDraft(answering, drafts.length, encrypted))
  }
  for (const block of blocks) {
    const index = drafts.length
    switch (block.type) {
      case 'text':
      case 'refusal': {
        const last = drafts.at(-1)
        const part = block.type === 'text' ? textPart(block) : { type: 'refusal' as const, refusal: block.text }
        if (last?.kind === 'message') last.parts.push(part)
        else drafts.push({ kind: 'message', id: itemId('message', answering, index), parts: [part] })
        if (block.type === 'text') carry(block.signature)
        break
      }
      case 'call':
        drafts.push({ ...callDraft(answering, index, block), text: block.arguments })
        carry(block.signature)
        break
      case 'reasoning': {
        const encrypted = encryptedReasoning(block.text, block.signature, answering)
        if (answering.hideReasoning && encrypted === undefined) break
        const text = answering.hideReasoning ? '' : block.text
        const id = itemId('reasoning', answering, index)
        drafts.push({ kind: 'reasoning', id, style: block.style, text, encrypted })
        break
      }
      case 'redacted': {
        const encrypted = encodeCarried({ of: 'redacted', value: answering.seal(block.data) })
        drafts.push(carrierDraft(answering, index, encrypted))
        break
      }
      case 'search':
        drafts.push({ kind: 'search', id: itemId('search', answering, index), search: block })
        break
      case 'media':
        if (!block.mime.startsWith('image/')) break
        drafts.push({ kind: 'image', id: itemId('image', answering, index), data: block.data, made: block.made })
        break
    }
  }
  return drafts
}

function textPart({ text, citations, logprobs }: TextBlock): WrittenPart {
  return {
    type: 'output_text',
    text,
    annotations: citations.map((citation) => encodeAnnotation(citation, text.length)),
    logprobs: encodeLogprobs(logprobs ?? []),
  }
}
