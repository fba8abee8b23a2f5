// What of a chat request concerns the vendor's account, which all callers share: fields that change its price, and ids
// of objects that it keeps.

import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editElements } from '../../../framing/edit-fields.ts'
import type { JsonField } from '../../../framing/json-scan.ts'
import { type BilledTool, fieldNamed, isId, objectsIn, pricedTools, pricedWord } from '../../passing-request.ts'
import type { PricedField } from '../../text-dialect.ts'
import type { ChatFacts } from './passing-request.ts'

const USUAL_TIERS = ['default', 'standard']
/** Objects whose mere presence lets the vendor search, by their names in services of this dialect. */
const SEARCH_FIELDS = ['web_search_options', 'search_parameters']
/** Tools that some services run and bill by the call. */
const BILLED_TOOLS: Readonly<Record<string, string>> = { web_search: 'web_search', builtin_function: 'web_search' }
const READ: ReadonlySet<string> = new Set(['service_tier', ...SEARCH_FIELDS, 'modalities', 'tools', 'tool_choice'])
const NOTHING_PRICED: readonly PricedField[] = []

export function pricedFields(bytes: Uint8Array, facts: ChatFacts, codec: Codec): readonly PricedField[] {
  if (!facts.fields.some(({ name }) => READ.has(name))) return NOTHING_PRICED
  const small: Record<string, unknown> = {}
  for (const field of facts.fields) {
    if (!READ.has(field.name)) continue
    // Tools are many and long: only where one of them may be billed are they worth parsing.
    if (field.name.startsWith('tool') && facts.hostedTools === 0) continue
    small[field.name] = parsedJson(codec.decode(bytes, field.start, field.end))
  }
  const tier = pricedWord(small, 'service_tier', USUAL_TIERS)
  const searches = SEARCH_FIELDS.filter((name) => isObject(small[name]) && small[name].mode !== 'off').map(
    (field): PricedField => ({ field, word: 'web_search', remove: { remove: [field] } }),
  )
  // Who wants to hear the answer cannot do with text.
  const speaks = Array.isArray(small.modalities) && small.modalities.includes('audio')
  const audio: PricedField[] = speaks ? [{ field: 'modalities', word: 'audio', remove: undefined }] : []
  return [...tier, ...searches, ...audio, ...toolPrices(small)]
}

function toolPrices(body: Json): PricedField[] {
  if (!Array.isArray(body.tools)) return []
  const billed = objectsIn(body.tools).flatMap(([tool, index]): BilledTool[] => {
    const word = billedAs(tool)
    return word === undefined ? [] : [{ at: `tools[${index}]`, word }]
  })
  // A choice that is an object names a tool; which one of them does not matter when it is not a plain function.
  const choice = body.tool_choice
  const name = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined
  const isForced = isObject(choice) && (choice.type !== 'function' || String(name).startsWith('$'))
  return pricedTools(billed, body.tools.length - billed.length, () => isForced)
}

const billedAs = (tool: Json): string | undefined =>
  typeof tool.type === 'string' && Object.hasOwn(BILLED_TOOLS, tool.type) ? BILLED_TOOLS[tool.type] : undefined

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
    const word = isObject(tool) ? billedAs(tool) : undefined
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
