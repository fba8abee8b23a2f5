// An unstreamed response for a client of this dialect.

import type { StreamEvent } from '../../../canonical/event.ts'
import { isObject, parsedJson } from '../../../canonical/reading.ts'
import { type Block, bytesToEstimate, type CanonicalReply } from '../../../canonical/reply.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import { UNSIGNED } from '../request/encode-reasoning.ts'
import type { WireBlockOut, WireMessageOut } from '../wire.ts'
import { canCite, encodeCitation } from './citations.ts'
import { encodeSearch } from './searches.ts'
import { encodeStop } from './stop.ts'
import { encodeUsage } from './usage.ts'

export function encodeReply(reply: CanonicalReply, answering: ReplyContext): Record<string, unknown> {
  const choice = reply.choices[0]
  const content: WireBlockOut[] = []
  const seen = { refused: false, called: false }
  for (const block of choice?.blocks ?? []) {
    for (const written of encodeBlock(block, answering, content.length)) content.push(written)
    if (block.type === 'refusal') seen.refused = true
    else if (block.type === 'call') seen.called = true
  }
  const { stop_reason, stop_sequence, stop_details } = encodeStop(choice?.stop, seen)
  const usage = encodeUsage(reply.usage, bytesToEstimate(reply), answering.estimate)
  const message: WireMessageOut = {
    ...emptyMessage(answering),
    content,
    stop_reason,
    stop_sequence,
    stop_details,
    usage,
  }
  return message
}

/** All that stands in a message before anything has been said; streams begin with it. */
export function emptyMessage(answering: ReplyContext): Omit<WireMessageOut, 'usage'> {
  return {
    id: `msg_${answering.id}`,
    type: 'message',
    role: 'assistant',
    model: answering.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
  }
}

/** This dialect has no images in answers, and cites no documents but those of its own requests. */
export function droppedPart(event: StreamEvent): string | undefined {
  if (event.type === 'open') return event.block.type === 'media' ? 'images' : undefined
  return event.type === 'citation' && !canCite(event.citation) ? 'citations' : undefined
}

/** None for what this dialect cannot express, such as empty text, which the vendor rejects when it is sent back. */
function encodeBlock(block: Block, answering: ReplyContext, number: number): WireBlockOut[] {
  switch (block.type) {
    case 'text': {
      const citations = block.citations.map((citation) => encodeCitation(citation, answering.seal))
      const written = citations.filter((citation) => citation !== undefined)
      if (written.length > 0) return [{ type: 'text', text: block.text, citations: written }]
      return block.text === '' ? [] : [{ type: 'text', text: block.text }]
    }
    case 'refusal':
      return block.text === '' ? [] : [{ type: 'text', text: block.text }]
    case 'reasoning': {
      const thinking = answering.hideReasoning ? '' : block.text
      if (thinking === '' && block.signature === undefined) return []
      return [{ type: 'thinking', thinking, signature: answering.seal(block.signature ?? UNSIGNED) }]
    }
    case 'redacted':
      return [{ type: 'redacted_thinking', data: answering.seal(block.data) }]
    case 'call': {
      const { id, name, signature } = block
      const call: WireBlockOut = { type: 'tool_use', id, name, input: inputOf(block), caller: { type: 'direct' } }
      // A call has no place for it here: it comes back in reasoning that stands before the call.
      if (signature === undefined) return [call]
      return [{ type: 'thinking', thinking: '', signature: answering.seal(signature) }, call]
    }
    case 'search':
      return encodeSearch(block, number, answering)
    case 'media':
      return []
  }
}

/** Text that was cut short or is no object at all still reaches the client, since this field takes nothing but objects. */
function inputOf({ arguments: text, custom }: Extract<Block, { type: 'call' }>): unknown {
  if (custom) return { input: text }
  if (text.trim() === '') return {}
  const value = parsedJson(text)
  if (value === undefined) return { _raw: text }
  return isObject(value) ? value : { value }
}
