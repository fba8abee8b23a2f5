// The statement of a month (UTC), with what an invoice says: of an account, for its holders and for operators.
import { formatUsd, type Nanos } from '../../money/amount.ts'
import { fields, textLike } from '../../request/schema/schema.ts'
import type { Spending, WalletEntry } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { ACCOUNT } from '../inputs/schemas.ts'
import { operation } from '../operation.ts'
import { STATEMENT } from '../resources/accounts.ts'

/** Those that cost less are one line without a name. */
const MOST_MODELS = 1_000

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
    summary: 'Shows the statement of a month, such as 2026-01: balances, entries, and charges by model',
    output: STATEMENT,
  },
  input: fields({ account: ACCOUNT, month: textLike(isMonth, 'be a month such as 2026-01') }),
  async run(context, { account: named, month }) {
    const { spending, members } = context.storage
    const { id: account, name } = await findAccount(context, named)
    const range = rangeOf(month)
    const entries = await monthEntries(spending, account, month)
    const { rows, all } = await spending.totals(account, range, 'month', 'model', MOST_MODELS)
    const people = await members.list(account)
    const opening = await openingOf(spending, account, entries, range.from)
    const shown = { requests: sum(rows, 'requests'), tokens: sum(rows, 'tokens'), cost: sumOf(rows.map(costOf)) }
    const rest = {
      requests: all.requests - shown.requests,
      tokens: all.tokens - shown.tokens,
      cost: all.cost - shown.cost,
    }
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
      is_complete: context.storage.now() >= range.to,
      currency: 'USD',
      opening_balance_usd: formatUsd(opening),
      credited_usd: formatUsd(amounts('credit')),
      debited_usd: formatUsd(-amounts('debit')),
      charged_usd: formatUsd(-amounts('usage')),
      closing_balance_usd: formatUsd(entries[0]?.balanceAfter ?? opening),
      requests: all.requests,
      models: [...rows.map((row) => modelJson(row.name, row)), ...(rest.requests > 0 ? [modelJson(null, rest)] : [])],
      entries: entries.map(entryJson).reverse(),
    }
  },
})

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
const costOf = ({ cost }: Sums): Nanos => cost
const sum = (rows: readonly Sums[], field: 'requests' | 'tokens'): number =>
  rows.reduce((total, row) => total + row[field], 0)
const sumOf = (amounts: readonly Nanos[]): Nanos => amounts.reduce((total, amount) => total + amount, 0n)
const modelJson = (model: string | null, { requests, tokens, cost }: Sums) => ({
  model,
  requests,
  tokens,
  charged_usd: formatUsd(cost),
})
