// What of a responses request concerns the vendor's account, which all callers share: fields that change its price, and
// ids of objects that it keeps.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { PricedField } from '../../pass-through.ts'
import { addPartUrls, addUrls, type NamedUrl, urlsBeside } from '../../shared/pass-through/named-urls.ts'
import {
  addPriced,
  billedTools,
  billedWord,
  boundOf,
  effectsOf,
  pricedTools,
} from '../../shared/pass-through/priced-fields.ts'
import { forObjects, isId, objectsIn } from '../../shared/pass-through/request.ts'
import { isImageReference, isReasoningReference } from '../request/stored-state.ts'
import { REQUEST, TOOLS } from './fields.ts'

const FIELDS = effectsOf(REQUEST)
const TYPES = effectsOf(TOOLS)

export const billedAs = (tool: Json): string | undefined => billedWord(TYPES, tool)

export function pricedFields(body: Json): PricedField[] {
  const priced: PricedField[] = []
  addPriced(priced, body, FIELDS)
  addTools(priced, body.input)
  const billed = billedTools(body.tools, TYPES, boundOf(body.max_tool_calls))
  if (billed.length === 0) return priced
  const tools = objectsIn(body.tools)
  const isAlone = tools.length === billed.length
  const isForced = (word: string): boolean => namedByChoice(body, tools, word) || (isAlone && isNeeded(body, word))
  priced.push(...pricedTools(billed, tools.length, isForced))
  return priced
}

/** Tools that are added in mid-conversation. The conversation cannot be sent without them. */
function addTools(priced: PricedField[], input: unknown): void {
  if (!Array.isArray(input)) return
  for (let index = 0; index < input.length; index++) {
    const item: unknown = input[index]
    if (!isObject(item) || item.type !== 'additional_tools') continue
    for (const { at, word, kind } of billedTools(item.tools, TYPES))
      priced.push({ kind, field: `input[${index}].${at}`, word, remove: undefined })
  }
}

/** Without its only tool an answer would be another one, but for images and searches: the model still answers in text. */
const isNeeded = ({ tool_choice: choice }: Json, word: string): boolean =>
  (word !== 'image_generation' && word !== 'web_search') || choice === 'required'

/** A choice names hosted tools by their type; a list of allowed ones would name what is no longer there. */
function namedByChoice(body: Json, tools: readonly [Json, number][], word: string): boolean {
  const choice = body.tool_choice
  if (!isObject(choice)) return false
  const named = choice.type === 'allowed_tools' ? objectsIn(choice.tools).map(([tool]) => tool) : [choice]
  const types = tools.filter(([tool]) => billedAs(tool) === word).map(([tool]) => tool.type)
  return named.some((tool) => types.includes(tool.type) || billedAs(tool) === word)
}

/** Where the parsed body names objects that a vendor keeps. */
export function vendorObjects(body: Json): string[] {
  const found: string[] = []
  if (isId(body.previous_response_id)) found.push('previous_response_id')
  if (isId(body.conversation)) found.push('conversation')
  if (isObject(body.conversation) && isId(body.conversation.id)) found.push('conversation.id')
  if (isObject(body.prompt) && isId(body.prompt.id)) found.push('prompt.id')
  forObjects(body.input, (item, index) => {
    if (!isReasoningReference(item)) idsOfItem(item, index, found)
    if (item.type === 'additional_tools')
      for (const [tool, place] of objectsIn(item.tools)) idsOfTool(tool, `input[${index}].tools[${place}]`, found)
  })
  for (const [tool, index] of objectsIn(body.tools)) idsOfTool(tool, `tools[${index}]`, found)
  return found
}

function idsOfItem(item: Json, index: number, found: string[]): void {
  const place = (name: string): string => `input[${index}].${name}`
  // Some leave the type out, since a lone id can be nothing else.
  const isLoneId = item.type === undefined && item.role === undefined && isId(item.id)
  if (item.type === 'item_reference' || isLoneId) found.push(place('id'))
  // An image that is not sent along can only be looked up.
  if (isImageReference(item)) found.push(place('id'))
  for (const name of ['content', 'output'] as const) {
    forObjects(item[name], (part, at) => {
      if (isId(part.file_id)) found.push(place(`${name}[${at}].file_id`))
    })
  }
  if (isObject(item.output) && isId(item.output.file_id)) found.push(place('output.file_id'))
}

function idsOfTool(tool: Json, at: string, found: string[]): void {
  if (hasIds(tool.vector_store_ids)) found.push(`${at}.vector_store_ids`)
  if (isObject(tool.input_image_mask) && isId(tool.input_image_mask.file_id))
    found.push(`${at}.input_image_mask.file_id`)
  if (isId(tool.container)) found.push(`${at}.container`)
  for (const name of ['container', 'environment'] as const) {
    const place = tool[name]
    if (!isObject(place)) continue
    if (isId(place.container_id)) found.push(`${at}.${name}.container_id`)
    if (hasIds(place.file_ids)) found.push(`${at}.${name}.file_ids`)
    for (const [skill, index] of objectsIn(place.skills))
      if (isId(skill.skill_id)) found.push(`${at}.${name}.skills[${index}].skill_id`)
  }
}

const hasIds = (value: unknown): boolean => Array.isArray(value) && value.some(isId)

/** URLs that the vendor is to fetch or to call. Pages that its own search has found are none. */
export function namedUrls(body: Json): NamedUrl[] {
  const found = urlsBeside(body)
  if (body.tools !== undefined) addUrls(found, body.tools, 'tools')
  forObjects(body.input, (item, index) => {
    if (typeof item.content === 'string' && item.output === undefined) return
    const at = `input[${index}]`
    addPartUrls(found, item.content, `${at}.content`)
    if (Array.isArray(item.output)) addPartUrls(found, item.output, `${at}.output`)
    else if (isObject(item.output)) addUrls(found, item.output, `${at}.output`)
    // Some take a part where an item belongs.
    if (item.content === undefined && isMedia(item)) addUrls(found, item, at)
  })
  return found
}

const isMedia = ({ type }: Json): boolean => typeof type === 'string' && type.startsWith('input_')
