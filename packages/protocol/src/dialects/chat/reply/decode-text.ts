// What a message or a delta says, in all the shapes that services of this dialect have for it.

import { isObject, type Json } from '../../../canonical/reading.ts'

/** Reasoning, under the names that services give it; the first that says something, since some repeat themselves. */
export function reasoningText(message: Json): string {
  const { reasoning_content, reasoning, reasoning_details } = message
  if (typeof reasoning_content === 'string' && reasoning_content !== '') return reasoning_content
  if (typeof reasoning === 'string' && reasoning !== '') return reasoning
  if (!Array.isArray(reasoning_details)) return ''
  return reasoning_details.map(detailText).join('')
}

function detailText(detail: unknown): string {
  if (!isObject(detail)) return ''
  if (typeof detail.text === 'string') return detail.text
  return typeof detail.summary === 'string' ? detail.summary : ''
}

/** `{"type":"thinking","thinking":[{"type":"text","text":"..."}]}`, or the same with plain text. */
export function thinkingText(part: Json): string {
  if (typeof part.thinking === 'string') return part.thinking
  if (!Array.isArray(part.thinking)) return ''
  return part.thinking.map((piece) => (isObject(piece) && typeof piece.text === 'string' ? piece.text : '')).join('')
}

export type Said = { kind: 'text' | 'reasoning' | 'refusal'; text: string } | { kind: 'omitted'; what: string }

/** Content that is an array of parts, one after the other. */
export function* saidParts(content: readonly unknown[]): Generator<Said> {
  for (const part of content) {
    if (typeof part === 'string') yield { kind: 'text', text: part }
    else if (!isObject(part)) yield { kind: 'omitted', what: 'content' }
    else if (part.type === 'thinking') yield { kind: 'reasoning', text: thinkingText(part) }
    else if (part.type === 'refusal' && typeof part.refusal === 'string') yield { kind: 'refusal', text: part.refusal }
    else if (typeof part.text === 'string') yield { kind: 'text', text: part.text }
    else yield { kind: 'omitted', what: typeof part.type === 'string' ? part.type : 'content' }
  }
}
