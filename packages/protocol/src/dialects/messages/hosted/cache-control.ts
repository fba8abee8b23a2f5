// A request's own `cache_control` puts a cache mark on the last block that can have one. Clouds that know marks in blocks alone
// get it there: in the same place, with the same meaning.

import type { Codec } from '../../../framing/codec.ts'
import { editElements, editedObject, elementsOf, type FieldValue } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonField, scanObject } from '../../../framing/json/json-scan.ts'

const NAME = 'cache_control'
/** Where blocks are, the last ones of the prompt first. */
const PLACES = ['messages', 'system', 'tools']
const REASONING: readonly unknown[] = ['thinking', 'redacted_thinking']

type Bytes = Uint8Array
/** `marked`: it has a mark already. undefined: none of its blocks can have one. */
type Marked = Bytes | 'marked' | undefined

/** The field to replace, so that the block has the mark. undefined: nothing is to be changed, or nothing can be cached. */
export function markLastBlock(
  bytes: Bytes,
  fields: readonly JsonField[],
  mark: JsonField,
  codec: Codec,
): FieldValue | undefined {
  const json = codec.decode(bytes, mark.start, mark.end)
  for (const name of mark.kind === 'object' ? PLACES : []) {
    const field = fieldNamed(fields, name)
    if (!field) continue
    const value = bytes.subarray(field.start, field.end)
    const marked =
      name === 'messages' ? markLast(value, (turn) => markTurn(turn, json, codec)) : markContent(value, json, codec)
    if (marked !== undefined) return marked === 'marked' ? undefined : { name, json: marked }
  }
  return undefined
}

/** The list with the last of its elements changed that can be. */
function markLast(list: Bytes, change: (element: Bytes) => Marked): Marked {
  const elements = elementsOf(list, 0, list.length)
  for (let last = elements.length - 1; last >= 0; last--) {
    const { start = 0, end = 0 } = elements[last] ?? {}
    const changed = change(list.subarray(start, end))
    if (changed === undefined) continue
    if (changed === 'marked') return changed
    return editElements(list, { start: 0, end: list.length }, (index, element) => (index === last ? changed : element))
  }
  return undefined
}

function markTurn(turn: Bytes, json: string, codec: Codec): Marked {
  const scan = scanObject(turn, codec)
  const content = scan.ok ? fieldNamed(scan.fields, 'content') : undefined
  const marked = content && markContent(turn.subarray(content.start, content.end), json, codec)
  return marked instanceof Uint8Array ? edited(turn, 'content', marked, codec) : marked
}

const QUOTE = 0x22
const BRACKET = 0x5b

/** A text, or a list of blocks. */
function markContent(content: Bytes, json: string, codec: Codec): Marked {
  if (content[0] === BRACKET) return markLast(content, (block) => markBlock(block, json, codec))
  const isText = content[0] === QUOTE && content.length > 2
  return isText
    ? codec.encode(`[{"type":"text","text":${codec.decode(content, 0, content.length)},"${NAME}":${json}}]`)
    : undefined
}

/** Neither reasoning nor a text without characters can be cached. */
function markBlock(block: Bytes, json: string, codec: Codec): Marked {
  const scan = scanObject(block, codec)
  if (!scan.ok) return undefined
  const fieldValue = (name: string): unknown => {
    const field = fieldNamed(scan.fields, name)
    return field && codec.parse(block.subarray(field.start, field.end))
  }
  if (fieldValue(NAME)) return 'marked'
  const type = fieldValue('type')
  if (REASONING.includes(type) || (type === 'text' && fieldValue('text') === '')) return undefined
  return edited(block, NAME, json, codec)
}

const edited = (object: Bytes, name: string, json: string | Bytes, codec: Codec): Bytes | undefined =>
  editedObject(object, { start: 0, end: object.length }, { set: [{ name, json }], remove: [] }, codec)
