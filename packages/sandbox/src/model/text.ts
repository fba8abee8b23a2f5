// Text as a lazy sequence of small pieces: an answer of 10 MB is never completely in memory.

const WORDS = [
  'amber',
  'birch',
  'cedar',
  'delta',
  'ember',
  'fjord',
  'grove',
  'heron',
  'inlet',
  'jetty',
  'kelp',
  'lagoon',
]

/** Word-like pieces; `u` keeps surrogate pairs together, and long runs without a space are cut. */
export function* piecesOf(text: string): Generator<string> {
  for (const match of text.matchAll(/\s{0,24}\S{1,24}|\s{1,24}/gu)) yield match[0]
}

export function* wordPieces(count: number): Generator<string> {
  for (let index = 0; index < count; index++) yield `${index === 0 ? '' : ' '}${WORDS[index % WORDS.length]}`
}

export function* concat(...parts: Iterable<string>[]): Generator<string> {
  for (const part of parts) yield* part
}

/**
 * Ends before the first stop sequence, even across pieces: text that could still become one is buffered.
 * Returns the sequence that ended it.
 */
export function* untilStop(
  pieces: Iterable<string>,
  stops: readonly string[],
): Generator<string, string | undefined, undefined> {
  const sequences = stops.filter((stop) => stop !== '')
  if (sequences.length === 0) {
    yield* pieces
    return undefined
  }
  const longest = Math.max(...sequences.map((stop) => stop.length))
  let held = ''
  for (const piece of pieces) {
    held += piece
    const end = firstStop(held, sequences)
    // A longer sequence that starts earlier may still be incomplete.
    if (end >= 0 && couldBegin(held, sequences) < end) continue
    if (end >= 0) {
      if (end > 0) yield held.slice(0, end)
      return stopAt(held, end, sequences)
    }
    const free = wholeCharacters(held, held.length - (longest - 1))
    if (free > 0) yield held.slice(0, free)
    held = held.slice(free)
  }
  const end = firstStop(held, sequences)
  if (end !== 0 && held !== '') yield end > 0 ? held.slice(0, end) : held
  return end < 0 ? undefined : stopAt(held, end, sequences)
}

function stopAt(text: string, at: number, stops: readonly string[]): string | undefined {
  return stops.find((stop) => text.startsWith(stop, at))
}

/** The offset of a suffix that may become a stop sequence. */
function couldBegin(text: string, stops: readonly string[]): number {
  for (let at = 0; at < text.length; at++) {
    if (stops.some((stop) => stop.length > text.length - at && stop.startsWith(text.slice(at)))) return at
  }
  return text.length
}

function firstStop(text: string, stops: readonly string[]): number {
  const found = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
  return found.length === 0 ? -1 : Math.min(...found)
}

/** A cut between the halves of a surrogate pair would put U+FFFD on the wire. */
function wholeCharacters(text: string, end: number): number {
  if (end <= 0) return 0
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end
}

/** Joins small pieces to about `size` characters: fewer writes for a body that is not streamed. */
export function* joined(pieces: Iterable<string>, size: number): Generator<string> {
  let held = ''
  for (const piece of pieces) {
    held += piece
    if (held.length < size) continue
    yield held
    held = ''
  }
  if (held !== '') yield held
}

export const UNARY_PIECE = 16_384

/** Text escaped for a JSON string, without the quotes. */
export function inString(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** The input of a call for dialects that require an object; truncated JSON is not one. */
export function objectOrEmpty(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
