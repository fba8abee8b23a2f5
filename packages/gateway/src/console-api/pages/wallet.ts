// Wallet: the balance, what is held and for which requests, the history with its running balance, monthly statements, and redemption codes.

import { type CsvLine, csvResponse } from '../../http-api/files/file-response.ts'
import { badRequest } from '../../http-api/rejection.ts'
import { formatUsd } from '../../money/amount.ts'
import { balancesJson, capJson } from '../../money/json.ts'
import { redeemCode } from '../../operate/codes.ts'
import { REDEMPTION } from '../../operate/inputs/schemas.ts'
import { entryJson, isMonth, monthEntries } from '../../operate/reports/statement.ts'
import { CAP_SHOWN } from '../../operate/resources/accounts.ts'
import { formatRequestId } from '../../request/ids.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import {
  BALANCES,
  fields,
  ID,
  listOf,
  nullable,
  number,
  optional,
  pageOf,
  string,
  TIME,
  USD,
  WRITTEN_TIME,
  word,
} from '../../request/schema/schema.ts'
import type { Account, UsageRow } from '../../storage/storage.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { route } from '../route.ts'
import { keyNames, scopeOf, type Viewer } from './scope.ts'

const MOST_OPEN = 100
const PAGE = 50

const WALLET = fields({
  ...BALANCES,
  /** The operator's cap on the whole account; null: none. */
  ...CAP_SHOWN,
  low_balance_usd: nullable(USD),
  support_url: nullable(string()),
  open: listOf(fields({ request_id: ID, at: TIME, model: string(), key_name: string(), held_usd: USD })),
})

export const showWallet = route(
  'GET wallet',
  { policy: 'member', summary: 'The balance, and what is held for which requests', output: WALLET },
  async (viewer, deps) => {
    const { account, person } = viewer
    const { spending, people, keys } = deps.store
    const { lowBalance } = await people.preferences(person.id)
    const open = await openRequests(viewer, spending)
    const names = await keyNames(keys, open)
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
  },
)

async function openRequests(viewer: Viewer, spending: ConsoleDependencies['store']['spending']): Promise<UsageRow[]> {
  const { role, account } = viewer
  if (role === 'owner') return await spending.openRequests(account.id, MOST_OPEN)
  const own = { ...scopeOf(viewer), outcome: 'running' }
  return (await spending.requests(account.id, own, MOST_OPEN)).rows.toReversed()
}

const ENTRY = fields({
  kind: word('credit', 'debit', 'usage'),
  at: TIME,
  reason: string(),
  amount_usd: USD,
  requests: number(),
  balance_after_usd: USD,
})

export const listHistory = route(
  'GET wallet/history',
  {
    policy: 'owner',
    summary: 'Credits, debits and charges by day, the newest first',
    query: fields({ before: optional(WRITTEN_TIME) }),
    output: pageOf(ENTRY),
  },
  async ({ account, query }, { store }) => {
    const before = query.before === undefined ? undefined : parseIsoTime(query.before)
    const { entries, next } = await store.spending.history(account.id, PAGE, before)
    return { items: entries.map(entryJson), next: next === undefined ? null : new Date(next).toISOString() }
  },
)

const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

export const listStatements = route(
  'GET wallet/statements',
  {
    policy: 'owner',
    summary: 'Lists the months with entries, the newest first',
    output: listOf(fields({ month: string(), credited_usd: USD, spent_usd: USD })),
  },
  async ({ account }, { store }) =>
    (await store.spending.months(account.id)).map(({ at, credited, spent }) => ({
      month: monthOf(at),
      credited_usd: formatUsd(credited),
      spent_usd: formatUsd(spent),
    })),
)

export const downloadStatement = route(
  'GET wallet/statements/{month}',
  { policy: 'owner', summary: 'The statement of a month, such as 2026-01.csv, as a file', output: 'csv' },
  (call, deps) => {
    const month = call.parameters.month.replace(/\.csv$/, '')
    return csvResponse(call, `statement-${month}`, statementLines(call.account, month, deps), deps)
  },
)

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

export const redeem = route(
  'POST wallet/redeem',
  {
    policy: 'owner',
    summary: 'Turns a redemption code into credit',
    body: REDEMPTION,
    example: { code: 'ABCD-EFGH-JKLM-NPQR' },
    output: fields({ amount_usd: USD, balance_usd: USD }),
  },
  redeemCode,
)
