// Requests and transfers page by page, in the order of their ids.
import { sql } from 'kysely'
import { integer, type Row } from '../rows.ts'
import { type Connection, rawStatement } from '../statements.ts'

/** All with ids above `after`, up to `last`. */
export type LedgerRows = (kind: 'request' | 'transfer', after: bigint, last: bigint) => AsyncGenerator<Row[], void>

const PAGE = 1_000

const COLUMNS = {
  request: 'id, account, key, node_id, state, held, cost, shortfall, tokens, upstream_cost, outcome',
  transfer: 'id, request, debit, credit, amount, at',
}

export const rowsOfTables = ({ db, runner }: Connection, columns: Readonly<typeof COLUMNS> = COLUMNS): LedgerRows =>
  async function* read(kind, after, last) {
    for (let from = after; ; ) {
      const query = sql`SELECT ${sql.raw(columns[kind])} FROM ${sql.table(kind)}
        WHERE id > ${from} AND id <= ${last} ORDER BY id LIMIT ${sql.lit(PAGE)}`
      const rows = await runner.readPage(rawStatement(db, query))
      yield rows
      if (rows.length < PAGE) return
      from = integer(rows.at(-1)?.id)
    }
  }
