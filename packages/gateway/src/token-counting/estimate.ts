// The tokens of a text without a tokenizer, from a sample of its characters: for texts that are too long to be tokenized, and
// for callers whose deadline has passed. Within about a third of the true figure for ordinary text.
import { wholeCharacter } from './split-runs.ts'

export type Sample = { texts: readonly string[] /** How many times as long the whole is. */; scale: number }

const SLICE = 1_024
const SLICES = 64

export const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)

/** Within each part a slice begins at another place: text that repeats itself must not be met in the same phase each time. */
const placeOf = (slice: number): number => slice + ((slice * 0.618_033_988_75) % 1)

/** A slice of each of 64 equal parts, 64 Ki characters in all; everything, if it is no more than that. */
export function sampleOf(texts: readonly string[]): Sample {
  const total = lengthOf(texts)
  if (total <= SLICE * SLICES) return { texts, scale: 1 }
  const slices: string[] = []
  let [text, before] = [0, 0]
  for (let slice = 0; slice < SLICES; slice++) {
    const at = Math.min(Math.floor((placeOf(slice) * total) / SLICES), total - SLICE)
    while (at >= before + (texts[text]?.length ?? 0)) before += texts[text++]?.length ?? 0
    collect(texts, text, at - before, slices)
  }
  return { texts: slices, scale: total / lengthOf(slices) }
}

/** So many characters from this place on, which may be those of several short texts. */
function collect(texts: readonly string[], text: number, at: number, into: string[]): void {
  let left = SLICE
  for (let start = at; left > 0 && text < texts.length; text++, start = 0) {
    const whole = texts[text] ?? ''
    const end = start + left >= whole.length ? whole.length : wholeCharacter(whole, start + left)
    const slice = whole.slice(wholeCharacter(whole, start), end)
    into.push(slice)
    left -= Math.max(1, slice.length)
  }
}

export function estimateTokens(texts: readonly string[]): number {
  const sample = sampleOf(texts)
  let tokens = 0
  for (const text of sample.texts) tokens += tokensIn(text)
  return Math.ceil(tokens * sample.scale)
}

/** A word is about one token, and a long one several; of other characters each has a share of a token. */
const LETTERS_PER_TOKEN = 6
const SHARES: readonly [upTo: number, tokens: number][] = [
  [0x1f, 0.1],
  [0x20, 0],
  [0x2f, 0.6],
  [0x39, 0.4],
  [0x7f, 0.5],
  [0x24f, 0.5],
  [0x52f, 0.28],
  [0x1fff, 0.38],
  [0x2fff, 0.7],
  [0x30ff, 0.7],
  [0x9fff, 0.85],
  [0xd7ff, 0.6],
  [0xffff, 0.8],
]

function tokensIn(text: string): number {
  let [tokens, letters] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) {
      if (letters++ % LETTERS_PER_TOKEN === 0) tokens++
      continue
    }
    letters = 0
    tokens += SHARES.find(([upTo]) => code <= upTo)?.[1] ?? 1
  }
  return tokens
}
