// Whether the arguments of a call are complete, seen as they come: the only sign in this dialect that a call has ended
// while its stream goes on.

export type JsonProgress = {
  depth: number
  isInString: boolean
  isEscaped: boolean
  /** Something other than spaces has come. */
  hasBegun: boolean
  /** An object or array has been closed. Other JSON, and text that is none, is never known to be complete. */
  isComplete: boolean
}

export const newProgress = (): JsonProgress => ({
  depth: 0,
  isInString: false,
  isEscaped: false,
  hasBegun: false,
  isComplete: false,
})

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20

export function follow(progress: JsonProgress, text: string): void {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (progress.isInString) {
      if (progress.isEscaped) progress.isEscaped = false
      else if (unit === BACKSLASH) progress.isEscaped = true
      else if (unit === QUOTE) progress.isInString = false
      continue
    }
    if (unit <= SPACE) continue
    progress.hasBegun = true
    progress.isComplete = false
    if (unit === QUOTE) progress.isInString = true
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) progress.depth++
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) progress.isComplete = --progress.depth === 0
  }
}
