// A client's tools, and which of them it wants called.

import { checkChoice, openUniqueNames } from '../../../canonical/encoding/offered-tools.ts'
import { isSearchName, readDomains, readLocation, readMaxUses } from '../../../canonical/encoding/web-search.ts'
import {
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
  readWord,
} from '../../../canonical/reading.ts'
import type { HostedTool, SearchOptions, Tool, ToolChoice } from '../../../canonical/request.ts'
import { cacheOf, required, requiredIn } from './decode-turns.ts'

export type DecodedTools = {
  tools: Tool[]
  hostedTools: HostedTool[]
  /** Fields of tools that no other dialect has: `tools.input_examples`. */
  untranslated: string[]
}

export function decodeTools(body: Json): DecodedTools {
  const given = readArray(body, 'tools')
  if (given === undefined) return { tools: [], hostedTools: [], untranslated: [] }
  const tools: Tool[] = []
  const hostedTools: HostedTool[] = []
  const untranslated = new Set<string>()
  const waiting = waitingTools(body)
  const once = openUniqueNames()
  for (let index = 0; index < given.length; index++) {
    const at = `tools[${index}]`
    const tool = asObject(given[index], at)
    const type = readString(tool, 'type', at)
    if (type !== undefined && isSearchName(type)) {
      hostedTools.push({ name: readName(tool, 'name', at) ?? type, at, search: readSearch(tool, at) })
    } else if (type !== undefined && type !== 'custom') {
      hostedTools.push({ name: readName(tool, 'name', at) ?? type, at })
    } else {
      const read = readTool(tool, at)
      once(read.name, below(at, 'name'))
      if (waiting?.has(read.name)) continue
      tools.push(read)
      if (waiting === undefined && tool.defer_loading === true) untranslated.add('tools.defer_loading')
    }
  }
  return { tools, hostedTools, untranslated: [...untranslated] }
}

function readSearch(tool: Json, at: string): SearchOptions {
  const search: SearchOptions = {}
  put(search, 'location', readLocation(tool.user_location, below(at, 'user_location')))
  put(search, 'allowedDomains', readDomains(tool, 'allowed_domains', at))
  put(search, 'blockedDomains', readDomains(tool, 'blocked_domains', at))
  put(search, 'maxUses', readMaxUses(tool.max_uses))
  return search
}

function readTool(tool: Json, at: string): Tool {
  const description = readString(tool, 'description', at)
  const strict = readFlag(tool, 'strict', at)
  const read: Tool = { name: requiredIn(readName(tool, 'name', at), at, 'name', 'the name of the tool') }
  put(read, 'description', description)
  const schema = readObject(tool, 'input_schema', at)
  read.schema = requiredIn(schema, at, 'input_schema', 'a JSON schema of the type object')
  put(read, 'strict', strict)
  put(read, 'cache', cacheOf(tool, at))
  return read
}

const CHOICES = ['auto', 'any', 'none', 'tool'] as const

export type DecodedToolChoice = { toolChoice?: ToolChoice; parallelCalls?: false }

export function decodeToolChoice(body: Json, { tools, hostedTools }: DecodedTools): DecodedToolChoice {
  const choice = readObject(body, 'tool_choice')
  if (choice === undefined) return {}
  const word = readWord(choice, 'type', CHOICES, 'tool_choice')
  const type = required(word, 'tool_choice.type', `one of ${CHOICES.join(', ')}`)
  const oneAtATime = readFlag(choice, 'disable_parallel_tool_use', 'tool_choice') === true
  const parallel = oneAtATime ? ({ parallelCalls: false } as const) : {}
  if (type === 'any') {
    checkChoice({ mode: 'required' }, { tools, hostedTools }, 'tool_choice')
    return { toolChoice: { mode: 'required' }, ...parallel }
  }
  if (type !== 'tool') return { toolChoice: { mode: type }, ...parallel }
  const name = required(readName(choice, 'name', 'tool_choice'), 'tool_choice.name', 'the name of the tool')
  const isHosted = !tools.some((tool) => tool.name === name) && hostedTools.some((tool) => tool.name === name)
  const toolChoice: ToolChoice = isHosted ? { mode: 'hosted', name } : { mode: 'tool', name }
  checkChoice(toolChoice, { tools, hostedTools }, 'tool_choice.name')
  return { toolChoice, ...parallel }
}

/** The tools that the model does not see yet, by name. Undefined: the vendor's own search finds them, which no other vendor has. */
function waitingTools(body: Json): ReadonlySet<string> | undefined {
  const tools = objectsIn(body.tools)
  const deferred = tools.filter((tool) => tool.defer_loading === true)
  const isSearchedByVendor = tools.some(({ type }) => typeof type === 'string' && type.startsWith('tool_search_tool_'))
  if (deferred.length > 0 && (isSearchedByVendor || deferred.length === tools.length)) return undefined
  const waiting = new Set(deferred.map((tool) => String(tool.name)))
  if (waiting.size > 0) for (const name of knownNames(body)) waiting.delete(name)
  return waiting
}

/** Found, called already, added, or about to be called. */
function knownNames(body: Json): string[] {
  const blocks = objectsIn(body.messages).flatMap((message) => objectsIn(message.content))
  const called = blocks.filter(({ type }) => type === 'tool_use').map(({ name }) => name)
  const found = blocks
    .flatMap((block) => (block.type === 'tool_result' ? objectsIn(block.content) : []))
    .filter(({ type }) => type === 'tool_reference')
    .map((reference) => reference.tool_name)
  const added = blocks.flatMap(({ type, tool }) => (type === 'tool_addition' && isObject(tool) ? [tool.name] : []))
  const forced = isObject(body.tool_choice) ? [body.tool_choice.name] : []
  return [...called, ...found, ...added, ...forced].filter((name) => typeof name === 'string')
}

const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])
