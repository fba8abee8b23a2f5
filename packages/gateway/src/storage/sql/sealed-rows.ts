// Encrypted rows on both engines: `$1` are parameters.
import type { SealedKind, SealedPlace, SealedRow } from '../sealed-rows.ts'
import type { Ask } from './contents.ts'
import { bytes, integer, type Row, text } from './rows.ts'

/** Where the values of a kind are. `id`: of a row within its account, of which `first` comes before all; `more`: what else is read. */
type Kind = { table: string; id: string; first: string | Uint8Array; sealed: string; more: string }

const KINDS: Readonly<Record<SealedKind, Kind>> = {
  turn: { table: 'response', id: 'id', first: '', sealed: 'turn', more: '' },
  record: { table: 'response', id: 'id', first: '', sealed: 'record', more: ', media' },
  answer: { table: 'idempotency', id: 'key', first: new Uint8Array(), sealed: 'body', more: ', fingerprint' },
  reasoning: { table: 'reasoning', id: 'key', first: new Uint8Array(), sealed: 'value', more: '' },
}

export const sealedRowsOver = (ask: Ask) => ({
  /** The places that come after `after`, in order. */
  async places(kind: SealedKind, after: SealedPlace | undefined, limit: number): Promise<SealedPlace[]> {
    const { table, id, first, sealed } = KINDS[kind]
    const rows = await ask(
      `SELECT account, ${id} AS id FROM ${table} WHERE ${sealed} IS NOT NULL AND (account, ${id}) > ($1, $2)
      ORDER BY account, ${id} LIMIT $3`,
      [after?.account ?? 0n, after?.id ?? first, limit],
    )
    return rows.map((row) => ({ account: integer(row.account), id: idIn(row) }))
  },
  /** undefined: it is gone. */
  async read(kind: SealedKind, place: SealedPlace): Promise<SealedRow | undefined> {
    const { table, id, sealed, more } = KINDS[kind]
    const sql = `SELECT ${sealed} AS sealed${more} FROM ${table} WHERE account = $1 AND ${id} = $2 AND ${sealed} IS NOT NULL`
    const [row] = await ask(sql, [place.account, place.id], true)
    return row && { ...place, ...toSealed(row) }
  },
  /** false: it is gone, or not `before` any more. */
  async replace(kind: SealedKind, place: SealedPlace, before: Uint8Array, after: Uint8Array): Promise<boolean> {
    const { table, id, sealed } = KINDS[kind]
    const sql = `UPDATE ${table} SET ${sealed} = $3 WHERE account = $1 AND ${id} = $2 AND ${sealed} = $4 RETURNING account`
    return (await ask(sql, [place.account, place.id, after, before])).length > 0
  },
})

const idIn = ({ id }: Row): SealedPlace['id'] => (typeof id === 'string' ? id : bytes(id))

const toSealed = (row: Row): Pick<SealedRow, 'sealed' | 'fingerprint' | 'media'> => ({
  sealed: bytes(row.sealed),
  ...(row.fingerprint ? { fingerprint: bytes(row.fingerprint) } : {}),
  ...(row.media === undefined ? {} : { media: JSON.parse(text(row.media)) as string[] }),
})
