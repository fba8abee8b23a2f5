// Wallet: the balance, what is held and for which requests, the history with its running balance, and monthly statements.
import { formatRequestId } from '../../access/ids.ts'
import type { FileConfig } from '../../config/types.ts'
import { formatUsd, type Nanos } from '../../money/amount.ts'
import { balancesJson } from '../../paid-call/usage-endpoint.ts'
import type { Account, Storage, WalletEntry as StoredEntry } from '../../storage/storage.ts'
import { badRequest } from '../rejection.ts'
import type { Page, Statement, Wallet, WalletEntry } from '../types.ts'
import { keyNames } from './key-names.ts'

export type WalletDependencies = {
  store: Pick<Storage, 'accounts' | 'keys' | 'spending'>
  config(): { console: Pick<FileConfig['console'], 'supportUrl'> }
  clock(): number
}

const MOST_OPEN = 100
const PAGE = 50
/** Of one statement: with a line per day and one per credit, no month comes near it. */
const MOST_LINES = 100_000

export async function showWallet(account: Account, deps: WalletDependencies): Promise<Wallet> {
  const { spending, accounts, keys } = deps.store
  const { lowBalance } = await accounts.preferences(account.id)
  const open = await spending.openRequests(account.id, MOST_OPEN)
  const names = await keyNames(
    keys,
    open.map(({ key }) => key),
  )
  return {
    ...balancesJson(account),
    low_balance_usd: lowBalance === undefined ? null : formatUsd(lowBalance),
    support_url: deps.config().console.supportUrl ?? null,
    open: open.map(({ request, heldAt, model, key, held }) => ({
      ...{ request_id: formatRequestId(request), at: new Date(heldAt).toISOString(), model },
      ...{ key_name: names.get(key) ?? '', held_usd: formatUsd(held) },
    })),
  }
}

export async function listHistory(
  account: Account,
  query: URLSearchParams,
  { store }: WalletDependencies,
): Promise<Page<WalletEntry>> {
  const written = query.get('before')
  const before = written === null ? undefined : Date.parse(written)
  if (before !== undefined && Number.isNaN(before)) throw badRequest('before', 'before must be a time in ISO 8601.')
  const { entries, next } = await store.spending.history(account.id, PAGE, before)
  return { items: entries.map(entryJson), next: next === undefined ? null : new Date(next).toISOString() }
}

const entryJson = ({ kind, at, reason, amount, requests, balanceAfter }: StoredEntry): WalletEntry => ({
  ...{ kind, at: new Date(at).toISOString(), reason, amount_usd: formatUsd(amount), requests },
  balance_after_usd: formatUsd(balanceAfter),
})

const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

/** Months with entries, newest first. */
export async function listStatements(account: Account, deps: WalletDependencies): Promise<Statement[]> {
  const { entries } = await deps.store.spending.history(account.id, MOST_LINES)
  const months = Map.groupBy(entries, ({ at }) => monthOf(at))
  const sum = (each: readonly StoredEntry[], sign: 1n | -1n): Nanos =>
    each.reduce((total, { amount }) => (amount * sign > 0n ? total + amount * sign : total), 0n)
  return [...months].map(([month, each]) => ({
    ...{ month, credited_usd: formatUsd(sum(each, 1n)), spent_usd: formatUsd(sum(each, -1n)) },
  }))
}

/** The entries of one month, oldest first, as an accountant reads them. */
export async function statementLines(account: Account, month: string, deps: WalletDependencies): Promise<string[][]> {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw badRequest('month', 'The month must be written as 2026-01.')
  const { entries } = await deps.store.spending.history(account.id, MOST_LINES)
  const lines = entries
    .filter(({ at }) => monthOf(at) === month)
    .map(entryJson)
    .map(({ at, kind, reason, requests, amount_usd, balance_after_usd }) => [
      ...[at, kind, reason, String(requests), amount_usd, balance_after_usd],
    ])
  return [['at', 'kind', 'reason', 'requests', 'amount_usd', 'balance_after_usd'], ...lines.toReversed()]
}
