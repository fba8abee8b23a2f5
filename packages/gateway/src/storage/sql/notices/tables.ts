// The tables of notices, written from the schema by npm run reference.
import type { Generated } from 'kysely'
import type { Integer } from '../months/tables.ts'

export type NoticeTables = {
  notice: {
    id: Generated<Integer>
    account: Integer
    kind: string
    person: Integer | null
    facts: string
    at: Integer
    withheld: Generated<string>
  }
  notice_mark: { account: Integer; subject: string; period: Integer; basis: Integer; level: Integer }
  notice_delivery: {
    id: Generated<Integer>
    notice: Integer
    account: Integer
    person: Integer | null
    state: Generated<string>
    tries: Generated<Integer>
    due_at: Integer
    error: Generated<string>
  }
  notice_webhook: { account: Integer; url: string; set_at: Integer }
}
