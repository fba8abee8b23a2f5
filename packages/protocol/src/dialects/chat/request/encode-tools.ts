// Tools and the choice among them, for an upstream.

import { strictSchema } from '../../../canonical/encoding/strict-schema.ts'
import { NO_NAMES, type ToolNames, wrappedNames } from '../../../canonical/encoding/tool-names.ts'
import { checkToolChoice, dropHostedTools } from '../../../canonical/encoding/unsupported-fields.ts'
import { askedSearch, warnOfSearchOptions } from '../../../canonical/encoding/web-search.ts'
import { put } from '../../../canonical/reading.ts'
import type { CanonicalRequest, SearchOptions, Tool, ToolChoice } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { ChatService } from '../../chat-service.ts'
import type { NamedTool, WrittenTool, WrittenToolChoice } from '../wire.ts'

type Context = { names: ToolNames; service: ChatService; warn: Warn; searches?: boolean }

export function addTools(body: Record<string, unknown>, request: CanonicalRequest, context: Context): void {
  const { tools, toolChoice, parallelCalls } = request
  const search = askedSearch(request, context)
  dropHostedTools(request, context.warn, search)
  checkToolChoice(request, search)
  if (search !== undefined) addSearch(body, search, context.warn)
  if (tools.length === 0) return
  const choice: WrittenToolChoice | undefined = toolChoice && encodeChoice(toolChoice, tools, context)
  body.tools = tools.map((tool) => encodeTool(tool, request, context))
  put(body, 'tool_choice', choice)
  put(body, 'parallel_tool_calls', parallelCalls)
}

/** Models with this field search for every answer: there is no choice to be made, and nothing to be forced. */
function addSearch(body: Record<string, unknown>, search: SearchOptions, warn: Warn): void {
  const { contextSize, location } = search
  warnOfSearchOptions(search, ['contextSize', 'location'], warn)
  body.web_search_options = {
    ...(contextSize === undefined ? {} : { search_context_size: contextSize }),
    ...(location === undefined ? {} : { user_location: { type: 'approximate', approximate: location } }),
  }
}

/** Tools that a service without them gets as functions, by the caller's names. */
export function wrappedTools({ tools }: CanonicalRequest, { customTools }: ChatService): ReadonlySet<string> {
  return customTools ? NO_NAMES : wrappedNames(tools)
}

function encodeTool(tool: Tool, request: CanonicalRequest, { names, service, warn }: Context): WrittenTool {
  const name = names.sent(tool.name)
  if (tool.custom === undefined) return { type: 'function', function: encodeFunction(name, tool, request, warn) }
  const described = tool.description === undefined ? {} : { description: tool.description }
  if (!service.customTools) {
    return { type: 'function', function: { name, ...described, parameters: inputSchema(tool.custom) } }
  }
  const { grammar } = tool.custom
  const syntax = grammar?.syntax === 'regex' ? 'regex' : 'lark'
  const format =
    grammar === undefined
      ? {}
      : { format: { type: 'grammar' as const, grammar: { syntax, definition: grammar.definition } as const } }
  return { type: 'custom', custom: { name, ...described, ...format } }
}

type WrittenFunction = Extract<WrittenTool, { type: 'function' }>['function']

/** Strict has the vendor's meaning only in dialects with the same switch; a schema from another must be made to fit first. */
function encodeFunction(
  name: string,
  { description, strict, schema }: Tool,
  { from }: CanonicalRequest,
  warn: Warn,
): WrittenFunction {
  const written: WrittenFunction = { name }
  put(written, 'description', description)
  const isPromised = strict === true && !from.hasStrictSwitch
  const closed = isPromised && schema !== undefined ? strictSchema(schema) : undefined
  const isBroken = isPromised && closed === undefined
  put(written, 'parameters', closed ?? schema)
  put(written, 'strict', isBroken ? false : strict)
  if (isBroken) warn('tools', 'changed')
  return written
}

function inputSchema({ grammar }: NonNullable<Tool['custom']>): Record<string, unknown> {
  const description = grammar && { description: `Must fit this ${grammar.syntax} grammar:\n${grammar.definition}` }
  return {
    type: 'object',
    properties: { input: { type: 'string', ...description } },
    required: ['input'],
    additionalProperties: false,
  }
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[], context: Context): WrittenToolChoice | undefined {
  switch (choice.mode) {
    case 'tool':
      return named(choice.name, tools, context)
    case 'allowed': {
      const allowed = choice.names.map((name) => ({ ...named(name, tools, context) }))
      return { type: 'allowed_tools', allowed_tools: { mode: choice.required ? 'required' : 'auto', tools: allowed } }
    }
    case 'hosted':
      return undefined
    default:
      return choice.mode
  }
}

function named(name: string, tools: readonly Tool[], { names, service }: Context): NamedTool {
  const sent = names.sent(name)
  const isCustom = service.customTools && tools.find((tool) => tool.name === name)?.custom !== undefined
  return isCustom ? { type: 'custom', custom: { name: sent } } : { type: 'function', function: { name: sent } }
}
