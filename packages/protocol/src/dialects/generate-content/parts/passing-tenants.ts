// What of a generate-content request concerns the vendor's account, which all callers share: fields that change its
// price, and ids of objects that it keeps.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { type BilledTool, isId, objectsIn, pricedTools } from '../../passing-request.ts'
import type { PricedField } from '../../text-dialect.ts'
import { camelName, enumWord } from './fields.ts'

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

/** What stands under a name, in either spelling; both may be there, and which of them counts is the vendor's secret. */
export const spelled = (from: Json, name: string): [string, unknown][] =>
  Object.entries(from).filter(([spelling]) => camelName(spelling) === name)

const objectsNamed = (from: Json, name: string): Json[] =>
  spelled(from, name).flatMap(([, value]) => (isObject(value) ? [value] : []))

function tierPrice(body: Json): PricedField[] {
  return spelled(body, 'serviceTier').flatMap(([field, value]): PricedField[] => {
    const word = typeof value === 'string' ? enumWord(value, 'service_tier_').slice(0, 64) : 'standard'
    return USUAL_TIERS.includes(word) ? [] : [{ field, word, remove: { remove: [field] } }]
  })
}

/** Who wants to hear or see the answer cannot do with text. */
function modalityPrices(body: Json): PricedField[] {
  const configs = objectsNamed(body, 'generationConfig')
  const kinds = configs.flatMap((config) => spelled(config, 'responseModalities').flatMap(([, value]) => value))
  const words = kinds.flatMap((kind) => {
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
  if (spelled(body, 'cachedContent').some(([, id]) => isId(id))) found.push('cachedContent')
  for (const [content, index] of objectsIn(listed(body.contents)))
    filesIn(content.parts, `contents[${index}].parts`, found)
  for (const instruction of objectsNamed(body, 'systemInstruction'))
    filesIn(instruction.parts, 'systemInstruction.parts', found)
  for (const [tool, index] of objectsIn(listed(body.tools))) {
    if (objectsNamed(tool, 'fileSearch').length > 0) found.push(`tools[${index}].fileSearch.fileSearchStoreNames`)
    if (objectsNamed(tool, 'retrieval').length > 0) found.push(`tools[${index}].retrieval`)
  }
  return found
}

function filesIn(parts: unknown, at: string, found: string[]): void {
  for (const [part, index] of objectsIn(listed(parts))) {
    const here = `${at}[${index}]`
    const files = objectsNamed(part, 'fileData').flatMap((file) => spelled(file, 'fileUri'))
    if (files.some(([, uri]) => isKept(uri))) found.push(`${here}.fileData.fileUri`)
    for (const result of objectsNamed(part, 'functionResponse'))
      filesIn(result.parts, `${here}.functionResponse.parts`, found)
  }
}

/** A file of the vendor's own, or in a bucket that the operator's account may read; not a page that anybody can see. */
function isKept(uri: unknown): boolean {
  if (!isId(uri)) return false
  return !/^https?:\/\//i.test(uri) || /^https?:\/\/[^/]*generativelanguage\.googleapis\.com[/:]/i.test(uri)
}
