// The tools of a responses request, and which of them it allows or forces.

import { badRequest } from '../../request/errors.ts'
import { isObject, type Json, listOf } from '../../request/fields.ts'
import type { SandboxRequest, Tool, ToolChoice } from '../../request/sandbox-request.ts'

/** Tools that the service itself runs: accepted, but never called here. */
const HOSTED = new Set([
  'web_search',
  'web_search_preview',
  'file_search',
  'code_interpreter',
  'mcp',
  'image_generation',
  'computer',
  'computer_use_preview',
  'local_shell',
  'shell',
  'apply_patch',
  'tool_search',
  'namespace',
  'programmatic_tool_calling',
])

export function readTools(body: Json): Tool[] {
  return listOf(body.tools).flatMap((tool, index) => {
    const path = `tools[${index}]`
    if (!isObject(tool)) throw badRequest(`Invalid type for '${path}': expected an object.`, path)
    const { type, name, parameters } = tool
    if (typeof type === 'string' && HOSTED.has(type)) return []
    if (type !== 'function' && type !== 'custom')
      throw badRequest(`Invalid value: '${String(type)}'. Supported values are: 'function', 'custom'.`, `${path}.type`)
    if (typeof name !== 'string') throw badRequest(`Missing required parameter: '${path}.name'.`, `${path}.name`)
    if (!/^[\w-]{1,64}$/.test(name))
      throw badRequest(`Invalid '${path}.name': expected 1 to 64 letters, digits, _ or -.`, `${path}.name`)
    if (parameters !== undefined && parameters !== null && !isObject(parameters))
      throw badRequest(`Invalid type for '${path}.parameters': expected an object.`, `${path}.parameters`)
    return [{ name, form: type, schema: parameters ?? { type: 'object' } }]
  })
}

const SEARCH = /^web_search(?:_|$)/

/** A search is forced by its name, or as the only tool where one must be called. */
export function readSearch(body: Json, tools: readonly Tool[]): SandboxRequest['search'] {
  const isSearch = (tool: unknown): boolean => isObject(tool) && SEARCH.test(String(tool.type))
  const { tool_choice: choice } = body
  if (choice === 'none' || !listOf(body.tools).some(isSearch)) return 'none'
  return isSearch(choice) || (choice === 'required' && tools.length === 0) ? 'forced' : 'offered'
}

export function readToolChoice(body: Json, tools: readonly Tool[]): ToolChoice {
  const parallel = body.parallel_tool_calls !== false
  const choice = body.tool_choice ?? 'auto'
  if (choice === 'none' || choice === 'auto') return { mode: choice, only: undefined, parallel }
  if (listOf(body.tools).length === 0)
    throw badRequest("Tool choice is only allowed when 'tools' are given.", 'tool_choice')
  if (choice === 'required') return { mode: 'required', only: undefined, parallel }
  if (!isObject(choice)) throw badRequest("Invalid value for 'tool_choice'.", 'tool_choice')
  if (choice.type === 'allowed_tools') {
    const only = listOf(choice.tools).map((entry) => namedTool(entry, tools))
    return { mode: choice.mode === 'required' ? 'required' : 'auto', only, parallel }
  }
  if (typeof choice.type === 'string' && HOSTED.has(choice.type)) return { mode: 'auto', only: undefined, parallel }
  return { mode: 'required', only: [namedTool(choice, tools)], parallel }
}

function namedTool(choice: unknown, tools: readonly Tool[]): string {
  const name = isObject(choice) ? choice.name : undefined
  if (typeof name !== 'string') throw badRequest("Missing required parameter: 'tool_choice.name'.", 'tool_choice.name')
  if (!tools.some((tool) => tool.name === name))
    throw badRequest(`Tool choice '${name}' not found in 'tools' parameter.`, 'tool_choice')
  return name
}
