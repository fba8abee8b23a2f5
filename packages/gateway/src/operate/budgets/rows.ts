// Budgets as the console, the admin API and the command line show them.
import { formatUsd } from '../../money/amount.ts'
import { budgetState } from '../../money/budgets/state.ts'
import { isoTime } from '../inputs/fields.ts'
import type { OperationContext } from '../operation.ts'
import type { Entry } from './entries.ts'
import { settingsJson } from './terms.ts'

export type BudgetRow = Awaited<ReturnType<typeof budgetRows>>[number]

export async function budgetRows(entries: readonly Entry[], { storage }: Pick<OperationContext, 'storage'>) {
  const idsOf = (field: 'account' | 'key' | 'person') => [...new Set(entries.flatMap((entry) => entry[field] ?? []))]
  const [accounts, keys, people] = await Promise.all([
    storage.accounts.names(idsOf('account')),
    storage.keys.names(idsOf('key')),
    storage.people.names(idsOf('person')),
  ])
  const now = storage.now()
  const nameIn = (names: ReadonlyMap<bigint, string>, id: bigint | undefined) =>
    (id === undefined ? undefined : names.get(id)) ?? null
  return entries.map((entry) => {
    const { spent, held, left, percent, isReached, beginsAnewAt } = budgetState(entry, now)
    const { account, key, person, model, value, createdAt, deletedAt } = entry
    return {
      id: entry.id,
      is_cap: entry.isCap,
      kind: entry.kind,
      account_id: idOrNull(account),
      account: nameIn(accounts, account),
      key_id: idOrNull(key),
      key: nameIn(keys, key),
      person_id: idOrNull(person),
      email: nameIn(people, person),
      model: model ?? null,
      value: value ?? null,
      ...settingsJson(entry),
      set_by: entry.setBy,
      spent_usd: formatUsd(spent),
      held_usd: formatUsd(held),
      left_usd: formatUsd(left),
      used_percent: percent,
      reached: isReached,
      begins_anew_at: timeOrNull(beginsAnewAt),
      created_at: timeOrNull(createdAt),
      deleted_at: timeOrNull(deletedAt),
    }
  })
}

const idOrNull = (id: bigint | undefined): string | null => (id === undefined ? null : String(id))
const timeOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms))
