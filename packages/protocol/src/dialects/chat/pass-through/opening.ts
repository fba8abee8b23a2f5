// What a chat begins with, found in its bytes: a long one is not parsed on its way through.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { elementsOf } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonField } from '../../../framing/json/json-scan.ts'
import { OPENING } from '../../shared/pass-through/opening.ts'

/** With one of these an answer may hold reasoning, or calls that carry it. */
const ASK_FOR_REASONING = ['reasoning_effort', 'reasoning', 'thinking', 'tools', 'functions']
/** How much of the messages is searched. Longer instructions identify the conversation by themselves. */
const LOOKED_AT_BYTES = 16 * 1_024

/** See `openingOf`. */
export function openingIn(bytes: Uint8Array, fields: readonly JsonField[], codec: Codec): string | undefined {
  const messages = fieldNamed(fields, 'messages')
  if (!messages || !ASK_FOR_REASONING.some((name) => fieldNamed(fields, name))) return undefined
  const looked = bytes.subarray(0, Math.min(messages.end, messages.start + LOOKED_AT_BYTES))
  for (const { start, end } of elementsOf(looked, messages.start, looked.length)) {
    const message = parsed(codec.decode(bytes, start, end))
    if (message?.role !== 'user') continue
    const words = wordsOf(message.content)
    return words === '' ? undefined : words.slice(0, OPENING)
  }
  return codec.decode(bytes, messages.start, Math.min(messages.end, messages.start + OPENING))
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
}
