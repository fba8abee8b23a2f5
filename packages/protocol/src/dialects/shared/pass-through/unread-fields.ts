// What concerns price and network in fields that are kept as text: bodies of images and videos are not parsed as a whole, and what an
// endpoint does not know of them reaches upstreams of the same dialect as it was written.

import { isObject, parsedJson, wrong } from '../../../canonical/reading.ts'
import { foldCase } from './known-names.ts'
import { addUnknownUrls, type NamedUrl, NO_URLS } from './named-urls.ts'
import { mergesMembers } from './output-fields.ts'
import { ANSWERED_ELSEWHERE, effectOf, effectsOf } from './priced-fields.ts'

/** `text`: JSON, or with `isForm` the value of a form field. */
type UnreadField = { name: string; text: string; isForm?: true }

/** What the upstream may fetch or call. Throws RequestError. */
export function urlsInUnread(fields: readonly UnreadField[]): readonly NamedUrl[] {
  if (fields.length === 0) return NO_URLS
  const found: NamedUrl[] = []
  for (const field of fields) addUnknownUrls(found, field.name, readText(field), lastWordOf(field.name))
  return found
}

const EFFECTS = effectsOf(ANSWERED_ELSEWHERE)

/** Whether another model, vendor or tier may serve the request, at a price of its own. Throws RequestError. */
export function isPricedElsewhere(field: UnreadField): boolean {
  const base = baseOf(field.name)
  if (mergesMembers(base, nestedValueOf(field))) return true
  const effect = effectOf(EFFECTS, base) ?? effectOf(EFFECTS, foldCase(base))
  return effect !== undefined && effect.words(nestedValueOf(field)).length > 0
}

/** `provider[order][]` -> `provider` */
export const baseOf = (name: string): string => name.replace(/\[.*$/s, '')

/** `extra[url]`, `urls[0]` -> `url`, `urls` */
const lastWordOf = (name: string): string => name.match(/\w+/g)?.findLast((word) => !/^\d+$/.test(word)) ?? name

function readText({ name, text, isForm }: UnreadField): unknown {
  if (isForm) return /^\s*(?:[[{]|(?:true|false|null)\s*$)/.test(text) ? (parsedJson(text) ?? text) : text
  const value = parsedJson(text)
  if (value === undefined) throw wrong(name, `The body has a mistake in ${name}`)
  return value
}

/** In a form, a name can say where in an object its value belongs. */
function nestedValueOf(field: UnreadField): unknown {
  const value = readText(field)
  const member = /\[(\w+)\]/.exec(field.name)?.[1]
  if (!field.isForm || member === undefined) return value
  const isIndex = /^\d+$/.test(member)
  const inner = /\]\[(\w+)\]/.exec(field.name)?.[1]
  const item = isIndex && inner !== undefined && !isObject(value) ? { [inner]: value } : value
  return isIndex ? [item] : { [member]: value }
}
