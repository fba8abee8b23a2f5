// Where batches lie that are committed but not yet in their rows (transactions.ts): in rows of one page each, which are
// overwritten in place, round after round. A commit costs by its pages, and SQLite overwrites a value by one of the same
// length without touching anything else; a row that is inserted and later deleted would also change the list of free
// pages, the page above, and the file's first page, every time.
//
// Page 0 says which round it is. The batches of this round lie from page 1 on, one behind the other, each at the start of
// a page; behind them are those of an earlier round, which are in their rows.
import type { Database } from 'bun:sqlite'
import type { Verb } from '../../money/ledger.ts'
import { decodeBatch, type EncodedBatch, WORD } from './batch.ts'
import { decodeTextBatch } from './batch-text.ts'

export type Decided = { at: number; verbs: Verb[] }

/** All inside of the caller's transaction. After one that failed, `read` comes first. */
export type PendingBatches = {
  read(): Decided[]
  /** Whether there was room. */
  add(batch: EncodedBatch, now: number): boolean
  /** All of them are in their rows. */
  clear(): void
}

/** The longest value that leaves a row in one page of SQLite's, in whole words. */
const PAGE_BYTES = 4_048
/** What all batches together, and one alone, may take; beyond, the rows are written. */
const MOST_PAGES = 1_000
const MOST_PAGES_OF_BATCH = 64
/** Of a batch: its round, its time, and how many bytes of words and of texts follow. */
const HEAD_BYTES = 4 * WORD

type Page = { bytes: Uint8Array }
/** `words`: null where numbers were text, too. */
type Earlier = { at: bigint; verbs: string; words: Uint8Array | null }

export function openPending(db: Database): PendingBatches {
  const selectPage = db.prepare<Page, [number]>('SELECT bytes FROM pending_page WHERE id = ?')
  const savePage = db.prepare('INSERT OR REPLACE INTO pending_page (id, bytes) VALUES (?, ?)')
  const selectEarlier = db.prepare<Earlier, []>('SELECT at, verbs, words FROM pending ORDER BY id')
  const deleteEarlier = db.prepare('DELETE FROM pending')
  /** A batch in its pages, and behind it whatever was there: SQLite is to get the same length every time. */
  const bytes = new Uint8Array(MOST_PAGES_OF_BATCH * PAGE_BYTES)
  const head = new DataView(bytes.buffer, 0, HEAD_BYTES)
  const encoder = new TextEncoder()
  let round = 0
  /** The first page that no batch of this round has. */
  let next = 1
  let hasEarlier = false

  function readPages(first: number, count: number): Uint8Array {
    const pages = new Uint8Array(count * PAGE_BYTES)
    for (let index = 0; index < count; index++) {
      const page = selectPage.get(first + index)
      if (!page) throw new Error(`a pending batch lacks its page ${first + index}`)
      pages.set(page.bytes, index * PAGE_BYTES)
    }
    return pages
  }
  function readNext(): Decided | undefined {
    const first = selectPage.get(next)
    if (!first) return undefined
    const [of, at, wordBytes, textBytes] = readHead(first.bytes)
    if (of !== round) return undefined
    const end = HEAD_BYTES + wordBytes + textBytes
    const count = pagesFor(end)
    const pages = readPages(next, count)
    next += count
    const words = new DataView(pages.buffer, HEAD_BYTES, wordBytes)
    const texts = new TextDecoder('utf-8', { ignoreBOM: true }).decode(pages.subarray(HEAD_BYTES + wordBytes, end))
    return { at, verbs: decodeBatch({ words, texts }) }
  }
  function writeHead(values: readonly number[]): void {
    for (const [index, value] of values.entries()) head.setFloat64(index * WORD, value, true)
  }

  return {
    read() {
      const earlier = selectEarlier.all()
      hasEarlier = earlier.length > 0
      const decided = earlier.map(({ at, verbs, words }) => ({ at: Number(at), verbs: decodeEarlier(verbs, words) }))
      const mark = selectPage.get(0)
      round = mark ? readHead(mark.bytes)[0] : 0
      next = 1
      for (let batch = readNext(); batch; batch = readNext()) decided.push(batch)
      return decided
    },
    add({ words, texts }, now) {
      const start = HEAD_BYTES + words.byteLength
      if (start > bytes.length) return false
      const { read, written } = encoder.encodeInto(texts, bytes.subarray(start))
      const count = pagesFor(start + written)
      if (read < texts.length || next + count > MOST_PAGES) return false
      bytes.set(new Uint8Array(words.buffer, words.byteOffset, words.byteLength), HEAD_BYTES)
      writeHead([round, now, words.byteLength, written])
      for (let index = 0; index < count; index++)
        savePage.run(next + index, bytes.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES))
      next += count
      return true
    },
    clear() {
      if (hasEarlier) deleteEarlier.run()
      hasEarlier = false
      round += 1
      next = 1
      writeHead([round, 0, 0, 0])
      savePage.run(0, bytes.subarray(0, PAGE_BYTES))
    },
  }
}

const pagesFor = (bytes: number): number => Math.ceil(bytes / PAGE_BYTES)

function readHead({ buffer, byteOffset }: Uint8Array): [round: number, at: number, words: number, texts: number] {
  const head = new DataView(buffer, byteOffset, HEAD_BYTES)
  const value = (index: number) => head.getFloat64(index * WORD, true)
  return [value(0), value(1), value(2), value(3)]
}

function decodeEarlier(texts: string, bytes: Uint8Array | null): Verb[] {
  if (!bytes) return decodeTextBatch(texts)
  return decodeBatch({ words: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), texts })
}
