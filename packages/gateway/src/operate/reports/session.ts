// What a session used. Sessions have no sums: their requests are added up, a bounded number of the newest.
import { formatUsd } from '../../money/amount.ts'
import { timeOfId } from '../../request/ids.ts'
import { fields, text } from '../../request/schema/schema.ts'
import type { SessionSums } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { ACCOUNT } from '../inputs/schemas.ts'
import { operation } from '../operation.ts'
import { SESSION_SUMS } from '../resources/traffic.ts'

export const SESSION = text({ max: 128 })

export const reportSession = operation({
  name: 'report session',
  permission: 'see',
  route: {
    at: 'GET usage/session',
    summary: 'Adds up the requests of a session of an account, at most the newest 10,000 that are not archived',
    output: SESSION_SUMS,
    example: { query: 'account=ada@example.com&session=chat-1' },
  },
  input: fields({ account: ACCOUNT, session: SESSION }),
  async run(context, { account: named, session }) {
    const { id } = await findAccount(context, named)
    return sessionJson(id, session, await context.storage.attribution.session(id, session))
  },
})

export const sessionJson = (account: bigint, session: string, sums: SessionSums) => ({
  account_id: String(account),
  session,
  requests: sums.requests,
  running: sums.running,
  tokens: sums.tokens,
  charged_usd: formatUsd(sums.charged),
  first_request_at: sums.first === undefined ? null : isoTime(timeOfId(sums.first)),
  last_request_at: sums.last === undefined ? null : isoTime(timeOfId(sums.last)),
  is_all: sums.isAll,
})
