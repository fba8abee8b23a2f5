// What the writer thread does with its connection: batches of verbs and lists of statements, each one transaction.
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { apply, type Result, type Verb } from '../../money/ledger.ts'
import type { Statement } from '../sql/queries.ts'
import type { Row } from '../sql/rows.ts'
import { openBook } from './book.ts'

/** Crosses the thread border as it is: errors would lose their class on the way. */
export type Failure = { failure: 'store' | 'verb'; message: string }
export type Answer = Result | Failure

export type Transactions = {
  /** One commit for all. A verb that throws fails alone: the rest is done again without it. */
  verbs(verbs: readonly Verb[], now: number): Answer[]
  /** All or nothing; undefined: a required statement returned no row. */
  write(statements: readonly Statement[]): Row[][] | undefined | Failure
}

export function openTransactions(db: Database): Transactions {
  const book = openBook(db)
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')

  function rollBack(): void {
    book.forget()
    // SQLite may have rolled back by itself, as it does when the disk is full.
    if (db.inTransaction) db.run('ROLLBACK')
  }
  function inTransaction<T>(work: () => T): T | Failure {
    try {
      begin.run()
      const result = work()
      commit.run()
      return result
    } catch (error) {
      try {
        rollBack()
      } catch (second) {
        return { failure: 'store', message: `${messageOf(error)}; then: ${messageOf(second)}` }
      }
      return toFailure(error)
    }
  }
  const oneCommit = (verbs: readonly Verb[], now: number) =>
    inTransaction((): Answer[] => {
      book.begin(now)
      const results = verbs.map((verb) => apply(book, verb))
      book.flush()
      return results
    })

  return {
    verbs(verbs, now) {
      const together = oneCommit(verbs, now)
      if (!('failure' in together)) return together
      if (together.failure === 'store' || verbs.length === 1) return verbs.map(() => together)
      return verbs.flatMap((verb) => {
        const alone = oneCommit([verb], now)
        return 'failure' in alone ? [alone] : alone
      })
    },
    write(statements) {
      const undone = new Undone()
      // Statements change rows without the book's knowledge.
      book.forget()
      const written = inTransaction(() =>
        statements.map(({ sql, parameters, required }) => {
          const rows = db.query(sql).all(...(parameters as SQLQueryBindings[])) as Row[]
          if (required && rows.length === 0) throw undone
          return rows
        }),
      )
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

export function toFailure(error: unknown): Failure {
  const code = (error as { code?: unknown }).code
  const store = typeof code === 'string' && code.startsWith('SQLITE_') && !VERB_FAULTS.test(code)
  return { failure: store ? 'store' : 'verb', message: messageOf(error) }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
