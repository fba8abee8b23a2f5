// The tools of a chat request, and which of them it allows or forces.

import { badRequest } from '../../request/errors.ts'
import { isObject, type Json } from '../../request/fields.ts'
import type { Tool, ToolChoice } from '../../request/sandbox-request.ts'

export function readTools(body: Json): Tool[] {
  if (!Array.isArray(body.tools)) return []
  return body.tools.map((tool: unknown, index) => {
    const path = `tools[${index}]`
    if (!isObject(tool)) throw badRequest(`Invalid type for '${path}': expected an object.`, path)
    const form = tool.type
    if (form !== 'function' && form !== 'custom') {
      throw badRequest(`Invalid value for '${path}.type': expected function or custom.`, `${path}.type`)
    }
    const definition = tool[form]
    const name = isObject(definition) ? definition.name : undefined
    if (!isObject(definition) || typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name)) {
      throw badRequest(
        `Invalid '${path}.${form}.name': expected 1 to 64 letters, digits, _ or -.`,
        `${path}.${form}.name`,
      )
    }
    const { parameters } = definition
    if (parameters !== undefined && parameters !== null && !isObject(parameters)) {
      throw badRequest(
        `Invalid type for '${path}.function.parameters': expected an object.`,
        `${path}.function.parameters`,
      )
    }
    return { name, form, schema: parameters ?? { type: 'object' } }
  })
}

export function readToolChoice(body: Json, tools: readonly Tool[]): ToolChoice {
  const parallel = body.parallel_tool_calls !== false
  const choice = body.tool_choice ?? 'auto'
  if (choice === 'none' || choice === 'auto') return { mode: choice, only: undefined, parallel }
  if (tools.length === 0) throw badRequest("'tool_choice' is only allowed when 'tools' are given.", 'tool_choice')
  if (choice === 'required') return { mode: 'required', only: undefined, parallel }
  if (isObject(choice) && choice.type === 'allowed_tools' && isObject(choice.allowed_tools)) {
    const { mode, tools: listed } = choice.allowed_tools
    const only = Array.isArray(listed) ? listed.map((entry: unknown) => namedTool(entry, tools)) : []
    return { mode: mode === 'required' ? 'required' : 'auto', only, parallel }
  }
  return { mode: 'required', only: [namedTool(choice, tools)], parallel }
}

function namedTool(choice: unknown, tools: readonly Tool[]): string {
  const definition = isObject(choice) ? (choice.type === 'custom' ? choice.custom : choice.function) : undefined
  const name = isObject(definition) ? definition.name : undefined
  if (typeof name !== 'string') throw badRequest("Invalid value for 'tool_choice'.", 'tool_choice')
  if (!tools.some((tool) => tool.name === name)) {
    throw badRequest(`Tool choice '${name}' not found in 'tools'.`, 'tool_choice')
  }
  return name
}
