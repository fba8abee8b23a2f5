// Requests that were rejected before a hold, which no receipt tells of: counted by key, error code and minute.

import { parseIsoTime } from '../request/iso-time.ts'
import { fields, idOf, optional, textLike, WRITTEN_TIME } from '../request/schema/schema.ts'
import type { RejectedCount } from '../storage/storage.ts'
import { isoTime } from './inputs/fields.ts'
import { findAccount } from './inputs/find-account.ts'
import { ACCOUNT, LIMIT } from './inputs/schemas.ts'
import { operation } from './operation.ts'

export const listRejectedRequests = operation({
  name: 'rejected-requests',
  permission: 'see',
  input: fields({
    account: optional(ACCOUNT),
    key: optional(idOf('a key')),
    since: optional(WRITTEN_TIME),
    after: optional(textLike((value) => readPlace(value) !== undefined, 'be the end of a page')),
    limit: LIMIT,
  }),
  /** Newest first. */
  async run(context, { account: named, key, since, after: place, limit }) {
    const account = named === undefined ? undefined : (await findAccount(context, named)).id
    const after = place === undefined ? undefined : readPlace(place)
    const filter = {
      ...(account === undefined ? {} : { account }),
      ...(key === undefined ? {} : { key: BigInt(key) }),
      ...(since === undefined ? {} : { from: parseIsoTime(since) ?? 0 }),
      ...(after === undefined ? {} : { before: after }),
    }
    const rows = await context.storage.rejectedRequests.list(filter, limit)
    const last = rows.at(-1)
    return { items: rows.map(shownCount), next: last === undefined || rows.length < limit ? null : placeOf(last) }
  },
})

/** What did not fit while it was counted has no key of its own, and perhaps no account. */
const shownCount = ({ account, key, code, minute, count, lastRequest, reason }: RejectedCount) => ({
  minute: isoTime(minute),
  account_id: account === 0n ? null : String(account),
  key_id: key === 0n ? null : String(key),
  code,
  count,
  last_request_id: lastRequest,
  reason,
})

const placeOf = ({ minute, account, key, code }: RejectedCount): string => [minute, account, key, code].join('.')

function readPlace(written: string): Pick<RejectedCount, 'minute' | 'account' | 'key' | 'code'> | undefined {
  const [, minute, account, key, code] = /^(\d{1,15})\.(\d{1,18})\.(\d{1,18})\.(\w{1,100})$/.exec(written) ?? []
  if (minute === undefined || account === undefined || key === undefined || code === undefined) return undefined
  return { minute: Number(minute), account: BigInt(account), key: BigInt(key), code }
}
