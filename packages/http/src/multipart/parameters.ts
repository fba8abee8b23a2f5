// Header values with parameters: `form-data; name="a"; filename="b.png"`.
import { malformed } from './multipart-error.ts'

/** `value`: before the first semicolon, lowercase. Parameters by lowercase name; of repeated ones, all values. */
export type ValueWithParameters = { value: string; parameters: ReadonlyMap<string, readonly string[]> }

/** Throws MultipartError for a quoted text without an end. */
export function parseParameters(text: string): ValueWithParameters {
  const parameters = new Map<string, string[]>()
  const first = text.indexOf(';')
  const value = (first === -1 ? text : text.slice(0, first)).trim().toLowerCase()
  let at = first === -1 ? text.length : first + 1
  while (at < text.length) {
    const [equals, semicolon] = [text.indexOf('=', at), text.indexOf(';', at)]
    const isBare = equals === -1 || (semicolon !== -1 && semicolon < equals)
    if (isBare) {
      at = semicolon === -1 ? text.length : semicolon + 1
      continue
    }
    const name = text.slice(at, equals).trim().toLowerCase()
    let start = equals + 1
    while (text[start] === ' ' || text[start] === '\t') start++
    const read = text[start] === '"' ? readQuoted(text, start + 1) : readToken(text, start)
    parameters.set(name, [...(parameters.get(name) ?? []), read.value])
    const next = text.indexOf(';', read.end)
    at = next === -1 ? text.length : next + 1
  }
  return { value, parameters }
}

type Read = { value: string; end: number }

function readToken(text: string, start: number): Read {
  const semicolon = text.indexOf(';', start)
  const end = semicolon === -1 ? text.length : semicolon
  return { value: text.slice(start, end).trim(), end }
}

/** Backslashes escape only quotes and themselves: some clients send the paths of Windows as they are. */
function readQuoted(text: string, start: number): Read {
  let value = ''
  for (let at = start; at < text.length; at++) {
    const [character, next] = [text[at], text[at + 1]]
    if (character === '"') return { value, end: at + 1 }
    if (character === '\\' && (next === '"' || next === '\\')) {
      value += next
      at++
    } else value += character
  }
  throw malformed('A quoted header parameter has no closing quote.')
}
