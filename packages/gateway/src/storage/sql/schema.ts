// The tables as queries see them. Integers arrive as bigint from SQLite and as number or bigint from PostgreSQL, by
// the width of the column: rows are read through rows.ts, which takes either.
import type { Generated } from 'kysely'

type Integer = bigint | number
type NullableInteger = Integer | null

export type Schema = {
  account: {
    id: Generated<Integer>
    email: string
    balance: Integer
    held: Integer
    disabled: Integer
    created_at: Integer
  }
  /** `password`: its hash, with the salt and the parameters of the algorithm in it. */
  credential: { account: Integer; password: string }
  api_key: {
    id: Generated<Integer>
    account: Integer
    hash: Uint8Array
    name: string
    group_name: string
    revoked: Integer
    expires_at: NullableInteger
    cap: NullableInteger
    spent: Integer
    held: Integer
    created_at: Integer
  }
  request: {
    id: Integer
    account: Integer
    key: Integer
    slot: Integer
    epoch: Integer
    state: Integer
    held: Integer
    progress: Integer
    cost: Integer
    shortfall: Integer
    model: string
    upstream: string
    ending: string
    receipt: string
  }
  transfer: {
    id: Generated<Integer>
    request: NullableInteger
    debit: Integer
    credit: Integer
    amount: Integer
    reason: string
    at: Integer
  }
  node: { slot: Integer; epoch: Integer; renewed_at: Integer; config: string }
  meta: { name: string; value: string }
  change_counter: { id: Integer; value: Integer }
}
