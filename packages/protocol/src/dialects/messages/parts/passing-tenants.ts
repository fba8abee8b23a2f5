// What of a messages request concerns the vendor's account, which all callers share: fields that change its price, and
// ids of objects that it keeps.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { isId, objectsIn } from '../../passing-request.ts'
import { billedTools, billedWord, pricedIn, pricedTools } from '../../priced-fields.ts'
import type { PricedField } from '../../text-dialect.ts'
import { REQUEST, TOOLS } from './priced-fields.ts'

export const billedAs = (tool: Json): string | undefined => billedWord(TOOLS, tool)

export function pricedFields(body: Json): PricedField[] {
  const tools = objectsIn(body.tools)
  const billed = billedTools(tools, TOOLS)
  const choice = isObject(body.tool_choice) ? body.tool_choice : {}
  const forced = tools.find(([tool]) => choice.type === 'tool' && tool.name === choice.name)?.[0]
  const forcedWord = forced && billedAs(forced)
  const isForced = (word: string): boolean => word === forcedWord
  return [...pricedIn(body, REQUEST), ...pricedTools(billed, tools.length - billed.length, isForced)]
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
  for (const [message, index] of objectsIn(body.messages)) filesIn(message.content, `messages[${index}].content`, found)
  return found
}

function filesIn(content: unknown, at: string, found: string[]): void {
  for (const [block, index] of objectsIn(content)) {
    const here = `${at}[${index}]`
    if (isObject(block.source) && isId(block.source.file_id)) found.push(`${here}.source.file_id`)
    if (block.type === 'container_upload' && isId(block.file_id)) found.push(`${here}.file_id`)
    if (block.type === 'tool_result') filesIn(block.content, `${here}.content`, found)
  }
}
