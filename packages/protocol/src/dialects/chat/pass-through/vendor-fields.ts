// What of a chat request concerns the vendor's account, which all callers share: fields that change its price, and ids
// of objects that it keeps.

import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editElements } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonField } from '../../../framing/json/json-scan.ts'
import type { PricedField } from '../../pass-through.ts'
import {
  addFieldUrls,
  addPartUrls,
  addUrls,
  mayNameUrls,
  type NamedUrl,
  NO_URLS,
} from '../../shared/pass-through/named-urls.ts'
import {
  addPriced,
  billedTools,
  billedWord,
  effectOf,
  effectsOf,
  pricedTools,
} from '../../shared/pass-through/priced-fields.ts'
import { isId, objectsIn } from '../../shared/pass-through/request.ts'
import { type ServiceFields, serviceFields } from '../../shared/pass-through/service-fields.ts'
import { REQUEST, TOOLS } from './fields.ts'
import type { ChatFacts } from './request.ts'

const NOTHING_PRICED: readonly PricedField[] = []
const FIELDS = effectsOf(REQUEST)
const TYPES = effectsOf(TOOLS)

function hasPriced(fields: readonly JsonField[]): boolean {
  for (const { name } of fields) if (effectOf(FIELDS, name) !== undefined) return true
  return false
}

export function pricedFields(bytes: Uint8Array, facts: ChatFacts, codec: Codec): readonly PricedField[] {
  // Where the body was not parsed, the scan has found no other tools than functions of the caller's.
  const mayBillTools = facts.tools > 0 && facts.decoded !== undefined
  if (!mayBillTools && !hasPriced(facts.fields)) return NOTHING_PRICED
  const parsed = ({ start, end }: JsonField): unknown => parsedJson(codec.decode(bytes, start, end))
  const small: Record<string, unknown> = {}
  for (const field of facts.fields) if (effectOf(FIELDS, field.name) !== undefined) small[field.name] = parsed(field)
  const priced: PricedField[] = []
  addPriced(priced, small, FIELDS)
  if (!mayBillTools) return priced
  return [...priced, ...toolPrices(facts.decoded?.body.tools, facts.decoded?.body.tool_choice)]
}

function toolPrices(tools: unknown, choice: unknown): PricedField[] {
  const billed = billedTools(tools, TYPES)
  if (billed.length === 0 || !Array.isArray(tools)) return []
  // A choice that is an object names a tool; which one of them does not matter when it is not a plain function.
  const name = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined
  const isForced = isObject(choice) && (choice.type !== 'function' || String(name).startsWith('$'))
  const others = tools.length - billed.length
  return pricedTools(billed, others, () => isForced || (others === 0 && choice === 'required'))
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
    const word = isObject(tool) ? billedWord(TYPES, tool) : undefined
    return word !== undefined && words.includes(word) ? undefined : element
  })
}

/** Where the parsed body names objects that a vendor keeps. */
export function vendorObjects({ messages }: Json): string[] {
  const found: string[] = []
  if (!Array.isArray(messages)) return found
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index]
    if (!isObject(message)) continue
    if (Array.isArray(message.content)) filesIn(message.content, index, found)
    // An answer that was spoken, kept at the vendor.
    if (isObject(message.audio) && isId(message.audio.id)) found.push(`messages[${index}].audio.id`)
  }
  return found
}

function filesIn(content: readonly unknown[], message: number, found: string[]): void {
  for (let index = 0; index < content.length; index++) {
    const part = content[index]
    if (isObject(part) && isObject(part.file) && isId(part.file.file_id))
      found.push(`messages[${message}].content[${index}].file.file_id`)
  }
}

/** URLs that the upstream is to fetch or to call. The messages and tools of a body that was only scanned have none. */
export function namedUrls(bytes: Uint8Array, facts: ChatFacts, codec: Codec): readonly NamedUrl[] {
  const body = facts.decoded?.body
  let found: NamedUrl[] | undefined
  for (const { name, kind, start, end } of facts.fields) {
    const isText = kind === 'string'
    if (!(isText || kind === 'object' || kind === 'array') || !mayNameUrls(name, isText)) continue
    found ??= []
    const value = body ? body[name] : parsedJson(codec.decode(bytes, start, end))
    addFieldUrls(found, name, value)
  }
  if (!body) return found ?? NO_URLS
  found ??= []
  for (const [tool, index] of objectsIn(body.tools))
    if (tool.type !== 'function' && tool.type !== 'custom') addUrls(found, tool, `tools[${index}]`)
  if (!Array.isArray(body.messages)) return found
  for (let index = 0; index < body.messages.length; index++) {
    const message: unknown = body.messages[index]
    if (!isObject(message)) continue
    addPartUrls(found, message.content, `messages[${index}].content`)
    for (const name in message) {
      if (MESSAGE_MEMBERS.has(name)) continue
      addUrls(found, { [name]: message[name] }, `messages[${index}]`)
    }
  }
  return found
}

const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(
  'role content name tool_calls tool_call_id refusal function_call reasoning reasoning_content reasoning_details'.split(
    ' ',
  ),
)

/** Fields that an endpoint of this dialect does not know, by what they do at a chat request. */
export const unknownFields = (body: Json, known: Readonly<Record<string, unknown>>): ServiceFields =>
  serviceFields(body, known, FIELDS)
