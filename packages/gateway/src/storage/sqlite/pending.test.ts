import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hold, settle } from '../../../contract/storage/harness.ts'
import type { Verb } from '../../money/ledger.ts'
import { encodeBatch, roomFor } from './batch.ts'
import { openForWriting } from './database.ts'
import { openPending } from './pending.ts'

const node = { nodeId: 1, epoch: 1 }
const wallet = { account: 1n, key: 1n, email: '' }
let folder: string
let file: string
let db: Database

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'trivium-pending-'))
  file = path.join(folder, 'ledger.db')
  writeFileSync(file, '')
  db = openForWriting(file, { busyTimeoutMs: 0 })
  db.run('PRAGMA synchronous = OFF')
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

const encoded = (verbs: readonly Verb[]) => encodeBatch(verbs, new DataView(new ArrayBuffer(roomFor(verbs.length))))
const number = (sql: string): number => Number(Object.values(db.query(sql).get() as Record<string, bigint>)[0])

const SHORT: Verb[] = [hold(1n, wallet, node), hold(2n, wallet, node)]
const WITH_TEXTS: Verb[] = [settle(1n, node, 5n, { outcome: '\ufeffdone', receipt: '{"é":"🙂"}' })]
/** Several pages, and a character on the border of two wherever it lies. */
const LONG: Verb[] = [settle(2n, node, 5n, { receipt: '€'.repeat(10_000) }), ...SHORT]

test('a new start finds the batches of this round, in their order, and none of those before', () => {
  const before = openPending(db)
  expect(before.read()).toEqual([])
  for (let round = 0; round < 3; round++) {
    for (const [index, verbs] of [LONG, SHORT, SHORT, LONG].entries())
      expect(before.add(encoded(verbs), index)).toBe(true)
    before.clear()
    expect(openPending(db).read()).toEqual([])
    expect(before.add(encoded(WITH_TEXTS), 1_763_200_000_123)).toBe(true)
    expect(before.add(encoded(LONG), 7)).toBe(true)
    const found = openPending(db)
    expect(found.read()).toEqual([
      { at: 1_763_200_000_123, verbs: WITH_TEXTS },
      { at: 7, verbs: LONG },
    ])
    // It goes on where the one before stopped.
    found.add(encoded(SHORT), 8)
    expect(openPending(db).read().at(-1)).toEqual({ at: 8, verbs: SHORT })
    found.clear()
    before.read()
  }
})

test('whatever an earlier round left on a page, it is not the beginning of a batch', () => {
  const batches = openPending(db)
  batches.read()
  for (let round = 0; round < 60; round += 2) {
    // Full of the number of the next round, each time moved by some words, so that a page begins with it.
    const next = { nodeId: round + 1, epoch: round + 1 }
    const moved = Array.from({ length: round / 2 }, () => settle(1n, next, 5n))
    batches.add(encoded([...moved, ...Array.from({ length: 90 }, () => hold(1n, wallet, next))]), 1)
    batches.clear()
    batches.add(encoded(SHORT), 2)
    expect(openPending(db).read()).toEqual([{ at: 2, verbs: SHORT }])
    batches.clear()
  }
})

test('what a transaction that failed has added or cleared is as it was, once it is read again', () => {
  const batches = openPending(db)
  batches.read()
  batches.add(encoded(SHORT), 1)
  for (const change of [() => batches.add(encoded(LONG), 2), () => batches.clear()]) {
    db.run('BEGIN')
    change()
    db.run('ROLLBACK')
    expect(batches.read()).toEqual([{ at: 1, verbs: SHORT }])
  }
  batches.add(encoded(WITH_TEXTS), 3)
  expect(openPending(db).read()).toEqual([
    { at: 1, verbs: SHORT },
    { at: 3, verbs: WITH_TEXTS },
  ])
})

test('a commit changes the pages of its batch and no other', () => {
  const batches = openPending(db)
  batches.read()
  const fill = (commit: (write: () => void) => number) =>
    [SHORT, SHORT, LONG].map((verbs) => commit(() => batches.add(encoded(verbs), 1)))
  fill(pagesWritten)
  batches.clear()
  const pages = number('PRAGMA page_count')
  for (let round = 0; round < 3; round++) {
    expect(fill(pagesWritten)).toEqual([1, 1, 8])
    batches.clear()
  }
  expect(number('PRAGMA page_count')).toBe(pages)
})

/** How many pages a commit has put into the log. */
function pagesWritten(write: () => void): number {
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.transaction(write)()
  const { log } = db.query('PRAGMA wal_checkpoint(PASSIVE)').get() as { log: bigint }
  return Number(log)
}

test('there is room for a few megabytes, and after that again', () => {
  const batches = openPending(db)
  batches.read()
  const tooLong: Verb[] = [settle(2n, node, 5n, { receipt: 'x'.repeat(1_000_000) })]
  expect(batches.add(encoded(tooLong), 1)).toBe(false)
  let added = 0
  while (added < 200 && batches.add(encoded(LONG), 1)) added++
  expect(added).toBeGreaterThan(100)
  expect(added).toBeLessThan(200)
  expect(openPending(db).read()).toHaveLength(added)
  expect(number('SELECT sum(length(bytes)) FROM pending_page')).toBeLessThan(5_000_000)
  batches.clear()
  expect(batches.add(encoded(tooLong), 1)).toBe(false)
  expect(batches.add(encoded(LONG), 1)).toBe(true)
})
