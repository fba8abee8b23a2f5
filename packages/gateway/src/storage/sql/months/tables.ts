// The tables of sealed and archived months, written from the schema by npm run reference.
import type { Generated } from 'kysely'

export type Integer = bigint | number

export type MonthTables = {
  month_seal: {
    ends_at: Integer
    sealed_at: Integer
    first_open: Integer
    last_sealed: Integer
    transfers: Integer
    previous: string
    hash: string
  }
  month_seal_account: {
    ends_at: Integer
    account: Integer
    balance: Integer
    spent: Integer
    requests: Integer
    tokens: Integer
    upstream_cost: Integer
    used_requests: Integer
    used_tokens: Integer
    used_cost: Integer
  }
  month_seal_key: { ends_at: Integer; key: Integer; spent: Integer }
  month_seal_request: { ends_at: Integer; request: Integer; cost: Integer; shortfall: Integer }
  archive_part: {
    id: Generated<Integer>
    name: string
    state: Generated<Integer>
    kind: string
    ends_at: Integer
    first_id: Generated<Integer>
    last_id: Generated<Integer>
    row_count: Generated<Integer>
    bytes: Generated<Integer>
    sha256: Generated<string>
    blocks: Generated<string>
  }
}
