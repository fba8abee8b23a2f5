// Tools for an upstream of this dialect, and which of them is to be called.

import { rejectDuplicateTools } from '../../../canonical/encoding/offered-tools.ts'
import { type NameRule, type ToolNames, toolNames, wrappedNames } from '../../../canonical/encoding/tool-names.ts'
import { checkToolChoice, dropHostedTools } from '../../../canonical/encoding/unsupported-fields.ts'
import type { CanonicalRequest, JsonSchema, Tool } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { WireTool, WireToolChoice } from '../wire.ts'
import { narrowedSchema } from './encode-schema.ts'
import { cacheControl } from './encode-turns.ts'
import type { ModelRules } from './model-rules.ts'

const NAMES: NameRule = { allowed: /[A-Za-z0-9_-]/, whole: /^[A-Za-z0-9_-]+$/, longest: 128 }

export type EncodedTools = {
  names: ToolNames
  tools: WireTool[]
  choice: WireToolChoice | undefined
  /** The model must call a tool. */
  isForced: boolean
  wrapped: ReadonlySet<string>
}

export function encodeTools(request: CanonicalRequest, rules: ModelRules, warn: Warn): EncodedTools {
  rejectDuplicateTools(request.tools)
  const names = toolNames(request, NAMES)
  dropHostedTools(request, warn)
  checkToolChoice(request)
  const offered = offeredTools(request, warn)
  const choice = writeChoice(request, offered, names)
  return {
    names,
    tools: offered.map((tool) => writeTool(tool, names, rules, warn)),
    choice,
    isForced: choice?.type === 'any' || choice?.type === 'tool',
    wrapped: wrappedNames(offered),
  }
}

function offeredTools({ tools, toolChoice }: CanonicalRequest, warn: Warn): readonly Tool[] {
  if (toolChoice?.mode !== 'allowed') return tools
  // The only way to say it here is to send no others.
  warn('toolChoice', 'changed')
  return tools.filter((tool) => toolChoice.names.includes(tool.name))
}

function writeChoice(
  request: CanonicalRequest,
  offered: readonly Tool[],
  names: ToolNames,
): WireToolChoice | undefined {
  const { toolChoice, parallelCalls } = request
  const single = parallelCalls === false ? { disable_parallel_tool_use: true } : {}
  const mode = toolChoice?.mode === 'allowed' ? (toolChoice.required ? 'required' : 'auto') : toolChoice?.mode
  if (offered.length === 0) return undefined
  if (mode === 'none') return { type: 'none' }
  if (mode === 'required') return { type: 'any', ...single }
  if (toolChoice?.mode === 'tool') return { type: 'tool', name: names.sent(toolChoice.name), ...single }
  return mode === undefined && parallelCalls !== false ? undefined : { type: 'auto', ...single }
}

function writeTool(tool: Tool, names: ToolNames, rules: ModelRules, warn: Warn): WireTool {
  const description = tool.custom === undefined ? tool.description : customDescription(tool)
  const isStrict = tool.strict === true && tool.schema !== undefined && rules.schemas
  if (tool.strict === true && !rules.schemas) warn('tools', 'changed')
  const schema = tool.custom === undefined ? (tool.schema ?? { properties: {} }) : FREE_TEXT
  const { type: _, ...rest } = isStrict ? narrowedSchema(schema) : schema
  return {
    name: names.sent(tool.name),
    ...(description === undefined || description === '' ? {} : { description }),
    // The root must say that it is an object, whatever the caller's dialect let it leave out.
    input_schema: { type: 'object', ...rest },
    ...(isStrict ? { strict: true } : {}),
    ...cacheControl(tool.cache),
  }
}

/** A tool that takes free text, as a function of one string. */
const FREE_TEXT: JsonSchema = {
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

function customDescription({ description, custom }: Tool): string {
  const grammar = custom?.grammar
  const rule = grammar === undefined ? '' : `\`input\` must fit this ${grammar.syntax} grammar:\n${grammar.definition}`
  return [description ?? '', rule].filter((text) => text !== '').join('\n\n')
}
