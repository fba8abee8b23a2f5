// An upstream's unstreamed response in canonical terms.

import { openNamedCalls } from '../../../canonical/encoding/call-ids.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import type { Block } from '../../../canonical/reply.ts'
import type { DecodedReply } from '../../text-dialect.ts'
import { decodeError } from '../error.ts'
import type { WireReply, WireUsage } from '../wire.ts'
import { decodeCitations } from './citations.ts'
import { openSearches } from './searches.ts'
import { decodeStop } from './stop.ts'
import { decodeFigures, usageFrom } from './usage.ts'

export function decodeReply(body: unknown): DecodedReply {
  if (!isObject(body)) return notAnAnswer()
  if (body.type === 'error' || isObject(body.error)) return { ok: false, error: decodeError(200, body) }
  if (body.type !== 'message' && !Array.isArray(body.content)) return notAnAnswer()
  const reply: WireReply = body
  const id = typeof reply.id === 'string' ? reply.id : undefined
  const { blocks, omitted } = decodeBlocks(
    reply.content,
    openNamedCalls(() => id),
  )
  const usage = isObject(reply.usage) ? usageFrom(decodeFigures(reply.usage as WireUsage, body)) : undefined
  return {
    ok: true,
    reply: {
      id,
      choices: [{ blocks, stop: decodeStop(reply) }],
      usage,
      omitted,
    },
  }
}

const notAnAnswer = (): DecodedReply => ({
  ok: false,
  error: { code: 'upstream_error', message: 'The upstream answered with something that is no message.' },
})

export function decodeBlocks(
  content: unknown,
  idOfCall: (given: string) => string,
): { blocks: Block[]; omitted: string[] } {
  if (typeof content === 'string') return { blocks: [{ type: 'text', text: content, citations: [] }], omitted: [] }
  const blocks: Block[] = []
  const omitted: string[] = []
  const searches = openSearches()
  for (const wire of Array.isArray(content) ? content : []) {
    if (!isObject(wire)) continue
    if (searches.isPart(wire)) {
      const search = searches.take(wire)
      if (search !== undefined) blocks.push(search)
      continue
    }
    const block = decodeBlock(wire, idOfCall)
    if (block === undefined) omitted.push(omittedName(wire))
    else blocks.push(block)
  }
  blocks.push(...searches.rest())
  return { blocks, omitted }
}

/** What a block that no other dialect knows is called in the warning. */
export const omittedName = (wire: Json): string => (typeof wire.type === 'string' ? wire.type : 'content')

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Undefined for blocks of other hosted tools than a search and all others that have no counterpart elsewhere. */
export function decodeBlock(wire: Json, idOfCall: (given: string) => string): Block | undefined {
  switch (wire.type) {
    case 'text':
      return { type: 'text', text: textOf(wire.text), citations: decodeCitations(wire.citations) }
    case 'thinking': {
      const signature = textOf(wire.signature)
      const signed = signature === '' ? {} : { signature }
      // A summary: that is what this vendor shows of its models' reasoning.
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
