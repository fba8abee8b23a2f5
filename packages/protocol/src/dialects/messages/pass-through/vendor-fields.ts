// What of a messages request concerns the vendor's account, which all callers share: fields that change its price, and
// ids of objects that it keeps.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { PricedField } from '../../pass-through.ts'
import { addPartUrls, addUrls, type NamedUrl, urlsBeside } from '../../shared/pass-through/named-urls.ts'
import { addPriced, billedTools, billedWord, effectsOf, pricedTools } from '../../shared/pass-through/priced-fields.ts'
import { isId, objectsIn } from '../../shared/pass-through/request.ts'
import { REQUEST, TOOLS } from './fields.ts'

const FIELDS = effectsOf(REQUEST)
const TYPES = effectsOf(TOOLS)

export const billedAs = (tool: Json): string | undefined => billedWord(TYPES, tool)

export function pricedFields(body: Json): PricedField[] {
  const priced: PricedField[] = []
  addPriced(priced, body, FIELDS)
  addDefinitions(priced, body.messages)
  const billed = billedTools(body.tools, TYPES)
  if (billed.length === 0) return priced
  const tools = objectsIn(body.tools)
  const choice = isObject(body.tool_choice) ? body.tool_choice : {}
  const forced = tools.find(([tool]) => choice.type === 'tool' && tool.name === choice.name)?.[0]
  const forcedWord = forced && billedAs(forced)
  const others = tools.length - billed.length
  const isForced = (word: string): boolean => word === forcedWord || (others === 0 && choice.type === 'any')
  priced.push(...pricedTools(billed, others, isForced))
  return priced
}

/** Tools that are defined in mid-conversation. The conversation cannot be sent without them. */
function addDefinitions(priced: PricedField[], messages: unknown): void {
  if (!Array.isArray(messages)) return
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index]
    if (!isObject(message) || !Array.isArray(message.content)) continue
    for (let at = 0; at < message.content.length; at++) {
      const block: unknown = message.content[at]
      if (!isObject(block) || block.type !== 'tool_addition' || !isObject(block.tool)) continue
      for (const { word, kind } of billedTools([block.tool.definition], TYPES))
        priced.push({ kind, field: `messages[${index}].content[${at}].tool.definition`, word, remove: undefined })
    }
  }
}

/** Where the parsed body names objects that a vendor keeps. */
export function vendorObjects(body: Json): string[] {
  const found: string[] = []
  const { container } = body
  if (isId(container)) found.push('container')
  if (isObject(container)) {
    if (isId(container.id)) found.push('container.id')
    for (const [skill, index] of objectsIn(container.skills))
      if (skill.type !== 'anthropic' && isId(skill.skill_id)) found.push(`container.skills[${index}].skill_id`)
  }
  const { thread } = body
  if (isObject(thread) && isId(thread.previous_message_id)) found.push('thread.previous_message_id')
  if (isId(body.user_profile_id)) found.push('user_profile_id')
  const { messages } = body
  if (!Array.isArray(messages)) return found
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index]
    // Most contents are text, and then nothing has to be written down.
    if (isObject(message) && Array.isArray(message.content))
      filesIn(message.content, `messages[${index}].content`, found)
  }
  return found
}

function filesIn(content: readonly unknown[], at: string, found: string[]): void {
  for (let index = 0; index < content.length; index++) {
    const block = content[index]
    if (!isObject(block)) continue
    if (isObject(block.source) && isId(block.source.file_id)) found.push(`${at}[${index}].source.file_id`)
    if (block.type === 'container_upload' && isId(block.file_id)) found.push(`${at}[${index}].file_id`)
    if (block.type === 'tool_result' && Array.isArray(block.content))
      filesIn(block.content, `${at}[${index}].content`, found)
  }
}

/** URLs that the vendor is to fetch or to call. Results of its own tools, which it has fetched already, are none. */
export function namedUrls(body: Json): NamedUrl[] {
  const found = urlsBeside(body)
  addPartUrls(found, body.system, 'system')
  const { messages, tools } = body
  if (tools !== undefined) addUrls(found, tools, 'tools')
  if (!Array.isArray(messages)) return found
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index]
    if (!isObject(message) || !Array.isArray(message.content)) continue
    const sent = message.content.some(isOwnResult)
      ? message.content.map((block: unknown) => (isOwnResult(block) ? undefined : block))
      : message.content
    addPartUrls(found, sent, `messages[${index}].content`)
  }
  return found
}

const isOwnResult = (block: unknown): boolean =>
  isObject(block) && /^(?!mcp_)\w+_tool_result$|^search_result$/.test(String(block.type))
