// Texts in batches that take the tokenizer some milliseconds each, so that it can work for many accounts in turn.
import { wholeCharacter } from './split-runs.ts'

/** Characters. The slowest text takes about 50 ms. */
const BATCH = 8_192
/** A batch of empty texts must not be endless. */
const MOST_TEXTS = 1_024
/** How far back a space is looked for, at which a long text is best divided. */
const BACK = 128

export function* batchesOf(texts: readonly string[]): Generator<readonly string[], undefined> {
  let batch: string[] = []
  let left = BATCH
  for (const text of texts) {
    for (let start = 0; start < text.length; ) {
      const end = start + left >= text.length ? text.length : divisionOf(text, start, start + left)
      // The first half of a surrogate pair does not fit: it belongs to the next batch.
      if (end > start) batch.push(text.slice(start, end))
      left -= end - start
      start = end
      if (start === text.length && left > 0 && batch.length < MOST_TEXTS) continue
      yield batch
      batch = []
      left = BATCH
    }
  }
  if (batch.length > 0) yield batch
  return undefined
}

/** Before a space if one is near: tokens begin with it. */
function divisionOf(text: string, start: number, at: number): number {
  const space = text.slice(Math.max(start, at - BACK), at).lastIndexOf(' ')
  return space > 0 ? Math.max(start, at - BACK) + space : wholeCharacter(text, at)
}
