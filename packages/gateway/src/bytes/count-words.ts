// A number of tokens that no tokenizer is below, without one.

/**
 * Letters after a space. No token of the tokenizers in use spans two words, whereas bytes say little: one token can be 128 spaces,
 * and a token of Hindi has 10 bytes on average.
 */
export function countWords(text: string, most: number): number {
  let words = 0
  for (let at = text.indexOf(' '); at >= 0 && words < most; at = text.indexOf(' ', at + 1)) {
    if (isLetter(text.charCodeAt(at + 1))) words++
  }
  return words
}

/** Letters are ASCII or another alphabet; not punctuation and symbols (U+2000 to U+33FF). */
function isLetter(code: number): boolean {
  const lowercase = code | 0x20
  return (lowercase >= 0x61 && lowercase <= 0x7a) || (code >= 0xc0 && (code < 0x2000 || code > 0x33ff))
}
