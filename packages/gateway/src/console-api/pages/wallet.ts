// Wallet: the balance, what is held and for which requests, the history with its running balance, and monthly statements.

import * as codes from '../../administration/codes.ts'
import { entryJson, isMonth, monthEntries } from '../../administration/reports/statement.ts'
import type { CsvLine } from '../../http-api/files/csv.ts'
import { csvResponse } from '../../http-api/files/file-response.ts'
import { badRequest } from '../../http-api/rejection.ts'
import { formatUsd } from '../../money/amount.ts'
import { balancesJson, capJson } from '../../money/json.ts'
import { formatRequestId } from '../../request/ids.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import type { Account, UsageRow } from '../../storage/storage.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { HandlersOf } from '../handlers-of.ts'
import type { HistoryQuery, Statement, WALLET_ROUTES, Wallet, WalletHistory } from '../routes/wallet.ts'
import { performs } from '../session/holder-context.ts'
import { keyNames } from './key-names.ts'
import { scopeOf, type Viewer } from './scope.ts'

const MOST_OPEN = 100
const PAGE = 50

async function showWallet(viewer: Viewer, deps: ConsoleDependencies): Promise<Wallet> {
  const { account, person } = viewer
  const { spending, people, keys } = deps.store
  const { lowBalance } = await people.preferences(person.id)
  const open = await openRequests(viewer, spending)
  const names = await keyNames(
    keys,
    open.map(({ key }) => key),
  )
  return {
    ...balancesJson(account),
    ...capJson(account, deps.clock()),
    low_balance_usd: lowBalance === undefined ? null : formatUsd(lowBalance),
    support_url: deps.config().console.supportUrl ?? null,
    open: open.map(({ request, heldAt, model, key, held }) => ({
      request_id: formatRequestId(request),
      at: new Date(heldAt).toISOString(),
      model,
      key_name: names.get(key) ?? '',
      held_usd: formatUsd(held),
    })),
  }
}

async function openRequests(viewer: Viewer, spending: ConsoleDependencies['store']['spending']): Promise<UsageRow[]> {
  const { role, account } = viewer
  if (role === 'owner') return await spending.openRequests(account.id, MOST_OPEN)
  const own = { ...scopeOf(viewer), outcome: 'running' }
  return (await spending.requests(account.id, own, MOST_OPEN)).rows.toReversed()
}

async function listHistory(
  account: Account,
  query: HistoryQuery,
  { store }: ConsoleDependencies,
): Promise<WalletHistory> {
  const before = query.before === undefined ? undefined : parseIsoTime(query.before)
  const { entries, next } = await store.spending.history(account.id, PAGE, before)
  return { items: entries.map(entryJson), next: next === undefined ? null : new Date(next).toISOString() }
}

const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

/** Months with entries, newest first. */
async function listStatements(account: Account, deps: ConsoleDependencies): Promise<Statement[]> {
  const months = await deps.store.spending.months(account.id)
  return months.map(({ at, credited, spent }) => ({
    month: monthOf(at),
    credited_usd: formatUsd(credited),
    spent_usd: formatUsd(spent),
  }))
}

/** The entries of one month, oldest first, as an accountant reads them. */
async function* statementLines(
  account: Account,
  month: string,
  deps: ConsoleDependencies,
): AsyncGenerator<CsvLine[], void> {
  if (!isMonth(month)) throw badRequest('month', 'The month must be written as 2026-01.')
  const entries = await monthEntries(deps.store.spending, account.id, month)
  const lines = entries
    .map(entryJson)
    .map(({ at, kind, reason, requests, amount_usd, balance_after_usd }) => [
      at,
      kind,
      reason,
      String(requests),
      amount_usd,
      balance_after_usd,
    ])
  yield [['at', 'kind', 'reason', 'requests', 'amount_usd', 'balance_after_usd'], ...lines.toReversed()]
}

export const WALLET_HANDLERS: HandlersOf<typeof WALLET_ROUTES> = {
  'GET wallet': showWallet,
  'GET wallet/history': ({ account, query }, deps) => listHistory(account, query, deps),
  'GET wallet/statements': ({ account }, deps) => listStatements(account, deps),
  'GET wallet/statements/{month}': (call, deps) => {
    const month = call.parameters.month.replace(/\.csv$/, '')
    return csvResponse(call, `statement-${month}`, statementLines(call.account, month, deps), deps)
  },
  'POST wallet/redeem': performs(codes.redeemCode),
}
