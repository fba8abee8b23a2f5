// What an audit reads: the whole ledger, or what came after a seal and the sums that the seal has. As tables in plain SQL, for both engines.
import { type Bounds, firstRequestAfter } from './bounds.ts'

export type Part = {
  requests: string
  transfers: string
  /** Transfers whose time is not before `from`, also of sealed requests. */
  booked: string
  /** Sums of spending from this hour on. */
  from: number
  sealed: { accounts: string; keys: string; requests: string; transfers: bigint }
}

/**
 * A request has a price if anything was held for it: every price is rounded up to at least one nano-USD. In words that the index
 * request_free has, so that both engines use it.
 */
export const IS_FREE = 'held = 0 AND state <> 0 AND cost = 0 AND shortfall = 0'

const NO_SUMS = 'balance spent requests tokens upstream_cost used_requests used_tokens used_cost cost shortfall'
const none = `(SELECT ${['account', 'key', 'request', ...NO_SUMS.split(' ')].map((name) => `0 AS ${name}`).join(', ')} WHERE 1 = 0) AS sealed`

export const WHOLE: Part = {
  requests: 'request',
  transfers: 'transfer',
  booked: 'transfer',
  from: 0,
  sealed: { accounts: none, keys: none, requests: none, transfers: 0n },
}

/** No seal has requests at price 0: an index finds those that are not removed yet. */
export function partAfter(seal: Bounds & { transfers: bigint }): Part {
  const { endsAt, firstOpen, lastSealed, transfers } = seal
  const first = firstRequestAfter(seal)
  const columns = 'id, account, key, state, cost, shortfall, tokens, upstream_cost'
  const corrected = `(SELECT request FROM month_seal_request WHERE ends_at <= ${endsAt})`
  const closed = (table: string, id: string) => `(SELECT * FROM ${table} AS closed WHERE ends_at =
    (SELECT max(ends_at) FROM ${table} AS last WHERE last.${id} = closed.${id} AND last.ends_at <= ${endsAt})) AS sealed`
  return {
    requests: `(SELECT ${columns} FROM request WHERE id >= ${first}
      UNION ALL SELECT ${columns} FROM request WHERE id < ${first} AND id IN ${corrected}
      UNION ALL SELECT ${columns} FROM request WHERE ${IS_FREE} AND id < ${first}
        AND id NOT IN ${corrected}) AS open_requests`,
    transfers: `(SELECT * FROM transfer WHERE id >= ${firstOpen}
      AND (id > ${lastSealed} OR request >= ${first} OR request IS NULL AND at >= ${endsAt})) AS open_transfers`,
    booked: `(SELECT * FROM transfer WHERE id >= ${firstOpen} AND at >= ${endsAt}) AS booked`,
    from: endsAt,
    sealed: {
      accounts: closed('month_seal_account', 'account'),
      keys: closed('month_seal_key', 'key'),
      requests: closed('month_seal_request', 'request'),
      transfers,
    },
  }
}

/** Transfers that were booked after the seal with a time before its end. */
export const lateTransfers = ({ endsAt, lastSealed }: Bounds): string =>
  `SELECT count(*) AS late FROM transfer WHERE id > ${lastSealed} AND at < ${endsAt}`
