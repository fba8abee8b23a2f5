// Tools and the choice among them, as a caller says them.

import { openUniqueNames } from '../../../canonical/encoding/offered-tools.ts'
import { readDomains } from '../../../canonical/encoding/web-search.ts'
import {
  asObject,
  asString,
  isObject,
  put,
  readName,
  readObject,
  readString,
  wrong,
} from '../../../canonical/reading.ts'
import type { HostedTool, JsonSchema, SearchOptions, Tool, ToolChoice } from '../../../canonical/request.ts'
import { camel, enumWord, listOf, type UntranslatedFields } from './fields.ts'
import { fromSchema } from './schema/decode-schema.ts'

export type DecodedTools = { tools: Tool[]; hostedTools: HostedTool[] }

export function decodeTools(value: unknown): DecodedTools {
  const tools: Tool[] = []
  const hostedTools: HostedTool[] = []
  const once = openUniqueNames()
  for (const [index, given] of listOf(value, 'tools').entries()) {
    const at = `tools[${index}]`
    const entry = camel(asObject(given, at))
    for (const [name, held] of Object.entries(entry)) {
      if (held === undefined || held === null) continue
      if (SEARCHES.has(name)) {
        hostedTools.push({ name, at: `${at}.${name}`, search: readSearch(held, `${at}.${name}`) })
      } else if (name !== 'functionDeclarations') hostedTools.push({ name, at: `${at}.${name}` })
      else {
        const path = `${at}.${name}`
        for (const [n, one] of listOf(held, path).entries()) {
          const declared = readDeclaration(one, `${path}[${n}]`)
          once(declared.name, `${path}[${n}].name`)
          tools.push(declared)
        }
      }
    }
  }
  return { tools, hostedTools }
}

/** Today's name, and that of the first models that could search. */
const SEARCHES: ReadonlySet<string> = new Set(['googleSearch', 'googleSearchRetrieval'])

function readSearch(value: unknown, at: string): SearchOptions {
  const given = camel(asObject(value, at))
  const search: SearchOptions = {}
  put(search, 'blockedDomains', readDomains(given, 'excludeDomains', at))
  return search
}

function readDeclaration(value: unknown, at: string): Tool {
  const given = camel(asObject(value, at))
  const name = readName(given, 'name', at)
  if (name === undefined || name === '') throw wrong(`${at}.name`, `${at}.name is required: the name of a function`)
  const description = readString(given, 'description', at)
  const schema = schemaOf(given.parametersJsonSchema, given.parameters, at)
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { schema }),
  }
}

function schemaOf(json: unknown, own: unknown, at: string): JsonSchema | undefined {
  if (json !== undefined && json !== null) return asObject(json, `${at}.parametersJsonSchema`)
  return own === undefined || own === null ? undefined : fromSchema(own, `${at}.parameters`)
}

export type DecodedChoice = {
  toolChoice?: ToolChoice
  /** Calls have to fit their schemas. */
  validated: boolean
}

export function decodeToolConfig(value: unknown, left: UntranslatedFields): DecodedChoice {
  if (value === undefined || value === null) return { validated: false }
  const config = camel(asObject(value, 'toolConfig'))
  const calling = readObject(config, 'functionCallingConfig', 'toolConfig')
  return calling === undefined ? { validated: false } : readCalling(calling, left)
}

function readCalling(value: unknown, left: UntranslatedFields): DecodedChoice {
  const at = 'toolConfig.functionCallingConfig'
  const calling = camel(isObject(value) ? value : {})
  const given = calling.allowedFunctionNames ?? []
  const path = `${at}.allowedFunctionNames`
  const names = (typeof given === 'string' ? [given] : listOf(given, path)).map((name, n) =>
    asString(name, `${path}[${n}]`),
  )
  const mode = enumWord(readString(calling, 'mode', at) ?? '', 'mode_')
  const first = names[0]
  switch (mode) {
    case '':
    case 'unspecified':
      return { validated: false }
    case 'auto':
    case 'none':
      return { toolChoice: { mode }, validated: false }
    case 'any':
      if (first === undefined) return { toolChoice: { mode: 'required' }, validated: false }
      if (names.length === 1) return { toolChoice: { mode: 'tool', name: first }, validated: false }
      return { toolChoice: { mode: 'allowed', required: true, names }, validated: false }
    case 'validated':
      if (first === undefined) return { toolChoice: { mode: 'auto' }, validated: true }
      return { toolChoice: { mode: 'allowed', required: false, names }, validated: true }
    default:
      left.add(`${at}.mode`)
      return { validated: false }
  }
}
