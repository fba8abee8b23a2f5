// Tools and the choice among them, for an upstream.

import { checkToolChoice, leaveOutHosted } from '../../../canonical/refusals.ts'
import type { CanonicalRequest, Tool, ToolChoice } from '../../../canonical/request.ts'
import { strictSchema } from '../../../canonical/strict-schema.ts'
import type { ToolNames } from '../../../canonical/tool-names.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { ChatService } from '../../chat-service.ts'
import type { NamedTool, WrittenTool, WrittenToolChoice } from '../wire.ts'

export type EncodedTools = {
  tools?: WrittenTool[]
  tool_choice?: WrittenToolChoice
  parallel_tool_calls?: boolean
}

type Context = { names: ToolNames; service: ChatService; warn: Warn }

export function encodeTools(request: CanonicalRequest, context: Context): EncodedTools {
  const { tools, toolChoice, parallelCalls } = request
  leaveOutHosted(request, context.warn)
  checkToolChoice(request)
  if (tools.length === 0) return {}
  const tool_choice = toolChoice === undefined ? undefined : encodeChoice(toolChoice, tools, context)
  return {
    tools: tools.map((tool) => encodeTool(tool, request, context)),
    ...(tool_choice === undefined ? {} : { tool_choice }),
    ...(parallelCalls === undefined ? {} : { parallel_tool_calls: parallelCalls }),
  }
}

/** Tools that a service without them gets as functions, by the caller's names. */
export const wrappedTools = ({ tools }: CanonicalRequest, { customTools }: ChatService): ReadonlySet<string> =>
  new Set(customTools ? [] : tools.filter(({ custom }) => custom !== undefined).map(({ name }) => name))

function encodeTool(tool: Tool, request: CanonicalRequest, { names, service, warn }: Context): WrittenTool {
  const name = names.sent(tool.name)
  const described = tool.description === undefined ? {} : { description: tool.description }
  if (tool.custom !== undefined && !service.customTools) {
    return { type: 'function', function: { name, ...described, parameters: inputSchema(tool.custom) } }
  }
  if (tool.custom !== undefined) {
    const { grammar } = tool.custom
    const syntax = grammar?.syntax === 'regex' ? 'regex' : 'lark'
    const format =
      grammar === undefined
        ? {}
        : { format: { type: 'grammar' as const, grammar: { syntax, definition: grammar.definition } as const } }
    return { type: 'custom', custom: { name, ...described, ...format } }
  }
  return { type: 'function', function: { name, ...described, ...parametersOf(tool, request, warn) } }
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

/** Strict means the same only where it came from the same vendor's words; elsewhere the schema must fit them first. */
function parametersOf({ strict, schema }: Tool, { from }: CanonicalRequest, warn: Warn): Parameters {
  const parameters = schema === undefined ? {} : { parameters: { ...schema } }
  if (strict === undefined) return parameters
  if (from === 'chat' || from === 'responses' || !strict) return { ...parameters, strict }
  const closed = schema === undefined ? undefined : strictSchema(schema)
  if (closed !== undefined) return { parameters: { ...closed }, strict }
  warn('tools', 'changed')
  return { ...parameters, strict: false }
}

type Parameters = { parameters?: Record<string, unknown>; strict?: boolean }

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
