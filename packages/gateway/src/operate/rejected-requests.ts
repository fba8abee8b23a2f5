// Requests that were rejected before a hold, which no receipt tells of: counted by key, error code and minute.

import { ERRORS } from '@trivium/protocol/canonical/error.ts'
import { fields, idOf, optional, text } from '../request/schema/schema.ts'
import type { RejectedCount, RejectedPlace } from '../storage/storage.ts'
import { isoTime } from './inputs/fields.ts'
import { findAccount } from './inputs/find-account.ts'
import { given, pageFieldsBy, readPage, readTimes, TIMES } from './inputs/page.ts'
import { formatPlace, REJECTED_PLACE, readPlace } from './inputs/rejected-place.ts'
import { ACCOUNT } from './inputs/schemas.ts'
import { operation } from './operation.ts'
import { REJECTED_REQUESTS } from './resources/traffic.ts'

export const listRejectedRequests = operation({
  name: 'rejected-requests',
  permission: 'see',
  route: {
    at: 'GET rejected-requests',
    summary: 'Lists counts of requests that were rejected before a hold, by key, error code and minute, newest first',
    output: REJECTED_REQUESTS,
    list: true,
    csv: true,
  },
  input: fields({
    account: optional(ACCOUNT),
    key: optional(idOf('a key')),
    error_code: optional(text({ max: 100 })),
    ...TIMES,
    ...pageFieldsBy(REJECTED_PLACE),
  }),
  /** Newest first. */
  async run(context, { account: named, key, error_code: code, from, to, ...page }) {
    const { rejectedRequests, accounts, keys } = context.storage
    const account = named === undefined ? undefined : (await findAccount(context, named)).id
    const sought = given({ account, key: key === undefined ? undefined : BigInt(key), code })
    const filter = { ...sought, ...readTimes(given({ from, to })) }
    const { items, next } = await readPage<RejectedCount, RejectedPlace>(
      page,
      (range, limit) => rejectedRequests.list({ ...filter, ...range }, limit),
      formatPlace,
      readPlace,
    )
    const names = {
      account: await accounts.names([...new Set(items.map((row) => row.account))]),
      key: await keys.names([...new Set(items.map((row) => row.key))]),
    }
    const shown = items.map((row) => ({
      ...shownCount(row),
      account: names.account.get(row.account) ?? null,
      key: names.key.get(row.key) ?? null,
    }))
    return { items: shown, next }
  },
})

/** What did not fit while it was counted has no key of its own, and perhaps no account. */
export const shownCount = ({ account, key, code, minute, count, lastRequest, reason }: RejectedCount) => ({
  id: formatPlace({ minute, account, key, code }),
  minute: isoTime(minute),
  account_id: account === 0n ? null : String(account),
  key_id: key === 0n ? null : String(key),
  code,
  status: Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS].status : null,
  count,
  last_request_id: lastRequest,
  reason,
})
