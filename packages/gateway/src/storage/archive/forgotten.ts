// Files of the archive never change. What the requests of deleted accounts were for is left out where they are read.
import { sql } from 'kysely'
import { integer, type Row } from '../fields.ts'
import { type Connection, rawStatement } from '../sql/statements.ts'

const isAttributed = ({ tags, end_user, session }: Row): boolean => Boolean(tags || end_user || session)

export async function withoutForgotten({ db, runner }: Connection, rows: Row[]): Promise<Row[]> {
  const accounts = [...new Set(rows.filter(isAttributed).map(({ account }) => integer(account)))]
  if (accounts.length === 0) return rows
  const query = sql`SELECT id FROM account WHERE deleted_at IS NOT NULL AND id IN (${sql.join(accounts)})`
  const deleted = new Set((await runner.read(rawStatement(db, query))).map(({ id }) => integer(id)))
  if (deleted.size === 0) return rows
  return rows.map((row) => (deleted.has(integer(row.account)) ? { ...row, tags: '', end_user: '', session: '' } : row))
}
