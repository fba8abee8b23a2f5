// What accounts do, as lists of operators show it: sums that are kept with each charge, and counts of few rows.
import { sql } from 'kysely'
import type { AccountActivity } from '../../console/lists.ts'
import { integer, optional, small } from '../rows.ts'
import { type Connection, rawStatement } from '../statements.ts'

const DAY_MS = 86_400_000
/** Each account has a row for every day and model of the range. */
const AT_ONCE = 200

export function accountActivityOver({ db, runner, clock }: Connection) {
  async function read(accounts: readonly bigint[], from: number) {
    const now = clock()
    const rows = await runner.readPage(
      rawStatement(
        db,
        sql`SELECT account.id, account.open_requests,
          (SELECT CAST(sum(cost) AS bigint) FROM daily_spending WHERE daily_spending.account = account.id AND day >= ${from}) AS spent,
          (SELECT last_at FROM daily_spending WHERE daily_spending.account = account.id ORDER BY day DESC, last_at DESC LIMIT 1) AS last_at,
          (SELECT count(*) FROM api_key WHERE api_key.account = account.id AND deleted = 0 AND purpose = 'client'
            AND (expires_at IS NULL OR expires_at > ${now})) AS active_keys
          FROM account WHERE id IN (${sql.join(accounts)})`,
      ),
    )
    return rows.map(
      (row): AccountActivity => ({
        account: integer(row.id),
        spent: optional(row.spent, integer) ?? 0n,
        activeKeys: small(row.active_keys),
        lastUsedAt: optional(row.last_at, small),
        openRequests: small(row.open_requests),
      }),
    )
  }
  return {
    /** Activity in the last `days` days, today included. Accounts that do not exist are absent. */
    async activity(accounts: readonly bigint[], days: number): Promise<ReadonlyMap<bigint, AccountActivity>> {
      if (!Number.isSafeInteger(days) || days < 1) throw new RangeError(`days: ${days}`)
      const now = clock()
      const from = now - (now % DAY_MS) - (days - 1) * DAY_MS
      const found: AccountActivity[] = []
      for (let at = 0; at < accounts.length; at += AT_ONCE)
        found.push(...(await read(accounts.slice(at, at + AT_ONCE), from)))
      return new Map(found.map((each) => [each.account, each]))
    },
  }
}
