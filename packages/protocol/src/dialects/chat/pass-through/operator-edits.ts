// What the operator of a route may change in a chat request.
import { isObject, type Json } from '../../../canonical/reading.ts'
import { elementsOf, setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed } from '../../../framing/json/json-scan.ts'
import { concat } from '../../../framing/relay.ts'
import {
  aroundParts,
  aroundText,
  type EditableFields,
  type SystemText,
} from '../../shared/pass-through/operator-edits.ts'
import { NAMES, OTHER_SERVICES, REQUEST } from './fields.ts'

export const editable: EditableFields = {
  fields: { ...REQUEST, ...OTHER_SERVICES },
  fixed: [
    ...['model', 'messages', 'stream', 'stream_options', 'n', 'modalities', 'audio', 'store'],
    ...['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call'],
  ],
  caps: ['max_tokens', 'max_completion_tokens'],
  fold: NAMES.fields.fold,
  // One system message: many services reject a second one.
  addSystem({ bytes, scan, codec }, into, text) {
    const messages = fieldNamed(scan.fields, 'messages')
    if (messages?.kind !== 'array') return
    const elements = elementsOf(bytes, messages.start, messages.end)
    const leading: Json[] = []
    for (const { start, end } of elements) {
      const message: unknown = JSON.parse(codec.decode(bytes, start, end))
      if (!isObject(message) || (message.role !== 'system' && message.role !== 'developer')) break
      leading.push(message)
    }
    const from = elements[leading.length - 1]?.end ?? messages.start + 1
    const written =
      leading.length === 0 ? [{ role: 'system', content: aroundText(text, undefined) }] : around(text, leading)
    const follows = leading.length === 0 && elements.length > 0 ? ',' : ''
    const head = codec.encode(`[${written.map((message) => JSON.stringify(message)).join(',')}${follows}`)
    setField(into, 'messages', concat([head, bytes.subarray(from, messages.end)]))
  },
}

function around({ before, after }: SystemText, messages: readonly Json[]): Json[] {
  const last = messages.length - 1
  return messages.map((message, index) => {
    const text = {
      ...(index === 0 && before !== undefined ? { before } : {}),
      ...(index === last && after !== undefined ? { after } : {}),
    }
    const { content } = message
    if (Array.isArray(content)) return { ...message, content: aroundParts<unknown>(text, content, textPart) }
    return { ...message, content: aroundText(text, typeof content === 'string' ? content : undefined) }
  })
}

const textPart = (text: string): unknown => ({ type: 'text', text })
