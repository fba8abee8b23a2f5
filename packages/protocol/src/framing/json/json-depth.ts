// How deep a JSON text is nested. Parsers of today read any depth, but JSON.stringify fails on what they read, after seconds.

import { MAX_DEPTH } from './json-skip.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Deeper than bodies of requests may be. Says nothing of a text that is no JSON. */
export function isNestedTooDeep(text: string): boolean {
  // Every level takes two characters.
  if (text.length <= 2 * MAX_DEPTH) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = endOfString(text, at)
    else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > MAX_DEPTH) return true
    } else if (unit === 0x7d || unit === 0x5d) depth--
  }
  return false
}

/** Where the closing quote is. Strings may be megabytes of base64, so their characters are not looked at one by one. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === BACKSLASH) before--
  return (at - before) % 2 === 0
}
