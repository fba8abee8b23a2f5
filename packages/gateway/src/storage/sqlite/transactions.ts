// What the writer thread does with its connection: batches of verbs and lists of statements, each one transaction.
//
// The cost of a commit depends on the pages it changes, and the rows of a batch are spread over the file. So a large batch is
// applied to rows in memory, and only its verbs are committed (pending.ts). Once there are enough, a later transaction writes
// the changed rows, each once, and drops the verbs. After a crash or a failed transaction the pending verbs are applied again.
// Their results are the same, because the rows are: everything that changes rows writes what is pending first.
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { apply, type Result, type Verb } from '../../money/ledger.ts'
import type { Row } from '../sql/rows.ts'
import { bindParameters, type Statement } from '../sql/statements.ts'
import { decodeBatch, type EncodedBatch } from './batch.ts'
import { openBook } from './book/book.ts'
import { openPending } from './pending.ts'

/** A plain object: errors lose their class between threads. */
export type WriteFailure = { failure: 'store' | 'verb'; message: string }
export type VerbResult = Result | WriteFailure

export type Transactions = {
  /** One commit for an encoded batch. If a verb throws, each verb is applied alone, and only that one fails. */
  verbs(batch: EncodedBatch, now: number): VerbResult[]
  /** All or nothing, after all that is pending; undefined: a required statement returned no row. */
  write(statements: readonly Statement[]): Row[][] | undefined | WriteFailure
  /** Whether rows lack the changes of committed verbs. */
  hasPending(): boolean
}

/** Writing the rows of this many verbs takes about 10 ms, for which a batch may have to wait. */
const MOST_PENDING = 2_000
/** The rows of smaller batches are written at once, so that an idle store has nothing pending. */
const DEFER_FROM = 4

export function openTransactions(db: Database, deferFrom = DEFER_FROM): Transactions {
  const book = openBook(db)
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const batches = openPending(db)
  /** The number of pending verbs. */
  let pending = 0
  /** The book has the effects of the pending verbs. */
  let applied = false

  function rollBack(): void {
    book.forget()
    applied = false
    // SQLite may have rolled back by itself, as it does when the disk is full.
    if (db.inTransaction) db.run('ROLLBACK')
  }
  function inTransaction<T>(work: () => T): T | WriteFailure {
    const before = pending
    try {
      begin.run()
      book.begin()
      if (!applied) applyPending()
      const result = work()
      commit.run()
      return result
    } catch (error) {
      pending = before
      try {
        rollBack()
      } catch (second) {
        return { failure: 'store', message: `${messageOf(error)}; then: ${messageOf(second)}` }
      }
      return toWriteFailure(error)
    }
  }
  function applyPending(): void {
    pending = 0
    for (const { at, verbs } of batches.read()) {
      book.setTime(at)
      for (const verb of verbs) apply(book, verb)
      pending += verbs.length
    }
    applied = true
  }
  function writeRows(): void {
    book.flush()
    if (pending > 0) batches.clear()
    pending = 0
  }
  const oneCommit = (verbs: readonly Verb[], now: number, batch: EncodedBatch | undefined) =>
    inTransaction((): VerbResult[] => {
      book.setTime(now)
      const results = verbs.map((verb) => apply(book, verb))
      // Rows that this transaction has written must not be pending as well.
      const mayWait = batch !== undefined && verbs.length >= deferFrom && !book.flushed && pending < MOST_PENDING
      if (mayWait && batches.add(batch, now)) pending += verbs.length
      else writeRows()
      return results
    })

  const tookOver = inTransaction(() => {
    writeRows()
    // This process has the owner's lock, so the former one is dead: its holds may be reaped and its leases acquired at once.
    db.run('UPDATE node SET renewed_at = 0')
    db.run('UPDATE lease SET expires_at = 0')
    book.forget()
  })
  if (tookOver) throw new Error(`${db.filename}: the database cannot be opened: ${tookOver.message}`)

  return {
    hasPending: () => pending > 0,
    verbs(batch, now) {
      const verbs = decodeBatch(batch)
      const together = oneCommit(verbs, now, batch)
      if (!('failure' in together)) return together
      if (together.failure === 'store' || verbs.length === 1) return verbs.map(() => together)
      return verbs.flatMap((verb) => {
        const alone = oneCommit([verb], now, undefined)
        return 'failure' in alone ? [alone] : alone
      })
    },
    write(statements) {
      const undone = new Undone()
      const written = inTransaction(() => {
        writeRows()
        // Statements change rows without the book's knowledge.
        book.forget()
        const parameters = bindParameters()
        return statements.map((step) => {
          const rows = db.query(step.sql).all(...(parameters.of(step) as SQLQueryBindings[])) as Row[]
          if (step.required && rows.length === 0) throw undone
          parameters.note(step, rows)
          return rows
        })
      })
      return 'failure' in written && written.message === undone.message ? undefined : written
    },
  }
}

/** Thrown to roll back; not an error. */
class Undone extends Error {
  override message = 'undone: a required statement returned no row'
}

/** What SQLite says about one statement or value. Anything else it says is about the file or the disk. */
const VERB_FAULTS = /^SQLITE_(CONSTRAINT|MISMATCH|RANGE|TOOBIG|ERROR)/

export function toWriteFailure(error: unknown): WriteFailure {
  const code = (error as { code?: unknown }).code
  const store = typeof code === 'string' && code.startsWith('SQLITE_') && !VERB_FAULTS.test(code)
  return { failure: store ? 'store' : 'verb', message: messageOf(error) }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
