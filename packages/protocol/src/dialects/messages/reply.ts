// An unstreamed answer: read from an upstream of this dialect, and written for a client of it.

import { openNamedCalls } from '../../canonical/encoding/call-ids.ts'
import type { StreamEvent } from '../../canonical/event.ts'
import { isObject, type Json, parsedJson } from '../../canonical/reading.ts'
import { type Block, bytesToEstimate, type CanonicalReply } from '../../canonical/reply.ts'
import type { Answering, DecodedReply } from '../text-dialect.ts'
import { decodeError } from './error.ts'
import { canCite, readCitations, writeCitation } from './reply/citations.ts'
import { readStop, writeStop } from './reply/stop.ts'
import { readFigures, usageFrom, writeUsage } from './reply/usage.ts'
import { UNSIGNED } from './request/encode-reasoning.ts'
import type { WireBlockOut, WireMessageOut, WireReply, WireUsage } from './wire.ts'

export function decodeReply(body: unknown): DecodedReply {
  if (!isObject(body)) return notAnAnswer()
  if (body.type === 'error' || isObject(body.error)) return { ok: false, error: decodeError(200, body) }
  if (body.type !== 'message' && !Array.isArray(body.content)) return notAnAnswer()
  const reply: WireReply = body
  const id = typeof reply.id === 'string' ? reply.id : undefined
  const { blocks, omitted } = readBlocks(
    reply.content,
    openNamedCalls(() => id),
  )
  const usage = isObject(reply.usage) ? usageFrom(readFigures(reply.usage as WireUsage, body)) : undefined
  return {
    ok: true,
    reply: {
      id,
      choices: [{ blocks, stop: readStop(reply) }],
      usage,
      omitted,
    },
  }
}

const notAnAnswer = (): DecodedReply => ({
  ok: false,
  error: { code: 'upstream_failed', message: 'The upstream answered with something that is no message.' },
})

export function readBlocks(
  content: unknown,
  idOfCall: (given: string) => string,
): { blocks: Block[]; omitted: string[] } {
  if (typeof content === 'string') return { blocks: [{ type: 'text', text: content, citations: [] }], omitted: [] }
  const blocks: Block[] = []
  const omitted: string[] = []
  for (const wire of Array.isArray(content) ? content : []) {
    if (!isObject(wire)) continue
    const block = readBlock(wire, idOfCall)
    if (block === undefined) omitted.push(omittedName(wire))
    else blocks.push(block)
  }
  return { blocks, omitted }
}

/** What a block that no other dialect knows is called in the warning. */
export const omittedName = (wire: Json): string => (typeof wire.type === 'string' ? wire.type : 'content')

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Undefined for blocks of hosted tools and all others that have no counterpart elsewhere. */
export function readBlock(wire: Json, idOfCall: (given: string) => string): Block | undefined {
  switch (wire.type) {
    case 'text':
      return { type: 'text', text: textOf(wire.text), citations: readCitations(wire.citations) }
    case 'thinking': {
      const signature = textOf(wire.signature)
      const signed = signature === '' ? {} : { signature }
      // A summary: that is what this vendor shows of its models' thoughts.
      return { type: 'reasoning', text: textOf(wire.thinking), style: 'summary', ...signed }
    }
    case 'redacted_thinking':
      return { type: 'redacted', data: textOf(wire.data) }
    case 'tool_use':
      return {
        type: 'call',
        id: idOfCall(textOf(wire.id)),
        name: textOf(wire.name),
        arguments: argumentsOf(wire.input),
        custom: false,
      }
    default:
      return undefined
  }
}

/** A call without input has an empty object: other dialects' clients parse this text. */
export function argumentsOf(input: unknown): string {
  if (input === undefined || input === null || input === '') return '{}'
  return typeof input === 'string' ? input : JSON.stringify(input)
}

export function encodeReply(reply: CanonicalReply, answering: Answering): Record<string, unknown> {
  const choice = reply.choices[0]
  const content: WireBlockOut[] = []
  const seen = { refused: false, called: false }
  for (const block of choice?.blocks ?? []) {
    for (const written of writeBlock(block, answering)) content.push(written)
    if (block.type === 'refusal') seen.refused = true
    else if (block.type === 'call') seen.called = true
  }
  const { stop_reason, stop_sequence, stop_details } = writeStop(choice?.stop, seen)
  const usage = writeUsage(reply.usage, bytesToEstimate(reply), answering.estimate)
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
export function emptyMessage(answering: Answering): Omit<WireMessageOut, 'usage'> {
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
export function loses(event: StreamEvent): string | undefined {
  if (event.type === 'open') return event.block.type === 'media' ? 'images' : undefined
  return event.type === 'citation' && !canCite(event.citation) ? 'citations' : undefined
}

/** None for what clients of this dialect cannot be told, such as empty text, which the vendor refuses to be sent back. */
function writeBlock(block: Block, answering: Answering): WireBlockOut[] {
  switch (block.type) {
    case 'text': {
      const citations = block.citations.map((citation) => writeCitation(citation, answering.seal))
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
      // A call has no place for it here: it comes back in a thought that stands before the call.
      if (signature === undefined) return [call]
      return [{ type: 'thinking', thinking: '', signature: answering.seal(signature) }, call]
    }
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
