// A tokenizer takes time that grows with the square of a run without a break: 200,000 letters kept one busy for half a minute.

/** Longer runs are split. A word of any language is far shorter; where text has no spaces, a split costs about one token. */
const LONGEST_RUN = 256

/** The text in pieces, none of which has a longer run of white space, or of anything else. */
export function splitRuns(text: string): string[] {
  const pieces: string[] = []
  let [start, run] = [0, 0]
  let wasSpace = false
  for (let at = 0; at < text.length; at++) {
    const isSpace = isWhiteSpace(text.charCodeAt(at))
    run = isSpace === wasSpace ? run + 1 : 1
    wasSpace = isSpace
    if (run <= LONGEST_RUN) continue
    const end = wholeCharacter(text, at)
    pieces.push(text.slice(start, end))
    start = end
    run = at - end + 1
  }
  pieces.push(text.slice(start))
  return pieces
}

/** ASCII and the line and paragraph separators are enough: other spaces are rare, and only make a run longer. */
const isWhiteSpace = (code: number): boolean =>
  code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0x2028 || code === 0x2029

/** The same place, or the one before it where it would separate a surrogate pair. */
export function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at - 1)
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at
}
