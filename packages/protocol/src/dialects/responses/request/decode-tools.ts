// Tools that a caller offers, and how they are to be used.

import { isSearchName, readContextSize, readDomains, readLocation } from '../../../canonical/encoding/web-search.ts'
import {
  asArray,
  asObject,
  asString,
  below,
  isObject,
  type Json,
  put,
  readFlag,
  readObject,
  readString,
  wrong,
} from '../../../canonical/reading.ts'
import type { HostedTool, SearchOptions, Tool, ToolChoice } from '../../../canonical/request.ts'

/** An item of the input that adds tools or changes settings in mid-conversation, with where it stands. */
export type Change = { item: Json; at: string }

export type DecodedTools = { tools: Tool[]; hostedTools: HostedTool[] }

/** The full name of a function that the caller keeps in a namespace. */
export const namespaced = (namespace: string | undefined, name: string): string =>
  namespace === undefined || namespace === '' ? name : `${namespace}__${name}`

export function decodeTools(value: unknown, changes: readonly Change[]): DecodedTools {
  const read: DecodedTools = { tools: [], hostedTools: [] }
  if (value !== undefined && value !== null) readTools(value, 'tools', read)
  for (const { item, at } of changes)
    if (item.type === 'additional_tools') readTools(item.tools, below(at, 'tools'), read)
  return read
}

function readTools(value: unknown, within: string, read: DecodedTools): void {
  const given = asArray(value, within)
  for (let index = 0; index < given.length; index++) {
    const at = `${within}[${index}]`
    const tool = asObject(given[index], at)
    const type = asString(tool.type, below(at, 'type'))
    if (type === 'namespace') readNamespace(tool, at, read)
    else readTool(tool, type, at, undefined, read)
  }
}

function readTool(tool: Json, type: string, at: string, namespace: string | undefined, into: DecodedTools): void {
  if (isSearchName(type)) {
    into.hostedTools.push({ name: type, at, search: readSearch(tool, at) })
    return
  }
  if (type !== 'function' && type !== 'custom') {
    into.hostedTools.push({ name: type, at })
    return
  }
  const name = asString(tool.name, below(at, 'name'))
  if (name === '') throw wrong(below(at, 'name'), `${at}.name must not be empty`)
  const read: Tool = { name: namespaced(namespace, name) }
  put(read, 'description', readString(tool, 'description', at))
  if (namespace !== undefined) read.namespace = { namespace, name }
  if (type === 'custom') read.custom = readGrammar(tool, at)
  else {
    put(read, 'strict', readFlag(tool, 'strict', at))
    put(read, 'schema', readObject(tool, 'parameters', at))
  }
  into.tools.push(read)
}

function readSearch(tool: Json, at: string): SearchOptions {
  const filters = readObject(tool, 'filters', at) ?? {}
  const path = below(at, 'filters')
  const search: SearchOptions = {}
  put(search, 'contextSize', readContextSize(tool, at))
  put(search, 'location', readLocation(tool.user_location, below(at, 'user_location')))
  put(search, 'allowedDomains', readDomains(filters, 'allowed_domains', path))
  put(search, 'blockedDomains', readDomains(filters, 'blocked_domains', path))
  return search
}

function readGrammar(tool: Json, at: string): NonNullable<Tool['custom']> {
  const format = tool.format
  if (!isObject(format) || format.type !== 'grammar') return {}
  const path = below(at, 'format')
  return {
    grammar: {
      syntax: asString(format.syntax, below(path, 'syntax')),
      definition: asString(format.definition, below(path, 'definition')),
    },
  }
}

function readNamespace(tool: Json, at: string, into: DecodedTools): void {
  const namespace = asString(tool.name, below(at, 'name'))
  const about = readString(tool, 'description', at)
  const first = into.tools.length
  for (const [index, item] of asArray(tool.tools ?? [], below(at, 'tools')).entries()) {
    const path = `${at}.tools[${index}]`
    const inner = asObject(item, path)
    readTool(inner, asString(inner.type, below(path, 'type')), path, namespace, into)
  }
  // What is said about all of them is said once, with the first.
  const head = into.tools[first]
  if (head === undefined || about === undefined || about === '') return
  into.tools[first] = {
    ...head,
    description: [about, head.description ?? ''].filter((text) => text !== '').join('\n\n'),
  }
}

export function decodeToolChoice(value: unknown): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined
  if (value === 'auto' || value === 'none' || value === 'required') return { mode: value }
  if (!isObject(value)) {
    throw wrong('tool_choice', 'tool_choice must be auto, none, required or an object that names a tool')
  }
  const type = asString(value.type, 'tool_choice.type')
  if (type === 'function' || type === 'custom') return { mode: 'tool', name: nameIn(value, 'tool_choice') }
  if (type !== 'allowed_tools') return { mode: 'hosted', name: type }
  const listed = asArray(value.tools, 'tool_choice.tools').map((tool, index) =>
    asObject(tool, `tool_choice.tools[${index}]`),
  )
  const isFunction = (tool: Json): boolean => tool.type === 'function' || tool.type === 'custom'
  const names = listed.flatMap((tool, index) => (isFunction(tool) ? nameIn(tool, `tool_choice.tools[${index}]`) : []))
  const hosted = listed.find((tool) => !isFunction(tool))
  if (names.length === 0 && hosted !== undefined) {
    return { mode: 'hosted', name: asString(hosted.type, 'tool_choice.tools[0].type') }
  }
  const search = listed.some(({ type }) => typeof type === 'string' && isSearchName(type))
  return { mode: 'allowed', required: value.mode === 'required', names, ...(search ? { search } : {}) }
}

const nameIn = (tool: Json, at: string): string =>
  namespaced(readString(tool, 'namespace', at), asString(tool.name, below(at, 'name')))
