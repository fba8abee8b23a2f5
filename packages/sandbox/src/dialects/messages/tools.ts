// The tools of a messages request, and which of them it allows or forces.

import { badRequest } from '../../request/errors.ts'
import { isObject, type Json, listOf } from '../../request/fields.ts'
import type { SandboxRequest, Tool, ToolChoice } from '../../request/sandbox-request.ts'

/** Tools that the service itself runs, or that have a schema of their own, carry a version in their type. */
const VERSIONED = /_\d{8}$/

export function readTools(body: Json): Tool[] {
  return listOf(body.tools).flatMap((tool, index) => {
    const path = `tools.${index}`
    if (!isObject(tool)) throw badRequest('Input should be a valid dictionary', path)
    if (typeof tool.type === 'string' && VERSIONED.test(tool.type)) return []
    if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom')
      throw badRequest(`Input tag '${String(tool.type)}' does not match any of the expected tags`, `${path}.type`)
    const { name, input_schema: schema } = tool
    if (typeof name !== 'string') throw badRequest('Field required', `${path}.name`)
    if (!/^[\w-]{1,128}$/.test(name))
      throw badRequest("String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", `${path}.custom.name`)
    if (!isObject(schema)) throw badRequest('Field required', `${path}.custom.input_schema`)
    if (schema.type !== 'object') throw badRequest("Input should be 'object'", `${path}.custom.input_schema.type`)
    return [{ name, form: 'function' as const, schema }]
  })
}

/** A search is forced by its name, or as the only tool where one must be called. */
export function readSearch(body: Json, tools: readonly Tool[]): SandboxRequest['search'] {
  const search = searchTool(body)
  const choice = isObject(body.tool_choice) ? body.tool_choice : {}
  if (choice.type === 'none' || search === undefined) return 'none'
  const isNamed = choice.type === 'tool' && choice.name === search.name
  return isNamed || (choice.type === 'any' && tools.length === 0) ? 'forced' : 'offered'
}

const searchTool = (body: Json): Json | undefined =>
  listOf(body.tools)
    .filter(isObject)
    .find(({ type }) => /^web_search_\d{8}$/.test(String(type)))

export function readToolChoice(body: Json, tools: readonly Tool[]): ToolChoice {
  const choice = isObject(body.tool_choice) ? body.tool_choice : { type: 'auto' }
  const parallel = choice.disable_parallel_tool_use !== true
  if (body.tool_choice && !Array.isArray(body.tools))
    throw badRequest('may only be specified while providing tools.', 'tool_choice')
  if (choice.type === 'auto' || choice.type === 'none') return { mode: choice.type, only: undefined, parallel }
  if (choice.type === 'any') return { mode: 'required', only: undefined, parallel }
  if (choice.type !== 'tool') throw badRequest("expected one of 'auto', 'any', 'tool', 'none'", 'tool_choice.type')
  const { name } = choice
  if (typeof name !== 'string') throw badRequest('Field required', 'tool_choice.tool.name')
  if (searchTool(body)?.name === name) return { mode: 'auto', only: undefined, parallel }
  if (!tools.some((tool) => tool.name === name))
    throw badRequest(`Tool '${name}' not found in provided tools`, 'tool_choice.tool.name')
  return { mode: 'required', only: [name], parallel }
}
