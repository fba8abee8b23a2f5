// SQL as SQLite has it.
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { ReceiptIds } from '../sql/statements.ts'
import type { Schema } from '../sql/tables.ts'

const idIn = (whose: string) => `CASE WHEN json_valid(receipt) THEN json_extract(receipt, '$.ids.${whose}') END`
export const RECEIPT_IDS: ReceiptIds = { client: idIn('client'), upstream: idIn('upstream'), written: (id) => id }
export const MONTH_OF = (time: string): string =>
  `CAST(strftime('%s', ${time} / 1000, 'unixepoch', 'start of month') AS INTEGER) * 1000`

export const RECEIPT_ERROR = "CASE WHEN json_valid(receipt) THEN json_extract(receipt, '$.error.code') END"

/** Builds and compiles queries; runs none. */
export const compiler = (): Kysely<Schema> =>
  new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
