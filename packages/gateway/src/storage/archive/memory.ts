// A database in memory that has some archived rows, so that lists select from them by the statements by which they select from the tables.
import { Database, type SQLQueryBindings } from 'bun:sqlite'
import type { Row } from '../fields.ts'
import type { Connection, Statement } from '../sql/statements.ts'
import { COLUMNS, type Kind } from './part-file.ts'
import { compiler, MONTH_OF, RECEIPT_ERROR, RECEIPT_IDS } from './sqlite-dialect.ts'

export type Memory = { connection: Connection; fill(rows: Iterable<Row>): void } & Disposable

export function openMemory(kind: Kind): Memory {
  const db = new Database(':memory:', { safeIntegers: true })
  const columns = COLUMNS[kind]
  db.run(`CREATE TABLE ${kind} (id INTEGER PRIMARY KEY, ${columns.slice(1).join(', ')})`)
  const insert = db.query(`INSERT OR IGNORE INTO ${kind} VALUES (${columns.map(() => '?').join(', ')})`)
  const read = async ({ sql, parameters }: Statement) =>
    db.query(sql).all(...(parameters as SQLQueryBindings[])) as Row[]
  const runner: Connection['runner'] = {
    read,
    readLedger: read,
    readPage: read,
    readSlowly: (statements) => Promise.all(statements.map(read)),
    write: () => Promise.reject(new Error('archived rows do not change')),
  }
  return {
    connection: {
      db: compiler(),
      runner,
      clock: Date.now,
      receiptError: RECEIPT_ERROR,
      receiptIds: RECEIPT_IDS,
      monthOf: MONTH_OF,
    },
    /** In place of the rows that it has. Of rows with the same id, the first stays. */
    fill(rows) {
      db.transaction(() => {
        db.run(`DELETE FROM ${kind}`)
        for (const row of rows) insert.run(...columns.map((column) => (row[column] ?? null) as SQLQueryBindings))
      })()
    },
    [Symbol.dispose]: () => db.close(),
  }
}
