// What of a generate-content request concerns the vendor's account, which all callers share: fields that change its
// price, and ids of objects that it keeps.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { PricedField } from '../../pass-through.ts'
import { addUrls, type NamedUrl, urlsBeside } from '../../shared/pass-through/named-urls.ts'
import {
  addPriced,
  type BilledTool,
  effectOf,
  effectsOf,
  pricedTools,
} from '../../shared/pass-through/priced-fields.ts'
import { isId, objectsIn } from '../../shared/pass-through/request.ts'
import { camelName } from '../request/fields.ts'
import { CONFIG, REQUEST, TOOLS } from './fields.ts'

const FIELDS = effectsOf(REQUEST)
const CONFIGURED = effectsOf(CONFIG)
const MEMBERS = effectsOf(TOOLS)

/** The price that a tool needs, by the name of its member in either spelling. */
export const billedAs = (member: string): string | undefined => effectOf(MEMBERS, camelName(member))?.words({})[0]

/** One where a list of one is meant. */
const listed = (value: unknown): unknown => (isObject(value) ? [value] : value)

export function pricedFields(body: Json): PricedField[] {
  const priced: PricedField[] = []
  addPriced(priced, body, FIELDS, camelName)
  for (const config of objectsNamed(body, 'generationConfig')) addConfigPrices(priced, config)
  if (body.tools !== undefined) priced.push(...toolPrices(body))
  return priced
}

/** What stands under a name, in either spelling; both may be there, and which of them counts is the vendor's secret. */
export function spelled(from: Json, name: string): [string, unknown][] {
  const found: [string, unknown][] = []
  const first = name.charCodeAt(0)
  for (const spelling in from) {
    // Both spellings begin with the same letter: most names need no closer look.
    if (spelling.charCodeAt(0) === first && camelName(spelling) === name) found.push([spelling, from[spelling]])
  }
  return found
}

const objectsNamed = (from: Json, name: string): Json[] =>
  spelled(from, name)
    .map(([, value]) => value)
    .filter(isObject)

/** None of these can be dropped: what they ask for is another answer. */
function addConfigPrices(into: PricedField[], config: Json): void {
  const priced: PricedField[] = []
  addPriced(priced, config, CONFIGURED, camelName)
  for (const each of priced)
    into.push({ ...each, field: `generationConfig.${camelName(each.field)}`, remove: undefined })
}

function toolPrices(body: Json): PricedField[] {
  const billed: BilledTool[] = []
  let others = 0
  for (const [tool, index] of objectsIn(listed(body.tools)))
    for (const [member, value] of Object.entries(tool)) {
      const effect = effectOf(MEMBERS, camelName(member))
      const word = effect?.words(value)[0]
      if (effect === undefined || word === undefined) others++
      else billed.push({ at: `tools[${index}].${member}`, word, kind: effect.kind, most: undefined })
    }
  // The choice of tools can only force functions.
  return pricedTools(billed, others, () => false)
}

/** Where the parsed body names objects that a vendor keeps. */
export function vendorObjects(body: Json): string[] {
  const found: string[] = []
  if (spelled(body, 'cachedContent').some(([, id]) => isId(id))) found.push('cachedContent')
  // Where the vendor is to put what it made, among the operator's own things.
  const outputs = objectsNamed(body, 'outputConfig').flatMap((config) => spelled(config, 'outputUriPrefix'))
  if (outputs.some(([, uri]) => isId(uri))) found.push('outputConfig.outputUriPrefix')
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

/** URLs that the vendor is to fetch or to call. */
export function namedUrls(body: Json): NamedUrl[] {
  const found = urlsBeside(body)
  if (body.tools !== undefined) addUrls(found, body.tools, 'tools')
  for (const [content, index] of objectsIn(listed(body.contents)))
    partUrls(content.parts, `contents[${index}].parts`, found)
  for (const instruction of objectsNamed(body, 'systemInstruction'))
    partUrls(instruction.parts, 'systemInstruction.parts', found)
  return found
}

function partUrls(parts: unknown, at: string, found: NamedUrl[]): void {
  for (const [part, index] of objectsIn(listed(parts))) {
    const here = `${at}[${index}]`
    // What a function has answered is data; media beside it is not.
    for (const name in part) {
      const member = camelName(name)
      if (member === 'functionResponse' && isObject(part[name]))
        partUrls(part[name].parts, `${here}.${name}.parts`, found)
      else if (member !== 'functionCall' && isObject(part[name])) addUrls(found, part[name], `${here}.${name}`)
    }
  }
}
