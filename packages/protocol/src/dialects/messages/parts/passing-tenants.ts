// What of a messages request concerns the vendor's account, which all callers share: fields that change its price, and
// ids of objects that it keeps.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { type BilledTool, isId, objectsIn, pricedTools, pricedWord } from '../../passing-request.ts'
import type { PricedField } from '../../text-dialect.ts'

const USUAL_TIERS = ['standard_only', 'standard', 'default']
const USUAL_SPEEDS = ['standard']
const USUAL_PLACES = ['global', 'not_available']

/** Tools that the vendor bills by the call, by the hour or at another model's rate; their types end in a date. */
const BILLED_TOOLS = [
  ['web_search', 'web_search'],
  ['code_execution', 'code_execution'],
  ['advisor', 'advisor'],
] as const

export function billedAs(tool: Json): string | undefined {
  const { type } = tool
  if (typeof type !== 'string') return undefined
  return BILLED_TOOLS.find(([name]) => type === name || type.startsWith(`${name}_`))?.[1]
}

export function pricedFields(body: Json): PricedField[] {
  // Where an answer is computed may be a matter of law: not ours to leave out.
  const place = pricedWord(body, 'inference_geo', USUAL_PLACES).map(({ field }) => ({
    ...{ field, word: 'inference_geo', remove: undefined },
  }))
  // Other models may answer instead, at their own price.
  const others: PricedField[] =
    Array.isArray(body.fallbacks) && body.fallbacks.length > 0
      ? [{ field: 'fallbacks', word: 'fallbacks', remove: { remove: ['fallbacks'] } }]
      : []
  return [
    ...pricedWord(body, 'service_tier', USUAL_TIERS),
    ...pricedWord(body, 'speed', USUAL_SPEEDS),
    ...place,
    ...others,
    ...toolPrices(body),
  ]
}

function toolPrices(body: Json): PricedField[] {
  const tools = objectsIn(body.tools)
  const billed = tools.flatMap(([tool, index]): BilledTool[] => {
    const word = billedAs(tool)
    return word === undefined ? [] : [{ at: `tools[${index}]`, word }]
  })
  const choice = isObject(body.tool_choice) ? body.tool_choice : {}
  const forced = tools.find(([tool]) => choice.type === 'tool' && tool.name === choice.name)?.[0]
  const forcedWord = forced && billedAs(forced)
  return pricedTools(billed, tools.length - billed.length, (word) => word === forcedWord)
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
