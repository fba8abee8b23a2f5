// Links that work once, on both engines: at most one for each person and purpose.
import type { ExpressionBuilder } from 'kysely'
import type { LinkPurpose, NewLink } from '../../people/sign-ins.ts'
import { checkHash } from '../guard.ts'
import { integer, optional } from '../rows.ts'
import {
  type Connection,
  type Database,
  incrementChangeCounter,
  required,
  type Statement,
  statement,
} from '../statements.ts'
import type { Schema } from '../tables.ts'
import { makerIsThere } from './admin-keys.ts'

export const linksOver = ({ db, runner, clock }: Connection) => ({
  /**
   * A link that works once. Earlier links of the person for the same purpose stop working. false: the admin key that makes it was deleted
   * meanwhile.
   */
  async createLink({ hash, purpose, person, expiresAt, madeByKey }: NewLink): Promise<boolean> {
    const link = { hash: checkHash(hash), expires_at: expiresAt, made_by_key: madeByKey ?? null }
    const insert = db.insertInto('link').values({ person, purpose, ...link })
    const replacing = insert.onConflict((conflict) => conflict.columns(['person', 'purpose']).doUpdateSet(link))
    if (madeByKey === undefined) return (await runner.write([statement(replacing)])) !== undefined
    // The row of the change counter is a lock: the key is deleted before, or with this link.
    const written = [incrementChangeCounter(db), ...makerIsThere(db, madeByKey), statement(replacing)]
    return (await runner.write(written)) !== undefined
  },
  /** The person whose link it is; it does not work a second time. undefined: unknown, used or expired. */
  async useLink(hash: Uint8Array, purpose: LinkPurpose): Promise<bigint | undefined> {
    const used = db
      .deleteFrom('link')
      .where(isLive(hash, purpose, clock()))
      .returning('person')
    const rows = await runner.write([required(used)])
    return optional(rows?.[0]?.[0]?.person, integer)
  },
  /** The same without using it up. */
  async findLink(hash: Uint8Array, purpose: LinkPurpose): Promise<bigint | undefined> {
    const found = db
      .selectFrom('link')
      .select('person')
      .where(isLive(hash, purpose, clock()))
    const [row] = await runner.read(statement(found))
    return optional(row?.person, integer)
  },
})

const isLive = (hash: Uint8Array, purpose: LinkPurpose, now: number) => (row: ExpressionBuilder<Schema, 'link'>) =>
  row.and([row('hash', '=', checkHash(hash)), row('purpose', '=', purpose), row('expires_at', '>', now)])

/** Those that set another password. */
export const endPasswordLinks = (db: Database, person: bigint): Statement =>
  statement(db.deleteFrom('link').where('person', '=', person).where('purpose', 'in', ['reset', 'setup']))

export function sweepLinks(db: Database, now: number, limit: number): Statement {
  const expired = db.selectFrom('link').select('hash').where('expires_at', '<=', now).limit(limit)
  // Checks the time again: since the first check, the link may have been replaced.
  const swept = db.deleteFrom('link').where('hash', 'in', expired).where('expires_at', '<=', now)
  return statement(swept.returning('person'))
}
