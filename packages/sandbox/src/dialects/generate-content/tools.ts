// The tools of a generate-content request, and which of them it allows or forces.

import { checkFields, is } from '../../request/checks.ts'
import { badRequest } from '../../request/errors.ts'
import type { Json } from '../../request/fields.ts'
import type { SandboxRequest, Tool, ToolChoice } from '../../request/sandbox-request.ts'
import { readFields, readList } from './parts/fields.ts'
import { checkSchema } from './parts/schema.ts'

const TOOL_FIELDS = new Set([
  'functionDeclarations',
  'googleSearch',
  'googleSearchRetrieval',
  'codeExecution',
  'urlContext',
  'fileSearch',
  'computerUse',
  'googleMaps',
  'mcpServers',
])
const DECLARATION_FIELDS = new Set([
  'name',
  'description',
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
  'behavior',
])
const CONFIG_FIELDS = new Set(['functionCallingConfig', 'retrievalConfig', 'includeServerSideToolInvocations'])
const CALLING_FIELDS = new Set(['mode', 'allowedFunctionNames', 'streamFunctionCallArguments'])
const MOST_NAMES = 512

export function readTools(top: Json): Tool[] {
  return readList(top.tools, 'tools').flatMap((tool, index) => {
    const path = `tools[${index}]`
    const { functionDeclarations } = readFields(tool, path, TOOL_FIELDS)
    return readList(functionDeclarations, `${path}.function_declarations`).map((declaration, at) =>
      readDeclaration(declaration, `${path}.function_declarations[${at}]`),
    )
  })
}

function readDeclaration(value: unknown, path: string): Tool {
  const { name, parameters, parametersJsonSchema } = readFields(value, path, DECLARATION_FIELDS)
  if (typeof name !== 'string' || !/^[A-Za-z_][\w.:-]{0,127}$/.test(name))
    throw badRequest('Invalid function name. Must start with a letter or an underscore.', `${path}.name`)
  if (parameters !== undefined && parametersJsonSchema !== undefined)
    throw badRequest('Only one of parameters and parametersJsonSchema may be set.', path)
  if (parameters !== undefined) checkSchema(parameters, `${path}.parameters`)
  return { name, form: 'function', schema: parametersJsonSchema ?? parameters ?? { type: 'object' } }
}

/** As the vendor's models do, the sandbox takes either functions or a search. */
export function readSearch(top: Json, tools: readonly Tool[]): SandboxRequest['search'] {
  const searches = readList(top.tools, 'tools').map((tool) => readFields(tool, 'tools', TOOL_FIELDS).googleSearch)
  if (searches.every((search) => search === undefined)) return 'none'
  if (tools.length > 0) throw badRequest('Tool use with function calling is unsupported.', 'tools')
  return 'offered'
}

export function readToolChoice(top: Json, tools: readonly Tool[]): ToolChoice {
  const config = readFields(top.toolConfig ?? {}, 'toolConfig', CONFIG_FIELDS)
  const path = 'toolConfig.functionCallingConfig'
  const calling = readFields(config.functionCallingConfig ?? {}, path, CALLING_FIELDS)
  const modes = is.oneOf('MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED')
  checkFields(calling, { mode: modes, allowedFunctionNames: is.strings(MOST_NAMES) }, `${path}.`)
  const { mode, allowedFunctionNames } = calling
  const only = readList(allowedFunctionNames, path).map(String)
  const unknown = only.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined)
    throw badRequest(`Function '${unknown}' is not among the function declarations.`, `${path}.allowedFunctionNames`)
  if (only.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED')
    throw badRequest('Allowed function names may be set only when the mode is ANY or VALIDATED.', path)
  if (mode === 'ANY' && tools.length === 0)
    throw badRequest('Function calling mode is ANY, but there are no function declarations.', path)
  const chosen = mode === 'NONE' ? 'none' : mode === 'ANY' ? 'required' : 'auto'
  return { mode: chosen, only: only.length > 0 ? only : undefined, parallel: true }
}
