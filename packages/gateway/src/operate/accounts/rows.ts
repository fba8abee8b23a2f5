// Accounts as the admin API and the command line show them.
import { formatUsd } from '../../money/amount.ts'
import { balancesJson, capJson, limitsJson } from '../../money/json.ts'
import type { AccountActivity, ListedAccount, Storage } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import type { OperationContext } from '../operation.ts'

export type AccountRow = ReturnType<typeof accountRow>

export async function accountRows(listed: readonly ListedAccount[], { lists }: Pick<Storage, 'lists'>) {
  const ids = listed.map(({ account }) => account.id)
  const activity = await lists.activity(ids)
  return listed.map((each) => accountRow(each, activity.get(each.account.id)))
}

export async function shownAccount(context: OperationContext, named: string): Promise<AccountRow> {
  const account = await findAccount(context, named)
  const members = await context.storage.members.list(account.id)
  const [row] = await accountRows([{ account, members }], context.storage)
  if (!row) throw new Error('an account has no row')
  return row
}

function accountRow({ account, members }: ListedAccount, activity: AccountActivity | undefined) {
  return {
    id: String(account.id),
    name: account.name,
    /** The first owner's address; null: it has none. */
    email: members.find(({ role }) => role === 'owner')?.email ?? null,
    ...balancesJson(account),
    disabled: account.disabled,
    ...capJson(account, Date.now()),
    limits: limitsJson(account.limits),
    spent_today_usd: formatUsd(account.spentToday),
    spent_this_month_usd: formatUsd(account.spentThisMonth),
    spent_30_days_usd: formatUsd(activity?.spent ?? 0n),
    active_keys: activity?.activeKeys ?? 0,
    groups: activity?.groups ?? [],
    running_requests: activity?.openRequests ?? 0,
    last_used_at: activity?.lastUsedAt === undefined ? null : isoTime(activity.lastUsedAt),
    created_at: isoTime(account.createdAt),
    deleted_at: account.deletedAt === undefined ? null : isoTime(account.deletedAt),
    people: members.map(({ email, role }) => ({ email, role })),
  }
}
