// What operators note of accounts, for each other. Account holders never see it.
import type { AuditActor } from '../../console/audit-log.ts'
import { checkText } from '../guard.ts'
import { integer, type Row, small, text } from '../rows.ts'
import { type Connection, required, statement } from '../statements.ts'

export type Note = { id: bigint; account: bigint; at: number; author: AuditActor; text: string }

export const notesOver = ({ db, runner, clock }: Connection) => ({
  /** Newest first. */
  async list(account: bigint): Promise<Note[]> {
    const query = db.selectFrom('account_note').selectAll().where('account', '=', account).orderBy('id', 'desc')
    return (await runner.readPage(statement(query))).map(toNote)
  },
  /** undefined: the account has `most` already. */
  async add({ account, author, text: written }: Omit<Note, 'id' | 'at'>, most: number): Promise<Note | undefined> {
    const note = {
      account,
      at: clock(),
      author_type: checkText('author', author.type),
      author: checkText('author', author.id),
      text: checkText('text', written),
    }
    const rows = await runner.write([
      // Locks the account, so that notes that are written at once are counted one after the other.
      required(
        db
          .updateTable('account')
          .set((row) => ({ name: row.ref('name') }))
          .where('id', '=', account)
          .returning('id'),
      ),
      required(
        db
          .selectFrom('account')
          .select('id')
          .where('id', '=', account)
          .where(
            (row) =>
              row
                .selectFrom('account_note')
                .select((count) => count.fn.countAll<number>().as('notes'))
                .where('account_note.account', '=', account),
            '<',
            most,
          ),
      ),
      required(db.insertInto('account_note').values(note).returningAll()),
    ])
    const added = rows?.[2]?.[0]
    return added && toNote(added)
  },
  /** false: the account has no such note. */
  async delete(account: bigint, note: bigint): Promise<boolean> {
    const gone = db.deleteFrom('account_note').where('account', '=', account).where('id', '=', note).returning('id')
    return (await runner.write([required(gone)])) !== undefined
  },
})

const toNote = (row: Row): Note => ({
  id: integer(row.id),
  account: integer(row.account),
  at: small(row.at),
  author: { type: row.author_type as AuditActor['type'], id: text(row.author) },
  text: text(row.text),
})
