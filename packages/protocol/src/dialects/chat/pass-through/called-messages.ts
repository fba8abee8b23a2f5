// Messages with tool calls, and the reasoning that some services want back with them.

import type { CalledMessage, CalledTool } from '../../../canonical/call-reasoning.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editElements, editedObject } from '../../../framing/json/edit-fields.ts'
import type { JsonField } from '../../../framing/json/json-scan.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import { objectsIn } from '../../shared/pass-through/request.ts'
import { reasoningText } from '../reply/decode-text.ts'
import { signatureOf } from '../request/decode-turns.ts'

/** The body must have been checked. */
export function calledMessages(body: Json): CalledMessage[] {
  return objectsIn(body.messages).flatMap(([message, index]) => {
    if (message.role !== 'assistant') return []
    const listed = objectsIn(message.tool_calls).map(([call]) => call)
    if (listed.length === 0) return []
    const calls = listed.flatMap((call) => calledTool(call) ?? [])
    const isSigned = listed.some((call) => signatureOf(call) !== undefined)
    return [{ index, calls, hasReasoning: reasoningText(message) !== '', isSigned }]
  })
}

function calledTool(call: Json): CalledTool | undefined {
  const called = isObject(call.custom) ? call.custom : call.function
  if (!isObject(called) || typeof called.name !== 'string' || typeof call.id !== 'string') return undefined
  const given = called.arguments ?? called.input ?? ''
  return { id: call.id, name: called.name, arguments: typeof given === 'string' ? given : JSON.stringify(given) }
}

/** The list of messages with this reasoning, by the messages' positions, and every other byte as it was. */
export function withReasoningContent(
  bytes: Uint8Array,
  messages: JsonField,
  reasoning: ReadonlyMap<number, string>,
  codec: Codec,
): Uint8Array {
  return editElements(bytes, messages, (index, message) => {
    const text = reasoning.get(index)
    if (text === undefined) return message
    const edits = { set: [{ name: 'reasoning_content', json: jsonText(text) }], remove: [] }
    return editedObject(message, { start: 0, end: message.length }, edits, codec) ?? message
  })
}
