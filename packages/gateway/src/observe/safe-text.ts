// Makes text from callers safe for logs: bounded, on one line, without control characters, and without
// anything that looks like an API key or an email address.

const MOST_CHARACTERS = 200
/** Visible ASCII, without quote and backslash: the same in JSON, in text and in a terminal. */
const PLAIN = /^[\x21\x23-\x3f\x41-\x5b\x5d-\x7e]{0,200}$/
const NOT_VISIBLE = /[^\x20-\x7e]/gu
const KEY = /sk-[\w-]{6,}/g
const EMAIL = /[^\s/@]+(?:@|%40)[^\s/@]+\.[A-Za-z]{2,}/gi

/** Never longer than 200 characters, and never with a control character. */
export function safeText(text: string): string {
  // Fast path: most texts are plain names.
  if (PLAIN.test(text) && !text.includes('sk-') && !text.includes('%40')) return text
  const masked = text
    .slice(0, 4 * MOST_CHARACTERS)
    .replace(KEY, 'sk-***')
    .replace(EMAIL, '***@***')
  const visible = masked.slice(0, MOST_CHARACTERS).replace(NOT_VISIBLE, escaped)
  return text.length <= MOST_CHARACTERS && visible.length <= MOST_CHARACTERS
    ? visible
    : `${visible.slice(0, MOST_CHARACTERS - 3)}...`
}

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
