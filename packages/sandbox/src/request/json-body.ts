// The body of a request as a JSON object.
import { badRequest } from './errors.ts'
import { isObject, type Json } from './fields.ts'

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]
/** The runtime parses any depth, but takes seconds to fail at serializing 50,000 levels. */
const MOST_DEPTH = 1_000

export function parseBody(bytes: Uint8Array): Json {
  if (isDeeperThan(bytes, MOST_DEPTH)) throw badRequest(`Invalid body: nested deeper than ${MOST_DEPTH} levels.`)
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw badRequest('We could not parse the JSON body of your request.')
  }
  if (!isObject(body)) throw badRequest('Invalid body: expected a JSON object.')
  return body
}

/** Brackets outside strings, by their bytes: no byte of a longer UTF-8 character looks like one of these. */
function isDeeperThan(bytes: Uint8Array, most: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === QUOTE) inString = !inString
    else if (inString) {
      if (byte === BACKSLASH) index++
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > most) return true
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
  }
  return false
}
