// Wallet: the balance, what is held and for which requests, the history with its running balance, monthly statements, and redemption codes.

import { type CsvLine, csvResponse } from '../../http-api/files/file-response.ts'
import { badRequest } from '../../http-api/rejection.ts'
import { formatUsd } from '../../money/amount.ts'
import { balancesJson, capJson } from '../../money/json.ts'
import { redeemCode } from '../../operate/codes.ts'
import { REDEMPTION } from '../../operate/inputs/schemas.ts'
import { entryJson, isMonth, PART_COLUMNS, STATEMENT_PARTS, statementOf } from '../../operate/reports/statement.ts'
import { CAP_SHOWN, STATEMENT_FIELDS } from '../../operate/resources/accounts.ts'
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
  textLike,
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

export const showStatement = route(
  'GET wallet/statement',
  {
    policy: 'owner',
    summary: 'The statement of a month: balances, entries, and charges by model, key, member and day',
    query: fields({ month: optional(textLike(isMonth, 'be a month such as 2026-01')) }),
    output: STATEMENT_FIELDS,
  },
  ({ account, query }, { store, clock }) => statementOf(account, query.month ?? monthOf(clock()), store),
)

export const downloadStatement = route(
  'GET wallet/statements/{month}',
  {
    policy: 'owner',
    summary: 'The statement of a month as a file, such as 2026-01.csv; 2026-01-models.csv has the charges by model',
    output: 'csv',
  },
  (call, deps) => {
    const name = call.parameters.month.replace(/\.csv$/, '')
    return csvResponse(call, `statement-${name}`, statementLines(call.account, name, deps), deps)
  },
)

/** A part of the statement of a month as an accountant reads it; the entries unless another one is named. */
async function* statementLines(
  account: Account,
  name: string,
  deps: ConsoleDependencies,
): AsyncGenerator<CsvLine[], void> {
  const [, month = '', named = 'entries'] = /^(\d{4}-\d\d)(?:-([a-z]+))?$/.exec(name) ?? []
  const part = STATEMENT_PARTS.find((each) => each === named)
  if (!isMonth(month) || !part) throw badRequest('month', 'The month must be written as 2026-01.')
  const rows: readonly Readonly<Record<string, unknown>>[] = (await statementOf(account, month, deps.store))[part]
  const columns = PART_COLUMNS[part]
  yield [[...columns], ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))]
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
