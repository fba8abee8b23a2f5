// What of a generate-content request concerns the vendor's account, which all callers share: fields that change its
// price, and ids of objects that it keeps.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { type BilledTool, isId, objectsIn, pricedTools } from '../../passing-request.ts'
import type { PricedField } from '../../text-dialect.ts'
import { camel, camelName, enumWord } from './fields.ts'

const USUAL_TIERS = ['standard', 'unspecified', 'default']
const SPOKEN_KINDS: Readonly<Record<string, string>> = { audio: 'audio', video: 'video' }

/** What the vendor bills by the query. The tools not listed here cost only the tokens that they bring. */
const BILLED_TOOLS: Readonly<Record<string, string>> = {
  googleSearch: 'web_search',
  googleSearchRetrieval: 'web_search',
  enterpriseWebSearch: 'web_search',
  parallelAiSearch: 'web_search',
  googleMaps: 'google_maps',
  fileSearch: 'file_search',
  retrieval: 'retrieval',
}

/** The price that a tool needs, by the name of its member in either spelling. */
export function billedAs(member: string): string | undefined {
  const name = camelName(member)
  return Object.hasOwn(BILLED_TOOLS, name) ? BILLED_TOOLS[name] : undefined
}

/** One where a list of one is meant. */
const listed = (value: unknown): unknown => (isObject(value) ? [value] : value)

export function pricedFields(body: Json): PricedField[] {
  return [...tierPrice(body), ...modalityPrices(body), ...toolPrices(body)]
}

function tierPrice(body: Json): PricedField[] {
  const field = Object.keys(body).find((name) => camelName(name) === 'serviceTier')
  const value = field === undefined ? undefined : body[field]
  if (field === undefined || typeof value !== 'string') return []
  const word = enumWord(value, 'service_tier_').slice(0, 64)
  return USUAL_TIERS.includes(word) ? [] : [{ field, word, remove: { remove: [field] } }]
}

/** Who wants to hear or see the answer cannot do with text. */
function modalityPrices(body: Json): PricedField[] {
  const { generationConfig } = camel(body)
  const kinds = isObject(generationConfig) ? camel(generationConfig).responseModalities : undefined
  const words = (Array.isArray(kinds) ? kinds : [kinds]).flatMap((kind) => {
    const word = typeof kind === 'string' ? SPOKEN_KINDS[enumWord(kind, 'modality_')] : undefined
    return word === undefined ? [] : [word]
  })
  return [...new Set(words)].map((word) => ({
    ...{ field: 'generationConfig.responseModalities', word, remove: undefined },
  }))
}

function toolPrices(body: Json): PricedField[] {
  const billed: BilledTool[] = []
  let others = 0
  for (const [tool, index] of objectsIn(listed(body.tools)))
    for (const member of Object.keys(tool)) {
      const word = billedAs(member)
      if (word === undefined) others++
      else billed.push({ at: `tools[${index}].${member}`, word })
    }
  // The choice of tools can only force functions.
  return pricedTools(billed, others, () => false)
}

/** Where the parsed body names objects that a vendor keeps. */
export function vendorObjects(body: Json): string[] {
  const found: string[] = []
  const top = camel(body)
  if (isId(top.cachedContent)) found.push('cachedContent')
  for (const [content, index] of objectsIn(listed(top.contents)))
    filesIn(content.parts, `contents[${index}].parts`, found)
  if (isObject(top.systemInstruction)) filesIn(top.systemInstruction.parts, 'systemInstruction.parts', found)
  for (const [tool, index] of objectsIn(listed(top.tools))) storesIn(tool, `tools[${index}]`, found)
  return found
}

function filesIn(parts: unknown, at: string, found: string[]): void {
  for (const [part, index] of objectsIn(listed(parts))) {
    const { fileData, functionResponse } = camel(part)
    const here = `${at}[${index}]`
    if (isObject(fileData) && isKept(camel(fileData).fileUri)) found.push(`${here}.fileData.fileUri`)
    if (isObject(functionResponse)) filesIn(functionResponse.parts, `${here}.functionResponse.parts`, found)
  }
}

/** A file of the vendor's own, or in a bucket that the operator's account may read; not a page that anybody can see. */
function isKept(uri: unknown): boolean {
  if (!isId(uri)) return false
  return !/^https?:\/\//i.test(uri) || /^https?:\/\/[^/]*generativelanguage\.googleapis\.com[/:]/i.test(uri)
}

function storesIn(tool: Json, at: string, found: string[]): void {
  const { fileSearch, retrieval } = camel(tool)
  if (isObject(fileSearch)) found.push(`${at}.fileSearch.fileSearchStoreNames`)
  if (isObject(retrieval)) found.push(`${at}.retrieval`)
}
