// Messages with tool calls, and the reasoning that some services want back with them.

import type { CalledMessage, CalledTool } from '../../../canonical/call-reasoning.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editElements, editedObject, elementsOf } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonField, MEMBER_NOTE, nameAt } from '../../../framing/json/json-scan.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import { objectsIn } from '../../shared/pass-through/request.ts'
import { reasoningText } from '../reply/decode-text.ts'
import { signatureOf } from '../request/decode-turns.ts'

/** The body must have been checked. */
export function calledMessages(body: Json): CalledMessage[] {
  return objectsIn(body.messages).flatMap(([message, index]) => calledMessage(message, index) ?? [])
}

/** The same of a body that was only scanned: of its messages, those with calls are parsed. The whole body would take ten times as long. */
export function scannedCalledMessages(bytes: Uint8Array, fields: readonly JsonField[], codec: Codec): CalledMessage[] {
  const messages = fieldNamed(fields, 'messages')
  const names = messages ? callNames(bytes, messages, codec) : []
  if (!messages || names.length === 0) return []
  let next = 0
  return elementsOf(bytes, messages.start, messages.end).flatMap(({ start, end }, index) => {
    if ((names[next] ?? end) >= end) return []
    while ((names[next] ?? end) < end) next++
    const message = parsedJson(codec.decode(bytes, start, end))
    return (isObject(message) ? calledMessage(message, index) : undefined) ?? []
  })
}

/** Where members of messages are named `tool_calls`, in order. */
function callNames(bytes: Uint8Array, { members }: JsonField, codec: Codec): number[] {
  const found: number[] = []
  for (let note = 0; note < members.length; note += MEMBER_NOTE) {
    const [start = 0, end = 0] = [members[note], members[note + 1]]
    if (members[note + 3] === OF_MESSAGE && nameAt(bytes, start, end, codec) === 'tool_calls') found.push(start)
  }
  return found
}

/** The depth of the members of objects in a list, as the scan notes it. */
const OF_MESSAGE = -2

function calledMessage(message: Json, index: number): CalledMessage | undefined {
  if (message.role !== 'assistant') return undefined
  const listed = objectsIn(message.tool_calls).map(([call]) => call)
  if (listed.length === 0) return undefined
  const calls = listed.flatMap((call) => calledTool(call) ?? [])
  const isSigned = listed.some((call) => signatureOf(call) !== undefined)
  return { index, calls, hasReasoning: reasoningText(message) !== '', isSigned }
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
