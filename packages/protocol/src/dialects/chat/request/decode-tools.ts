// A client's tools, the choice among them, and the same in the words that came before tools.

import { checkChoice } from '../../../canonical/encoding/offered-tools.ts'
import { isSearchName, readContextSize, readLocation } from '../../../canonical/encoding/web-search.ts'
import {
  asArray,
  asObject,
  below,
  isObject,
  type Json,
  put,
  readArray,
  readFlag,
  readName,
  readObject,
  readString,
  wrong,
} from '../../../canonical/reading.ts'
import type { HostedTool, SearchOptions, Tool, ToolChoice } from '../../../canonical/request.ts'
import { marked } from './decode-turns.ts'

export type DecodedTools = { tools: Tool[]; hosted: HostedTool[]; choice: ToolChoice | undefined; legacy: boolean }

export function decodeTools(body: Json): DecodedTools {
  const tools: Tool[] = []
  const hosted: HostedTool[] = []
  const given = readArray(body, 'tools') ?? []
  for (let index = 0; index < given.length; index++) {
    const at = `tools[${index}]`
    const tool = asObject(given[index], at)
    const type = readString(tool, 'type', at) ?? 'function'
    if (type === 'function') tools.push(marked(decodeFunction(tool, at), tool))
    else if (type === 'custom') tools.push(marked(decodeCustom(tool, at), tool))
    else hosted.push({ name: type, at, ...(isSearchName(type) ? { search: {} } : {}) })
  }
  const options = readObject(body, SEARCH)
  if (options !== undefined) hosted.push({ name: SEARCH, at: SEARCH, search: readSearch(options) })
  const functions = readArray(body, 'functions') ?? []
  for (let index = 0; index < functions.length; index++) {
    const at = `functions[${index}]`
    tools.push(functionOf(asObject(functions[index], at), at))
  }
  const choice = decodeChoice(body) ?? decodeLegacyChoice(body)
  if (choice !== undefined)
    checkChoice(choice, { tools, hostedTools: hosted }, body.tool_choice ? 'tool_choice' : 'function_call')
  return { tools, hosted, choice, legacy: functions.length > 0 && tools.length === functions.length }
}

const SEARCH = 'web_search_options'

function readSearch(options: Json): SearchOptions {
  const at = below(SEARCH, 'user_location')
  const where = readObject(options, 'user_location', SEARCH)
  const search: SearchOptions = {}
  put(search, 'contextSize', readContextSize(options, SEARCH))
  put(search, 'location', readLocation(where?.approximate, below(at, 'approximate')))
  return search
}

function decodeFunction(tool: Json, at: string): Tool {
  const path = below(at, 'function')
  const described = readObject(tool, 'function', at)
  if (described === undefined) throw wrong(path, `${path} is required: an object with a name`)
  return functionOf(described, path)
}

function functionOf(described: Json, at: string): Tool {
  const schema = readObject(described, 'parameters', at)
  const strict = readFlag(described, 'strict', at)
  const tool = namedTool(described, at)
  put(tool, 'schema', schema)
  put(tool, 'strict', strict)
  return tool
}

function namedTool(described: Json, at: string): Tool {
  const name = readName(described, 'name', at)
  if (name === undefined || name === '') {
    const path = below(at, 'name')
    throw wrong(path, `${path} is required: the name of the function`)
  }
  const tool: Tool = { name }
  put(tool, 'description', readString(described, 'description', at))
  return tool
}

function decodeCustom(tool: Json, at: string): Tool {
  const path = below(at, 'custom')
  const described = readObject(tool, 'custom', at)
  if (described === undefined) throw wrong(path, `${path} is required: an object with a name`)
  const format = readObject(described, 'format', path)
  // The fields of a grammar stand in an object of their own here, and beside the type in another dialect.
  const grammar = isObject(format?.grammar) ? format.grammar : format
  const isGrammar = format?.type === 'grammar' && grammar !== undefined
  const custom: Tool['custom'] = {}
  if (isGrammar) {
    const where = below(path, 'format.grammar')
    const syntax = readString(grammar, 'syntax', where) ?? 'lark'
    custom.grammar = { syntax, definition: readString(grammar, 'definition', where) ?? '' }
  }
  const read = namedTool(described, path)
  read.custom = custom
  return read
}

const MODES: Readonly<Record<string, 'auto' | 'none' | 'required'>> = {
  auto: 'auto',
  none: 'none',
  required: 'required',
  // Mistral's word.
  any: 'required',
}

function decodeChoice(body: Json): ToolChoice | undefined {
  const choice = body.tool_choice
  if (choice === undefined || choice === null) return undefined
  if (typeof choice === 'string') {
    const mode = Object.hasOwn(MODES, choice) ? MODES[choice] : undefined
    if (mode === undefined) throw wrong('tool_choice', 'tool_choice must be auto, none, required or an object')
    return { mode }
  }
  if (!isObject(choice)) throw wrong('tool_choice', 'tool_choice must be a string or an object')
  const type = readString(choice, 'type', 'tool_choice') ?? 'function'
  if (type === 'function' || type === 'custom') return { mode: 'tool', name: chosenName(choice, type, 'tool_choice') }
  if (type === 'allowed_tools') return decodeAllowed(choice)
  return { mode: 'hosted', name: type }
}

function chosenName(choice: Json, type: 'function' | 'custom', at: string): string {
  const path = below(at, type)
  const chosen = readObject(choice, type, at)
  const name = chosen === undefined ? undefined : readName(chosen, 'name', path)
  if (name === undefined) throw wrong(below(path, 'name'), `${below(path, 'name')} is required: the name of the tool`)
  return name
}

function decodeAllowed(choice: Json): ToolChoice {
  const at = 'tool_choice.allowed_tools'
  const allowed = asObject(choice.allowed_tools, at)
  const names = asArray(allowed.tools, `${at}.tools`).flatMap((value, index) => {
    const path = `${at}.tools[${index}]`
    const tool = asObject(value, path)
    const type = readString(tool, 'type', path) ?? 'function'
    return type === 'function' || type === 'custom' ? [chosenName(tool, type, path)] : []
  })
  return { mode: 'allowed', required: readString(allowed, 'mode', at) === 'required', names }
}

function decodeLegacyChoice(body: Json): ToolChoice | undefined {
  const choice = body.function_call
  if (choice === undefined || choice === null) return undefined
  if (choice === 'auto' || choice === 'none') return { mode: choice }
  const name = isObject(choice) ? readName(choice, 'name', 'function_call') : undefined
  if (name === undefined) throw wrong('function_call', 'function_call must be auto, none or an object with a name')
  return { mode: 'tool', name }
}
