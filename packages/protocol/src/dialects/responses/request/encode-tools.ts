// Tools, the choice among them and the form of the answer, as this dialect writes them.

import { strictSchema } from '../../../canonical/encoding/strict-schema.ts'
import type { NameRule, ToolNames } from '../../../canonical/encoding/tool-names.ts'
import { checkToolChoice, dropHostedTools } from '../../../canonical/encoding/unsupported-fields.ts'
import type { CanonicalRequest, OutputFormat, Tool } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import { origin } from './origin.ts'

export const NAME_RULE: NameRule = { allowed: /[A-Za-z0-9_-]/, whole: /^[A-Za-z0-9_-]+$/, longest: 64 }

type Fields = Record<string, unknown>

/** `tools`, `tool_choice` and `parallel_tool_calls`; none of them where there is nothing to say. */
export function encodeTools(request: CanonicalRequest, names: ToolNames, warn: Warn): Fields {
  const { tools, parallelCalls, modalities } = request
  dropHostedTools(request, warn)
  checkToolChoice(request)
  const written = tools.map((tool) => writeTool(tool, request.from, names, warn))
  if (modalities.includes('image')) written.push({ type: 'image_generation' })
  const choice = writeChoice(request, names)
  if (written.length === 0) return {}
  return {
    tools: written,
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(parallelCalls === undefined ? {} : { parallel_tool_calls: parallelCalls }),
  }
}

function writeTool(tool: Tool, from: CanonicalRequest['from'], names: ToolNames, warn: Warn): Fields {
  const name = names.sent(tool.name)
  const described = tool.description === undefined ? {} : { description: tool.description }
  if (tool.custom !== undefined) {
    const { grammar } = tool.custom
    return {
      type: 'custom',
      name,
      ...described,
      ...(grammar === undefined ? {} : { format: { type: 'grammar', ...grammar } }),
    }
  }
  const schema = tool.schema ?? { type: 'object', properties: {} }
  return { type: 'function', name, ...described, ...strictness(tool, schema, from, warn) }
}

/** Unlike elsewhere, a function is strict here unless it says that it is not. */
function strictness(
  tool: Tool,
  schema: NonNullable<Tool['schema']>,
  from: CanonicalRequest['from'],
  warn: Warn,
): Fields {
  if (from === origin) {
    return { parameters: schema, ...(tool.strict === undefined ? {} : { strict: tool.strict }) }
  }
  const strict = tool.strict === true ? strictSchema(schema) : undefined
  if (tool.strict === true && strict === undefined) warn('tools', 'changed')
  return { parameters: strict ?? schema, strict: strict !== undefined }
}

function writeChoice({ toolChoice, tools }: CanonicalRequest, names: ToolNames): unknown {
  if (toolChoice === undefined || toolChoice.mode === 'hosted') return undefined
  const refer = (name: string): Fields => {
    const isCustom = tools.some((tool) => tool.name === name && tool.custom !== undefined)
    return { type: isCustom ? 'custom' : 'function', name: names.sent(name) }
  }
  switch (toolChoice.mode) {
    case 'tool':
      return refer(toolChoice.name)
    case 'allowed':
      return {
        type: 'allowed_tools',
        mode: toolChoice.required ? 'required' : 'auto',
        tools: toolChoice.names.map(refer),
      }
    default:
      return toolChoice.mode
  }
}

/** `text`, or nothing where plain text is asked for. */
export function encodeTextFormat({ format, verbosity, from }: CanonicalRequest, warn: Warn): Fields | undefined {
  const written = writeFormat(format, from, warn)
  if (written === undefined && verbosity === undefined) return undefined
  return {
    ...(written === undefined ? {} : { format: written }),
    ...(verbosity === undefined ? {} : { verbosity }),
  }
}

function writeFormat(format: OutputFormat, from: CanonicalRequest['from'], warn: Warn): Fields | undefined {
  if (format.type === 'text') return undefined
  if (format.type === 'json') return { type: 'json_object' }
  // Dialects without the switch promise an answer that fits; strict mode is how that is promised here.
  const isOwn = from === origin
  const wantsStrict = format.strict === true || (format.strict === undefined && !from.hasStrictSwitch)
  const strict = wantsStrict && !isOwn ? strictSchema(format.schema) : undefined
  if (wantsStrict && strict === undefined && !isOwn) warn('format', 'changed')
  const isStrict = isOwn ? format.strict : wantsStrict ? strict !== undefined : format.strict
  return {
    type: 'json_schema',
    name: format.name ?? 'output',
    ...(format.description === undefined ? {} : { description: format.description }),
    schema: strict ?? format.schema,
    ...(isStrict === undefined ? {} : { strict: isStrict }),
  }
}
