// The reasoning that belongs to tool calls. Vendors want it back when a call is answered, and some clients cannot send it back.

import { isObject, parsedJson } from './reading.ts'
import type { Block } from './reply.ts'
import type { CallPart, Part, ReasoningPart, RedactedPart, Turn } from './request.ts'

/** What stood before a call, and the signature of the call itself. Signatures are as a client would have got them. */
export type CallReasoning = { before: readonly (ReasoningPart | RedactedPart)[]; signature?: string }

export type CalledTool = Pick<CallPart, 'id' | 'givenId' | 'name' | 'arguments'>

export type ReasonedCall = { call: CalledTool; reasoning: CallReasoning }

/** The calls of one choice that have reasoning. Each call has what stood before it, up to the call before. */
export function reasonedCalls(blocks: readonly Block[], seal: (signature: string) => string): ReasonedCall[] {
  const calls: ReasonedCall[] = []
  let before: (ReasoningPart | RedactedPart)[] = []
  const signed = ({ signature }: { signature?: string }) =>
    signature === undefined ? {} : { signature: seal(signature) }
  for (const block of blocks) {
    if (block.type === 'redacted') before.push({ type: 'redacted', data: seal(block.data) })
    else if (block.type === 'reasoning') {
      const { text, style, signature } = block
      if (text !== '' || signature !== undefined) before.push({ type: 'reasoning', text, style, ...signed(block) })
    } else if (block.type === 'call') {
      const { id, name, arguments: text, signature } = block
      if (before.length > 0 || signature !== undefined)
        calls.push({ call: { id, name, arguments: text }, reasoning: { before, ...signed(block) } })
      before = []
    }
  }
  return calls
}

/** The same for the same call, also where a client parsed its arguments and wrote them anew. */
export function callKey({ id, givenId = id, name, arguments: text }: CalledTool): string {
  try {
    const value = text === '' ? {} : parsedJson(text)
    if (value !== undefined) return JSON.stringify([givenId, name, sorted(value)])
  } catch {
    // Nested too deeply to be walked through.
  }
  return JSON.stringify([givenId, name, text])
}

/** With the fields of objects in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  // A list of pairs, since a field may be called `__proto__`.
  return {
    fields: Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  }
}

/** `text`: reasoning as text. `signed`: reasoning, or calls, with the vendor's signature. */
export type ReasoningForm = 'text' | 'signed'

/** Whether the calls of a turn lack reasoning in this form. */
export function lacksReasoning({ role, parts }: Turn, form: ReasoningForm): boolean {
  if (role !== 'assistant' || !parts.some(({ type }) => type === 'call')) return false
  return !parts.some((part) => hasReasoning(part, form))
}

function hasReasoning(part: Part, form: ReasoningForm): boolean {
  if (form === 'text') return part.type === 'reasoning' && (part.text !== '' || part.sealedText !== undefined)
  return part.type === 'redacted' || ('signature' in part && part.signature !== undefined)
}

/** The turns with the reasoning of their calls, where they lack it and it is found. */
export function withReasoning(
  turns: readonly Turn[],
  form: ReasoningForm,
  find: (call: CalledTool) => CallReasoning | undefined,
): Turn[] {
  return turns.map((turn) => (lacksReasoning(turn, form) ? reasonedTurn(turn, find) : turn))
}

function reasonedTurn(turn: Turn, find: (call: CalledTool) => CallReasoning | undefined): Turn {
  const parts: Part[] = []
  /** What was said since the last call: reasoning came before it. */
  let said: Part[] = []
  let isFound = false
  for (const part of turn.parts) {
    if (part.type !== 'call') {
      said.push(part)
      continue
    }
    const found = find(part)
    isFound ||= found !== undefined
    const signed = found?.signature === undefined ? part : { ...part, signature: found.signature }
    parts.push(...(found?.before ?? []), ...said, signed)
    said = []
  }
  if (!isFound) return turn
  const own = [...parts, ...said]
  // The client's own copy of reasoning has no signature, and would be there twice.
  return { ...turn, parts: own.filter((part) => part.type !== 'reasoning' || !turn.parts.includes(part)) }
}

/** A message with tool calls. `isSigned`: a call has its signature. */
export type CalledMessage = { index: number; calls: readonly CalledTool[]; hasReasoning: boolean; isSigned: boolean }
