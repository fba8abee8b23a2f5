// The rows of archive_part: which files there are. A complete file never changes, so that what was read of it stays true.
import { sql } from 'kysely'
import { fieldsOf, integer, small, text } from '../fields.ts'
import { programVersion } from '../migrations/migrations.ts'
import { type Connection, rawStatement, required, type Statement, statement } from '../sql/statements.ts'
import { type Block, type Kind, type PartFile, readBlocks, writeBlocks } from './part-file.ts'

export const REMOVED = -1
export const BEGUN = 0
export const COMPLETE = 1
/** Its rows have left their table. */
export const ALONE = 2

/** Programs before this version of the tables know of no archive. */
const KNOWN_SINCE = 4

const toPart = fieldsOf({
  id: integer,
  name: text,
  state: small,
  kind: (value) => text(value) as Kind,
  endsAt: small,
  firstId: integer,
  lastId: integer,
  rowCount: small,
  bytes: small,
  sha256: text,
})
export type Part = ReturnType<typeof toPart>

export function partsOver({ db, runner }: Connection) {
  const setState = (id: bigint, from: number, to: number) =>
    db.updateTable('archive_part').set({ state: to }).where('id', '=', id).where('state', '=', from)
  return {
    /** All complete files, in the order of their ids. */
    async all(): Promise<Part[]> {
      const query = db.selectFrom('archive_part').select(toPart.columns).where('state', '>', BEGUN)
      return (await runner.read(statement(query.orderBy('kind').orderBy('first_id')))).map(toPart)
    },
    /** Changes with every file that is completed. */
    async version(): Promise<bigint> {
      const rows = await runner.read(
        rawStatement(db, sql`SELECT count(*) AS parts FROM archive_part WHERE state > ${sql.lit(BEGUN)}`),
      )
      return integer(rows[0]?.parts ?? 0n)
    },
    async blocks(id: bigint): Promise<Block[]> {
      const [row] = await runner.read(statement(db.selectFrom('archive_part').select('blocks').where('id', '=', id)))
      return row ? readBlocks(text(row.blocks)) : []
    },
    /** Those that a process began and did not complete. */
    async begun(): Promise<{ id: bigint; name: string }[]> {
      const query = db.selectFrom('archive_part').select(['id', 'name']).where('state', '<=', BEGUN)
      return (await runner.read(statement(query))).map((row) => ({ id: integer(row.id), name: text(row.name) }))
    },
    async begin(name: string, kind: Kind, endsAt: number): Promise<bigint> {
      const insert = db.insertInto('archive_part').values({ name, kind, ends_at: endsAt }).returning('id')
      return integer((await runner.write([required(insert)]))?.[0]?.[0]?.id)
    },
    /**
     * false: another process has removed it, or has completed one with the same rows. From here on, programs that know of no archive
     * are refused: they would miss the rows.
     */
    async complete(id: bigint, { bytes, sha256, blocks, rows }: PartFile): Promise<boolean> {
      const [firstId, lastId] = [blocks[0]?.first ?? 0n, blocks.at(-1)?.last ?? 0n]
      const update = setState(id, BEGUN, COMPLETE)
        .set({ first_id: firstId, last_id: lastId, row_count: rows, bytes: bytes.length, sha256 })
        .set({ blocks: writeBlocks(blocks) })
        .where(
          sql<boolean>`NOT EXISTS (SELECT 1 FROM archive_part AS other WHERE other.kind = archive_part.kind
            AND other.state > ${sql.lit(BEGUN)} AND other.last_id >= ${firstId} AND other.first_id <= ${lastId})`,
        )
      return (await runner.write([required(update.returning('id')), refuseOlder(db)])) !== undefined
    },
    async left(id: bigint): Promise<void> {
      await runner.write([statement(setState(id, COMPLETE, ALONE))])
    },
    /** false: it has been completed. */
    async remove(id: bigint): Promise<boolean> {
      const update = db.updateTable('archive_part').set({ state: REMOVED }).where('id', '=', id)
      return (await runner.write([required(update.where('state', '<=', BEGUN).returning('id'))])) !== undefined
    },
    async forget(id: bigint): Promise<void> {
      await runner.write([statement(db.deleteFrom('archive_part').where('id', '=', id).where('state', '=', REMOVED))])
    },
  }
}
export type Parts = ReturnType<typeof partsOver>

/** Programs compare this number with their own, and refuse to start on the data. */
export const OLDEST_PROGRAM = `UPDATE schema_version SET oldest_program = ${KNOWN_SINCE} WHERE version = ${programVersion()}`

const refuseOlder = (db: Connection['db']): Statement => rawStatement(db, sql.raw(OLDEST_PROGRAM))
