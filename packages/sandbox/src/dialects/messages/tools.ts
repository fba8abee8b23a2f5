// The tools of a messages request, and which of them it allows or forces.

import { badRequest } from '../../request/errors.ts'
import { isObject, type Json, listOf } from '../../request/fields.ts'
import type { Tool, ToolChoice } from '../../request/sandbox-request.ts'

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
  if (!tools.some((tool) => tool.name === name))
    throw badRequest(`Tool '${name}' not found in provided tools`, 'tool_choice.tool.name')
  return { mode: 'required', only: [name], parallel }
}
