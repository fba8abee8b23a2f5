// The statement of a month (UTC), with what an invoice says: of an account, for its holders and for operators.
import { formatUsd, type Nanos } from '../../money/amount.ts'
import { parseRequestId } from '../../request/ids.ts'
import { fields, textLike } from '../../request/schema/schema.ts'
import type { Account, Member, Spending, SpendingTotals, Storage, WalletEntry } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { ACCOUNT } from '../inputs/schemas.ts'
import { operation } from '../operation.ts'
import { STATEMENT } from '../resources/accounts.ts'

/** Models and keys that cost less are one line without a name. */
const MOST_ROWS = 1_000

export const isMonth = (text: string): boolean => /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/.test(text)

function rangeOf(month: string): { from: number; to: number } {
  const begin = new Date(`${month}-01`)
  return { from: begin.getTime(), to: Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1) }
}

/** Newest first. */
export async function monthEntries(
  spending: Pick<Spending, 'entries'>,
  account: bigint,
  month: string,
): Promise<WalletEntry[]> {
  const { from, to } = rangeOf(month)
  return await spending.entries(account, from, to)
}

export const entryJson = ({ kind, at, reason, amount, requests, balanceAfter }: WalletEntry) => ({
  kind,
  at: isoTime(at),
  reason,
  amount_usd: formatUsd(amount),
  requests,
  balance_after_usd: formatUsd(balanceAfter),
})

export const showStatement = operation({
  name: 'report statement',
  permission: 'see',
  route: {
    at: 'GET accounts/{account}/statements/{month}',
    summary:
      'Shows the statement of a month, such as 2026-01: balances, entries, and charges by model, key, member and day',
    output: STATEMENT,
  },
  input: fields({ account: ACCOUNT, month: textLike(isMonth, 'be a month such as 2026-01') }),
  run: async (context, { account, month }) => statementOf(await findAccount(context, account), month, context.storage),
})

export async function statementOf(
  { id: account, name }: Pick<Account, 'id' | 'name'>,
  month: string,
  { spending, members, keys, now }: Pick<Storage, 'spending' | 'members' | 'keys' | 'now'>,
) {
  const range = rangeOf(month)
  const entries = await monthEntries(spending, account, month)
  const [models, byKey, people] = await Promise.all([
    spending.totals(account, range, 'month', 'model', MOST_ROWS),
    spending.totals(account, range, 'month', 'key', MOST_ROWS),
    members.list(account),
  ])
  const keyRows = await keysOf(byKey, account, keys, people)
  const opening = await openingOf(spending, account, entries, range.from)
  const amounts = (kind: WalletEntry['kind']) =>
    sumOf(entries.flatMap((entry) => (entry.kind === kind ? entry.amount : [])))
  return {
    id: `${account}/${month}`,
    account_id: String(account),
    account: name,
    owners: people.flatMap(({ role, email }) => (role === 'owner' ? email : [])),
    month,
    from: isoTime(range.from),
    to: isoTime(range.to),
    is_complete: now() >= range.to,
    currency: 'USD' as const,
    opening_balance_usd: formatUsd(opening),
    credited_usd: formatUsd(amounts('credit')),
    refunded_usd: formatUsd(sumOf(entries.flatMap((entry) => (isRefund(entry) ? entry.amount : [])))),
    debited_usd: formatUsd(-amounts('debit')),
    charged_usd: formatUsd(-amounts('usage')),
    closing_balance_usd: formatUsd(entries[0]?.balanceAfter ?? opening),
    requests: models.all.requests,
    models: withRest(models).map(({ name, ...sums }) => ({ model: name, ...sumsJson(sums) })),
    keys: keyRows.map(({ sums, ...key }) => ({ ...key, ...sumsJson(sums) })),
    members: byMember(keyRows).map(([member, sums]) => ({ member, ...sumsJson(sums) })),
    days: entries
      .filter(({ kind }) => kind === 'usage')
      .map(({ at, requests, amount }) => ({
        day: isoTime(at).slice(0, 10),
        requests,
        charged_usd: formatUsd(-amount),
      }))
      .reverse(),
    entries: entries.map(entryJson).reverse(),
  }
}

/** As `request refund` books them. */
const isRefund = ({ kind, reason }: WalletEntry): boolean =>
  kind === 'credit' && parseRequestId(/^refund of (\S+): /.exec(reason)?.[1] ?? '') !== undefined

/** What is beyond the rows has no name. */
function withRest({ rows, all }: SpendingTotals): (Sums & { name: string | null })[] {
  const [requests, tokens, cost] = [sum(rows, 'requests'), sum(rows, 'tokens'), sumOf(rows.map((row) => row.cost))]
  const rest = { requests: all.requests - requests, tokens: all.tokens - tokens, cost: all.cost - cost }
  return rest.requests > 0 || rest.cost !== 0n ? [...rows, { name: null, ...rest }] : rows
}

async function keysOf(totals: SpendingTotals, account: bigint, keys: Pick<Storage['keys'], 'list'>, people: Member[]) {
  const known = new Map((await keys.list(account)).map((key) => [String(key.id), key]))
  const emails = new Map(people.map(({ person, email }) => [person, email]))
  return withRest(totals).map(({ name: id, ...sums }) => {
    const key = known.get(id ?? '')
    const member = key?.person === undefined ? null : (emails.get(key.person) ?? null)
    return { key_id: id, key: key?.name ?? null, last_four: key?.lastFour ?? null, member, sums }
  })
}

/** Keys that operators made, and those of people who are no longer members, have no member. */
function byMember(rows: readonly { member: string | null; sums: Sums }[]): [string | null, Sums][] {
  const members = new Map<string | null, Sums>()
  for (const { member, sums } of rows) {
    const { requests, tokens, cost } = members.get(member) ?? { requests: 0, tokens: 0, cost: 0n }
    members.set(member, {
      requests: requests + sums.requests,
      tokens: tokens + sums.tokens,
      cost: cost + sums.cost,
    })
  }
  return [...members]
}

/** The balance before the oldest entry; without any, that after the last one before the month. */
async function openingOf(
  spending: Pick<Spending, 'history'>,
  account: bigint,
  entries: readonly WalletEntry[],
  from: number,
): Promise<Nanos> {
  const oldest = entries.at(-1)
  if (oldest) return oldest.balanceAfter - oldest.amount
  return (await spending.history(account, 1, from)).entries[0]?.balanceAfter ?? 0n
}

type Sums = { requests: number; tokens: number; cost: Nanos }
const sum = (rows: readonly Sums[], field: 'requests' | 'tokens'): number =>
  rows.reduce((total, row) => total + row[field], 0)
const sumOf = (amounts: readonly Nanos[]): Nanos => amounts.reduce((total, amount) => total + amount, 0n)
const sumsJson = ({ requests, tokens, cost }: Sums) => ({ requests, tokens, charged_usd: formatUsd(cost) })

export const STATEMENT_PARTS = ['entries', 'models', 'keys', 'members', 'days'] as const
export type StatementPart = (typeof STATEMENT_PARTS)[number]

/** The columns of a part, as its CSV has them. */
export const PART_COLUMNS: Readonly<Record<StatementPart, readonly string[]>> = {
  entries: ['at', 'kind', 'reason', 'requests', 'amount_usd', 'balance_after_usd'],
  models: ['model', 'requests', 'tokens', 'charged_usd'],
  keys: ['key_id', 'key', 'last_four', 'member', 'requests', 'tokens', 'charged_usd'],
  members: ['member', 'requests', 'tokens', 'charged_usd'],
  days: ['day', 'requests', 'charged_usd'],
}
