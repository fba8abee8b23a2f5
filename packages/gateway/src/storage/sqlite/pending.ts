// Where batches lie that are committed but not yet in their rows (transactions.ts): in rows of one page each, which are
// overwritten in place, round after round. A commit costs by its pages, and SQLite overwrites a value by one of the same
// length without touching anything else; a row that is inserted and later deleted would also change the list of free
// pages, the page above, and the file's first page, every time.
//
// Every page begins with its round. Page 0 says which round it is; its batches lie from page 1 on, one behind the other, each
// at the start of a page. Behind them are pages of earlier rounds, whose batches are in their rows: whatever stands in those,
// it is never taken for the beginning of a batch.
import type { Database } from 'bun:sqlite'
import type { Verb } from '../../money/ledger.ts'
import { decodeBatch, type EncodedBatch, WORD } from './batch.ts'

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
/** What is left of it behind the round. */
const CONTENT_BYTES = PAGE_BYTES - WORD
/** What all batches together, and one alone, may take; beyond, the rows are written. */
const MOST_PAGES = 1_000
const MOST_PAGES_OF_BATCH = 64
/** Of a batch: its time, and how many bytes of words and of texts follow. */
const HEAD_BYTES = 3 * WORD

type Page = { bytes: Uint8Array }

export function openPending(db: Database): PendingBatches {
  const selectPage = db.prepare<Page, [number]>('SELECT bytes FROM pending_page WHERE id = ?')
  const savePage = db.prepare('INSERT OR REPLACE INTO pending_page (id, bytes) VALUES (?, ?)')
  /** A batch, and behind it whatever was there. */
  const bytes = new Uint8Array(MOST_PAGES_OF_BATCH * CONTENT_BYTES)
  const head = new DataView(bytes.buffer, 0, HEAD_BYTES)
  /** Always as long: a value of another length would not lie in the same place. */
  const page = new Uint8Array(PAGE_BYTES)
  const roundOfPage = new DataView(page.buffer, 0, WORD)
  const encoder = new TextEncoder()
  let round = 0
  /** The first page that no batch of this round has. */
  let next = 1

  /** The content of a page of this round. */
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
