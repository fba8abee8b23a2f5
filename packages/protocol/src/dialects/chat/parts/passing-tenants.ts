// What of a chat request concerns the vendor's account, which all callers share: fields that change its price, and ids
// of objects that it keeps.

import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editElements } from '../../../framing/edit-fields.ts'
import { fieldNamed, type JsonField } from '../../../framing/json-scan.ts'
import { isId, objectsIn } from '../../passing-request.ts'
import { billedTools, billedWord, effectOf, pricedIn, pricedTools } from '../../priced-fields.ts'
import type { PricedField } from '../../text-dialect.ts'
import type { ChatFacts } from './passing-request.ts'
import { REQUEST, TOOLS } from './priced-fields.ts'

const NOTHING_PRICED: readonly PricedField[] = []

export function pricedFields(bytes: Uint8Array, facts: ChatFacts, codec: Codec): readonly PricedField[] {
  // Tools are many and long: only where one of them may be billed are they worth parsing.
  const mayBillTools = facts.tools > 0 && (facts.parsed !== undefined || facts.hostedTools > 0)
  if (!mayBillTools && !facts.fields.some(({ name }) => effectOf(REQUEST, name) !== undefined)) return NOTHING_PRICED
  const parsed = ({ start, end }: JsonField): unknown => parsedJson(codec.decode(bytes, start, end))
  const small: Record<string, unknown> = {}
  for (const field of facts.fields) if (effectOf(REQUEST, field.name) !== undefined) small[field.name] = parsed(field)
  const priced = pricedIn(small, REQUEST)
  if (!mayBillTools) return priced
  const body = isObject(facts.parsed) ? facts.parsed : {}
  const tools = fieldNamed(facts.fields, 'tools')
  const choice = fieldNamed(facts.fields, 'tool_choice')
  return [
    ...priced,
    ...toolPrices(body.tools ?? (tools && parsed(tools)), body.tool_choice ?? (choice && parsed(choice))),
  ]
}

function toolPrices(tools: unknown, choice: unknown): PricedField[] {
  const billed = billedTools(objectsIn(tools), TOOLS)
  if (billed.length === 0 || !Array.isArray(tools)) return []
  // A choice that is an object names a tool; which one of them does not matter when it is not a plain function.
  const name = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined
  const isForced = isObject(choice) && (choice.type !== 'function' || String(name).startsWith('$'))
  return pricedTools(billed, tools.length - billed.length, () => isForced)
}

/** The `tools` field without those that need one of these prices. */
export function withoutTools(
  bytes: Uint8Array,
  fields: readonly JsonField[],
  words: readonly string[],
  codec: Codec,
): Uint8Array | undefined {
  const tools = fieldNamed(fields, 'tools')
  if (tools?.kind !== 'array') return undefined
  return editElements(bytes, tools, (_, element) => {
    const tool = parsedJson(codec.decode(element, 0, element.length))
    const word = isObject(tool) ? billedWord(TOOLS, tool) : undefined
    return word !== undefined && words.includes(word) ? undefined : element
  })
}

/** Where the parsed body names objects that a vendor keeps. */
export function vendorObjects(body: Json): string[] {
  const found: string[] = []
  for (const [message, index] of objectsIn(body.messages)) {
    const at = `messages[${index}]`
    for (const [part, place] of objectsIn(message.content))
      if (isObject(part.file) && isId(part.file.file_id)) found.push(`${at}.content[${place}].file.file_id`)
    // An answer that was spoken, kept at the vendor.
    if (isObject(message.audio) && isId(message.audio.id)) found.push(`${at}.audio.id`)
  }
  return found
}
