// Tools, the choice among them and the form of the answer, as this dialect writes them.

import { strictSchema } from '../../../canonical/encoding/strict-schema.ts'
import type { NameRule, ToolNames } from '../../../canonical/encoding/tool-names.ts'
import { checkToolChoice, dropHostedTools } from '../../../canonical/encoding/unsupported-fields.ts'
import { askedSearch, isSearchDemanded, warnOfSearchOptions } from '../../../canonical/encoding/web-search.ts'
import type { CanonicalRequest, OutputFormat, SearchOptions, Tool } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { Target } from '../../text-dialect.ts'
import { origin } from './origin.ts'

export const NAME_RULE: NameRule = { allowed: /[A-Za-z0-9_-]/, whole: /^[A-Za-z0-9_-]+$/, longest: 64 }

type Fields = Record<string, unknown>

/** `tools`, `tool_choice` and `parallel_tool_calls`; none of them where there is nothing to say. */
export function encodeTools(request: CanonicalRequest, names: ToolNames, target: Target): Fields {
  const { warn } = target
  const { tools, parallelCalls, modalities } = request
  const search = askedSearch(request, target)
  dropHostedTools(request, warn, search)
  checkToolChoice(request, search)
  const written = tools.map((tool) => writeTool(tool, request.from, names, warn))
  if (modalities.includes('image')) written.push({ type: 'image_generation' })
  if (search !== undefined) {
    warnOfSearchOptions(search, ['contextSize', 'location', 'allowedDomains', 'maxUses'], warn)
    written.push(writeSearch(search))
  }
  const choice = writeChoice(request, names, search !== undefined)
  if (written.length === 0) return {}
  return {
    tools: written,
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(parallelCalls === undefined ? {} : { parallel_tool_calls: parallelCalls }),
    // No other hosted tool is sent with it.
    ...(search?.maxUses ? { max_tool_calls: search.maxUses } : {}),
  }
}

function writeSearch({ contextSize, location, allowedDomains }: SearchOptions): Fields {
  return {
    type: 'web_search',
    ...(contextSize === undefined ? {} : { search_context_size: contextSize }),
    ...(location === undefined ? {} : { user_location: { type: 'approximate', ...location } }),
    ...(allowedDomains === undefined ? {} : { filters: { allowed_domains: allowedDomains } }),
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

function writeChoice({ toolChoice, tools }: CanonicalRequest, names: ToolNames, searches: boolean): unknown {
  if (toolChoice === undefined) return undefined
  // The only tool: `required` says the same in every version of the protocol.
  if (searches && tools.length === 0 && isSearchDemanded(toolChoice)) return 'required'
  if (toolChoice.mode === 'hosted') return searches ? SEARCH : undefined
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
        tools: [...toolChoice.names.map(refer), ...(searches ? [SEARCH] : [])],
      }
    default:
      return toolChoice.mode
  }
}

const SEARCH = { type: 'web_search' }

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
