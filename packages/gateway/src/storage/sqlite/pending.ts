// Storage for batches that are committed but not yet written to their rows (transactions.ts): rows of one page each,
// overwritten in place in every round. The cost of a commit depends on the pages it changes, and SQLite overwrites a value
// with one of the same length without changing other pages. Inserting and deleting a row would also change the free list, the
// parent page and the first page of the file.
//
// Every page begins with the number of its round. Page 0 has the number of the current round; its batches follow from page 1
// on, each at the start of a page. Later pages are of earlier rounds, whose batches are in their rows, and are ignored.
import type { Database } from 'bun:sqlite'
import type { Verb } from '../../money/ledger.ts'
import { decodeBatch, type EncodedBatch, WORD } from './batch.ts'

export type Decided = { at: number; verbs: Verb[] }

/** All calls are inside the caller's transaction. After a failed transaction, call `read` first. */
export type PendingBatches = {
  read(): Decided[]
  /** false: there is no room. */
  add(batch: EncodedBatch, now: number): boolean
  /** All batches are written to their rows: begins the next round. */
  clear(): void
}

/** The longest value in whole words with which a row fits in one SQLite page. */
const PAGE_BYTES = 4_048
const CONTENT_BYTES = PAGE_BYTES - WORD
/** Limits of all batches together and of one batch; beyond them the rows are written. */
const MOST_PAGES = 1_000
const MOST_PAGES_OF_BATCH = 64
/** The head of a batch: its time, and the lengths of its words and texts in bytes. */
const HEAD_BYTES = 3 * WORD

type Page = { bytes: Uint8Array }

export function openPending(db: Database): PendingBatches {
  const selectPage = db.prepare<Page, [number]>('SELECT bytes FROM pending_page WHERE id = ?')
  const savePage = db.prepare('INSERT OR REPLACE INTO pending_page (id, bytes) VALUES (?, ?)')
  /** Reused for each batch; bytes after the batch are left over from earlier ones. */
  const bytes = new Uint8Array(MOST_PAGES_OF_BATCH * CONTENT_BYTES)
  const head = new DataView(bytes.buffer, 0, HEAD_BYTES)
  /** Always of the same length: SQLite would move a value of another length. */
  const page = new Uint8Array(PAGE_BYTES)
  const roundOfPage = new DataView(page.buffer, 0, WORD)
  const encoder = new TextEncoder()
  let round = 0
  /** The first page of this round without a batch. */
  let next = 1

  /** undefined: the page is not of this round. */
  function readPage(id: number): Uint8Array | undefined {
    const found = selectPage.get(id)?.bytes
    return found && numberAt(found, 0) === round ? found.subarray(WORD) : undefined
  }
  function readNext(): Decided | undefined {
    const first = readPage(next)
    if (!first) return undefined
    const [at, wordBytes, textBytes] = [numberAt(first, 0), numberAt(first, 1), numberAt(first, 2)]
    const end = HEAD_BYTES + wordBytes + textBytes
    const count = pagesFor(end)
    const content = new Uint8Array(count * CONTENT_BYTES)
    for (let index = 0; index < count; index++) {
      const part = readPage(next + index)
      if (!part) throw new Error(`a pending batch lacks its page ${next + index}`)
      content.set(part, index * CONTENT_BYTES)
    }
    next += count
    const words = new DataView(content.buffer, HEAD_BYTES, wordBytes)
    const texts = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content.subarray(HEAD_BYTES + wordBytes, end))
    return { at, verbs: decodeBatch({ words, texts }) }
  }
  function writePage(id: number, content: Uint8Array): void {
    roundOfPage.setFloat64(0, round, true)
    page.set(content, WORD)
    savePage.run(id, page)
  }

  return {
    read() {
      const decided: Decided[] = []
      const mark = selectPage.get(0)
      round = mark ? numberAt(mark.bytes, 0) : 0
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
      for (const [index, value] of [now, words.byteLength, written].entries())
        head.setFloat64(index * WORD, value, true)
      for (let index = 0; index < count; index++)
        writePage(next + index, bytes.subarray(index * CONTENT_BYTES, (index + 1) * CONTENT_BYTES))
      next += count
      return true
    },
    clear() {
      round += 1
      next = 1
      writePage(0, NOTHING)
    },
  }
}

const NOTHING = new Uint8Array(0)

const pagesFor = (bytes: number): number => Math.ceil(bytes / CONTENT_BYTES)

const numberAt = ({ buffer, byteOffset }: Uint8Array, word: number): number =>
  new DataView(buffer, byteOffset + word * WORD, WORD).getFloat64(0, true)
