// Tools and the choice among them, for an upstream.

import { rejectDuplicateTools } from '../../../canonical/encoding/offered-tools.ts'
import type { SentTools } from '../../../canonical/encoding/restore-tools.ts'
import { type NameRule, type ToolNames, toolNames, wrappedNames } from '../../../canonical/encoding/tool-names.ts'
import { checkToolChoice, dropHostedTools } from '../../../canonical/encoding/unsupported-fields.ts'
import { askedSearch, isSearchDemanded, warnOfSearchOptions } from '../../../canonical/encoding/web-search.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import type { CanonicalRequest, Tool } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { Target } from '../../text-dialect.ts'
import type { WireFunctionDeclaration, WireRequest } from '../wire.ts'
import type { ModelRules } from './model-rules.ts'
import { ownSchema } from './schema/encode-openapi-schema.ts'
import { parametersSchema } from './schema/encode-schema.ts'

const NAMES: NameRule = { allowed: /^[A-Za-z0-9_.:-]$/, whole: /^[A-Za-z_][A-Za-z0-9_.:-]*$/, longest: 128 }

export type EncodedTools = { fields: Pick<WireRequest, 'tools' | 'toolConfig'>; names: ToolNames; sent: SentTools }

export function encodeTools(request: CanonicalRequest, rules: ModelRules, target: Target): EncodedTools {
  const { warn } = target
  rejectDuplicateTools(request.tools)
  const names = toolNames(request, NAMES)
  const hasTools = request.tools.length > 0
  // The vendor's models take either functions or a search.
  const search = hasTools ? undefined : askedSearch(request, target)
  dropHostedTools(request, warn, search)
  checkToolChoice(request, search)
  if (search !== undefined) {
    warnOfSearchOptions(search, [], warn)
    if (isSearchDemanded(request.toolChoice)) warn('toolChoice', 'changed')
  }
  const firstCallOnly = hasTools && request.parallelCalls === false
  if (firstCallOnly) warn('parallelCalls', 'changed')
  const functionDeclarations = request.tools.map((tool) => ({
    name: names.sent(tool.name),
    ...writeDeclaration(tool, rules, warn),
  }))
  const calling = writeChoice(request, names)
  return {
    fields: {
      ...(hasTools ? { tools: [{ functionDeclarations }] } : search ? { tools: [{ googleSearch: {} }] } : {}),
      ...(calling === undefined ? {} : { toolConfig: { functionCallingConfig: calling } }),
    },
    names,
    sent: {
      changed: names.changed,
      wrapped: wrappedNames(request.tools),
      firstCallOnly,
    },
  }
}

function writeDeclaration(tool: Tool, rules: ModelRules, warn: Warn): WireFunctionDeclaration {
  const lost = (): void => warn('tools', 'changed')
  const { description, schema, custom } = tool
  if (tool.strict === true) lost()
  const said = custom?.grammar === undefined ? description : withGrammar(description, custom.grammar)
  const parameters = custom === undefined ? schema : INPUT
  return {
    ...(said === undefined || said === '' ? {} : { description: said }),
    ...(parameters === undefined ? {} : writeParameters(parametersSchema(parameters, lost), rules, lost)),
  }
}

function writeParameters(schema: Json, rules: ModelRules, lost: () => void): WireFunctionDeclaration {
  if (rules.jsonSchema) return { parametersJsonSchema: schema }
  const parameters = ownSchema(schema, lost)
  // An object without properties is rejected there; a function without parameters is not.
  const isEmpty = !isObject(parameters.properties) || Object.keys(parameters.properties).length === 0
  return isEmpty && parameters.anyOf === undefined ? {} : { parameters }
}

/** A tool that takes free text, as a function. */
const INPUT = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }

function withGrammar(description: string | undefined, grammar: { syntax: string; definition: string }): string {
  const rule = `The input must fit this ${grammar.syntax} grammar:\n${grammar.definition}`
  return description === undefined || description === '' ? rule : `${description}\n\n${rule}`
}

type Calling = { mode: string; allowedFunctionNames?: string[] }

function writeChoice({ tools, toolChoice }: CanonicalRequest, names: ToolNames): Calling | undefined {
  if (toolChoice === undefined || tools.length === 0) return undefined
  const { mode } = toolChoice
  const known = (wanted: readonly string[]): string[] =>
    wanted.filter((name) => tools.some((tool) => tool.name === name)).map((name) => names.sent(name))
  switch (mode) {
    case 'auto':
    case 'none':
      return { mode: mode.toUpperCase() }
    case 'required':
      return { mode: 'ANY' }
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [names.sent(toolChoice.name)] }
    case 'allowed':
      return { mode: toolChoice.required ? 'ANY' : 'VALIDATED', allowedFunctionNames: known(toolChoice.names) }
    default:
      return undefined
  }
}
