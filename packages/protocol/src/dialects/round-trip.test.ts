// Properties of every text dialect: a streamed answer comes to the same as an unstreamed one, and what a dialect can
// express comes back as it was.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyReply, anyRequest } from '../../fixtures/arbitraries.ts'
import { bytesOf } from '../../fixtures/buffer-codec.ts'
import { brokenRules } from '../../fixtures/event-rules.ts'
import { addressOf, eventsOf, framesOf, plain, testAnswering, testTarget } from '../../fixtures/matrix.ts'
import type { StopReason } from '../canonical/finish.ts'
import { type Block, type CanonicalReply, fold, unfold } from '../canonical/reply.ts'
import type { CanonicalRequest, Part, Turn } from '../canonical/request.ts'
import type { TextDialectId } from './index.ts'
import { TEXT_DIALECTS } from './index.ts'

const ALL = Object.values(TEXT_DIALECTS).map((dialect) => [dialect.id, dialect] as const)

/** What counts of an answer: not how many blocks its text came in, nor its ids. */
function essence(reply: CanonicalReply): unknown {
  const { blocks, stop } = reply.choices[0] ?? { blocks: [], stop: undefined }
  const texts = (type: Block['type']) =>
    blocks.map((block) => (block.type === type && 'text' in block ? block.text : '')).join('')
  return plain({
    text: texts('text'),
    reasoning: texts('reasoning'),
    refusal: texts('refusal'),
    calls: blocks.flatMap((block) => (block.type === 'call' ? [[block.name, argumentsOf(block.arguments)]] : [])),
    signatures: blocks.flatMap((block) => (block.type === 'reasoning' ? [block.signature ?? ''] : [])),
    stop: stop?.reason,
    usage: reply.usage,
  })
}

/** Endings that a dialect has a word of its own for. The others are the nearest that it has. */
const TOLD_APART: Record<TextDialectId, readonly StopReason[]> = {
  chat: ['end', 'length', 'filter', 'tool'],
  responses: ['end', 'length', 'filter', 'tool', 'refusal'],
  messages: ['end', 'length', 'filter', 'tool', 'stop_sequence', 'pause', 'context'],
  'generate-content': ['end', 'length', 'filter', 'tool', 'other'],
}

/** What of an answer must come back: an ending that this dialect has a word for, and figures if there were any. */
const keptOf = ({ choices, usage }: CanonicalReply, id: TextDialectId) => {
  const reason = choices[0]?.stop?.reason
  return { ending: reason !== undefined && TOLD_APART[id].includes(reason), figures: usage !== undefined }
}

function told({ choices, usage }: CanonicalReply, kept: ReturnType<typeof keptOf>): unknown {
  const { blocks, stop } = choices[0] ?? { blocks: [], stop: undefined }
  const texts = (...types: readonly Block['type'][]) =>
    blocks.map((block) => (types.includes(block.type) && 'text' in block ? block.text : '')).join('')
  return plain({
    text: texts('text', 'refusal'),
    // Some dialects join two blocks of reasoning, with or without a separator.
    reasoning: texts('reasoning').replace(/\s/g, ''),
    calls: blocks.flatMap((block) => (block.type === 'call' ? [[block.name, argumentsOf(block.arguments)]] : [])),
    ending: kept.ending && stop?.reason,
    figures: kept.figures && [usage?.input, usage?.output, usage?.cachedInput ?? 0, usage?.reasoning ?? 0],
  })
}

const argumentsOf = (text: string): unknown => (text.trim() === '' ? {} : JSON.parse(text))

describe.each(ALL)('%s', (id, dialect) => {
  test('a stream that is put together equals the unstreamed answer', () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const whole = dialect.decodeReply(plain(dialect.encodeReply(reply, testAnswering)))
        if (!whole.ok) throw new Error(whole.error.message)
        const events = eventsOf(dialect, bytesOf(framesOf(dialect, unfold(reply))))
        expect(brokenRules(events)).toEqual([])
        expect(essence(fold(events))).toEqual(essence(whole.reply))
      }),
      { numRuns: 200 },
    )
  })

  test('an answer says what it said, whatever wrote it down', () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const whole = dialect.decodeReply(plain(dialect.encodeReply(reply, testAnswering)))
        if (!whole.ok) throw new Error(whole.error.message)
        const kept = keptOf(reply, id)
        expect(told(whole.reply, kept)).toEqual(told(reply, kept))
      }),
      { numRuns: 200 },
    )
  })

  test('a request that it can express survives a round trip', () => {
    fc.assert(
      fc.property(anyRequest(id), (request) => {
        const target = testTarget()
        const { body } = dialect.encodeRequest(request, target)
        expect(target.warnings).toEqual([])
        expect(wish(dialect.decodeRequest(plain(body), addressOf(id)))).toEqual(wish(request))
      }),
      { numRuns: 200 },
    )
  })
})

/** What counts of a request: not ids of calls, which one dialect does not have, nor how turns are grouped. */
function wish(request: CanonicalRequest): unknown {
  const { instructions, tools, toolChoice, parallelCalls, format, sampling, stream } = request
  const numbers = new Map<string, number>()
  let calls = 0
  const numberOf = (callId: string) => numbers.get(callId)
  return plain({
    instructions: instructions.map(({ text }) => text),
    turns: mergedTurns(request.turns).map(({ role, parts }) => ({
      role,
      parts: parts.map((part) => {
        if (part.type === 'call') numbers.set(part.id, calls++)
        return partOf(part, numberOf)
      }),
    })),
    tools: tools.map(({ name, description, schema }) => ({ name, description, schema })),
    toolChoice: toolChoice ?? { mode: 'auto' },
    parallelCalls: parallelCalls ?? true,
    sampling,
    stream,
    format: format.type === 'schema' ? format.schema : format.type,
  })
}

function mergedTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = []
  for (const turn of turns) {
    const last = merged.at(-1)
    if (last?.role === turn.role) merged[merged.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] }
    else merged.push(turn)
  }
  return merged
}

function partOf(part: Part, numberOf: (callId: string) => number | undefined): unknown {
  if (part.type === 'call') return ['call', numberOf(part.id), part.name, JSON.parse(part.arguments)]
  if (part.type === 'result') {
    const text = part.parts.map((inner) => (inner.type === 'text' ? inner.text : inner.type)).join('')
    return ['result', numberOf(part.callId), text, part.isError ?? false]
  }
  if (part.type === 'text') return ['text', part.text]
  return part.type === 'media' ? ['media', part.media, part.source] : [part.type]
}
