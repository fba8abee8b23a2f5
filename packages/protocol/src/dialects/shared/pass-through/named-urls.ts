// URLs that a request names for its upstream to fetch or to call: media, files, MCP servers. They are found here and judged
// by the gateway, which knows whose network the upstream lives in. What a model only reads (text, results of tools, citations,
// arguments) is no such URL.

import { isObject, type Json } from '../../../canonical/reading.ts'

/** `field`: where it stands, as in `messages[0].content[1].image_url.url`. */
export type NamedUrl = { field: string; url: string }

export const NO_URLS: readonly NamedUrl[] = []

/** A URL and nothing else stands under such a name: `image_url`, `fileUri`, `server_url`, `url`. */
const URL_NAME = /ur[il]s?$/i

/** Content as such, or a URL of it. */
const CONTENT_NAMES: ReadonlySet<string> = new Set(
  'image images video videos audio audios file files document documents data file_data src href link links endpoint'.split(
    ' ',
  ),
)

/** With a scheme, or relative to the scheme of its reader. */
const LOOKS_LIKE_URL = /^[\0- ]*(?:[a-z][a-z0-9+.-]{0,30}:|[/\\]{2})/i

const setOf = (...names: readonly string[]): ReadonlySet<string> => new Set(names.join(' ').split(' '))

/** Members that are texts. */
const TEXTS = setOf('text title name description id type role')

/** Members of parts and tools that a model reads, or that describe its output: URLs in them are not fetched. */
const READ_BY_MODEL = setOf(
  'text title name description id type role thinking refusal transcript context annotations citations logprobs',
  // Calls of tools, their results, and what tools look like.
  'arguments args input response function functions custom parameters input_schema inputschema schema strict',
  'functiondeclarations function_declarations parametersjsonschema input_examples examples headers filters',
  'cache_control encrypted_content signature',
)

/** No body is nested deeper. */
const DEEPEST = 512

/** Adds the URLs in an object that is part of a request: a content part, a tool, a list of servers. */
export function addUrls(found: NamedUrl[], value: unknown, at: string): void {
  walk({ found, skipped: READ_BY_MODEL }, value, at, '', 0)
}

/** `isAny`: a URL counts under whichever name it stands. */
type Walk = { found: NamedUrl[]; skipped: ReadonlySet<string>; isAny?: true }

function walk(into: Walk, value: unknown, at: string, name: string, depth: number): void {
  const { found, skipped } = into
  if (typeof value === 'string') {
    if (isUrl(value, name) || (into.isAny && hasScheme(value))) found.push({ field: at, url: value })
  } else if (depth > DEEPEST) return
  else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) walk(into, value[index], `${at}[${index}]`, name, depth + 1)
  } else if (isObject(value)) {
    for (const key in value) {
      const member = value[key]
      if (typeof member !== 'string' && typeof member !== 'object') continue
      const folded = key.toLowerCase()
      if (!skipped.has(folded)) walk(into, member, `${at}.${key}`, folded, depth + 1)
    }
  }
}

function isUrl(text: string, name: string): boolean {
  if (text === '' || /^data:/i.test(text.slice(0, 5))) return false
  return URL_NAME.test(name) || (CONTENT_NAMES.has(name) && LOOKS_LIKE_URL.test(text.slice(0, 64)))
}

/** Parsers of URLs leave out white space. */
const hasScheme = (text: string): boolean =>
  /^(?!data:)(?:[a-z][a-z0-9+.-]{0,30}:)?[/\\]{2}/i.test(text.slice(0, 256).replace(/[\0- ]/g, ''))

/** Top-level fields without URLs, or with some that have their own place to be looked for. */
const ELSEWHERE = setOf(
  'model messages input contents system systeminstruction system_instruction tools tool_choice toolconfig',
  'tool_config response_format text metadata labels generationconfig generation_config prediction stop user include',
  'functions function_call logit_bias stream_options reasoning thinking output_config output_format safetysettings',
  'safety_settings context_management safety_identifier prompt_cache_key service_tier modalities audio outputconfig',
)

/** Whether URLs may stand in a top-level field that no place of its own is known for. `isText`: it is a string. */
export function mayNameUrls(field: string, isText: boolean): boolean {
  const name = field.toLowerCase()
  if (ELSEWHERE.has(name)) return false
  return !isText || URL_NAME.test(name) || CONTENT_NAMES.has(name)
}

/** Adds those of such a field. */
export function addFieldUrls(found: NamedUrl[], field: string, value: unknown): void {
  walk({ found, skipped: TEXTS }, value, field, field.toLowerCase(), 0)
}

/** Adds whatever looks like a URL in a field that nothing is known of. `name`: what the value stands under, if that is not the whole field. */
export function addUnknownUrls(found: NamedUrl[], field: string, value: unknown, name = field): void {
  walk({ found, skipped: TEXTS, isAny: true }, value, field, name.toLowerCase(), 0)
}

/** Those of all such fields. */
export function urlsBeside(body: Json): NamedUrl[] {
  const found: NamedUrl[] = []
  for (const name in body) {
    const value = body[name]
    const isText = typeof value === 'string'
    if ((isText || typeof value === 'object') && mayNameUrls(name, isText)) addFieldUrls(found, name, value)
  }
  return found
}

/** Adds the URLs of a list of content parts, or of the one part that stands in its place. */
export function addPartUrls(found: NamedUrl[], parts: unknown, at: string): void {
  if (!Array.isArray(parts)) {
    if (isObject(parts)) addUrls(found, parts, at)
    return
  }
  for (let index = 0; index < parts.length; index++) {
    const part: unknown = parts[index]
    // Most are text.
    if (Array.isArray(part) || (isObject(part) && !isText(part))) addUrls(found, part, `${at}[${index}]`)
  }
}

function isText(part: Json): boolean {
  for (const name in part) if (name !== 'type' && name !== 'text') return false
  return true
}
