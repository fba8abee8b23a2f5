// Tools for an upstream of this dialect, and which of them is to be called.

import { rejectDuplicateTools } from '../../../canonical/encoding/offered-tools.ts'
import { type NameRule, type ToolNames, toolNames, wrappedNames } from '../../../canonical/encoding/tool-names.ts'
import { checkToolChoice, dropHostedTools } from '../../../canonical/encoding/unsupported-fields.ts'
import { askedSearch, isSearchDemanded, warnOfSearchOptions } from '../../../canonical/encoding/web-search.ts'
import { put } from '../../../canonical/reading.ts'
import type { CanonicalRequest, JsonSchema, SearchOptions, Tool } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { Target } from '../../text-dialect.ts'
import type { WireSearchTool, WireTool, WireToolChoice } from '../wire.ts'
import { narrowedSchema } from './encode-schema.ts'
import { cacheControl } from './encode-turns.ts'
import type { ModelRules } from './model-rules.ts'

const NAMES: NameRule = { allowed: /[A-Za-z0-9_-]/, whole: /^[A-Za-z0-9_-]+$/, longest: 128 }

export type EncodedTools = {
  names: ToolNames
  tools: (WireTool | WireSearchTool)[]
  choice: WireToolChoice | undefined
  /** The model must call a tool. */
  isForced: boolean
  wrapped: ReadonlySet<string>
}

export function encodeTools(request: CanonicalRequest, rules: ModelRules, target: Target): EncodedTools {
  const { warn } = target
  rejectDuplicateTools(request.tools)
  const search = askedSearch(request, target)
  const names = toolNames(request, NAMES, search === undefined ? undefined : SEARCH)
  dropHostedTools(request, warn, search)
  checkToolChoice(request, search)
  const offered = offeredTools(request, warn)
  const choice = writeChoice(request, offered, names, search !== undefined)
  const functions = offered.map((tool) => writeTool(tool, names, rules, warn))
  return {
    names,
    tools: search === undefined ? functions : [...functions, writeSearch(search, warn)],
    choice,
    isForced: choice?.type === 'any' || choice?.type === 'tool',
    wrapped: wrappedNames(offered),
  }
}

const SEARCH = 'web_search'

/** The first version, which every model that can search has. The vendor takes either allowed or blocked domains. */
function writeSearch(search: SearchOptions, warn: Warn): WireSearchTool {
  const { location, allowedDomains, blockedDomains, maxUses } = search
  const domains = allowedDomains === undefined ? 'blockedDomains' : 'allowedDomains'
  warnOfSearchOptions(search, ['location', 'maxUses', domains], warn)
  const written: WireSearchTool = { type: 'web_search_20250305', name: SEARCH }
  put(written, 'max_uses', maxUses)
  if (allowedDomains !== undefined) written.allowed_domains = [...allowedDomains]
  else if (blockedDomains !== undefined) written.blocked_domains = [...blockedDomains]
  if (location !== undefined) written.user_location = { type: 'approximate', ...location }
  return written
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
  searches: boolean,
): WireToolChoice | undefined {
  const { toolChoice, parallelCalls } = request
  const single = parallelCalls === false ? { disable_parallel_tool_use: true } : {}
  const mode = toolChoice?.mode === 'allowed' ? (toolChoice.required ? 'required' : 'auto') : toolChoice?.mode
  const isDemanded = searches && isSearchDemanded(toolChoice)
  if (isDemanded && (offered.length === 0 || mode === 'hosted')) return { type: 'tool', name: SEARCH, ...single }
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
