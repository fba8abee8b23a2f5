// Compares what clients received with the ledger: no request is missing or listed twice, every cost matches its usage.
import { formatUsd, parseUsd } from '../packages/gateway/src/money/amount.ts'
import type { Row } from '../test/support/gateway/accounts.ts'
import type { Gateway } from '../test/support/gateway/gateway.ts'
import type { CallResult, Tokens } from './client.ts'
import { type Findings, openFindings } from './scenario.ts'
import { accountOf, auditOf, rowsOf, type Wallet } from './setup.ts'

/** Everything that was sent in one wallet's name. */
export type WalletCalls = { wallet: Wallet; seen: CallResult[] }

/** USD per million tokens. */
export type Price = { input: bigint; output: bigint }
export const PRICE: Price = { input: 1n, output: 4n }

export const nanos = (usd: string): bigint => parseUsd(usd) ?? 0n

export const costOf = ({ input, output }: Tokens, price = PRICE): bigint =>
  BigInt(input) * price.input * 1_000n + BigInt(output) * price.output * 1_000n

/** `rows` may be the newest ones only, if they include the first of `seen`. */
export function compareRows({ wallet, seen }: WalletCalls, rows: readonly Row[], found: Findings, price = PRICE): void {
  const byId = new Map<string, Row>()
  for (const row of rows) {
    found.must(!byId.has(row.request_id), `${row.request_id} is in the ledger twice`)
    byId.set(row.request_id, row)
  }
  for (const { status, requestId, complete, usage, dialect, streamed } of seen) {
    if (status !== 200 || requestId === undefined) continue
    const row = byId.get(requestId)
    const what = `${requestId} (${dialect}, ${streamed ? 'streamed' : 'unstreamed'}) of ${wallet.email}`
    found.must(row !== undefined, `${what}: ${complete ? 'completed' : 'started'}, but not in the ledger`)
    if (!row || !complete) continue
    if (usage === undefined) found.add(`${what}: completed without usage`)
    else {
      const booked = nanos(row.cost_usd) + nanos(row.shortfall_usd)
      const due = costOf(usage, price)
      found.must(booked === due, `${what}: booked ${formatUsd(booked)}, its usage implies ${formatUsd(due)}`)
    }
    found.must(
      row.outcome !== 'reaped' && row.outcome !== 'running',
      `${what}: completed, but in the ledger as ${row.outcome}`,
    )
  }
}

/** Compares a wallet's rows with its balance, and checks that no request is running. */
export async function compareWallet(
  gateway: Gateway,
  sent: WalletCalls,
  found: Findings,
  price = PRICE,
): Promise<Row[]> {
  const { wallet, seen } = sent
  const rows = await rowsOf(gateway, wallet)
  compareRows(sent, rows, found, price)
  found.must(rows.length <= seen.length, `${wallet.email}: ${rows.length} rows for ${seen.length} requests`)
  const running = rows.filter(({ outcome }) => outcome === 'running').length
  found.must(running === 0, `${wallet.email}: ${running} requests are still running`)
  const account = await accountOf(gateway, wallet)
  const spent = rows.reduce((sum, row) => sum + nanos(row.cost_usd), 0n)
  const left = nanos(wallet.credit) - spent
  found.must(
    nanos(account.balance_usd) === left,
    `${wallet.email}: ${account.balance_usd} left, its rows say ${formatUsd(left)}`,
  )
  found.must(left >= 0n, `${wallet.email} is below zero: ${formatUsd(left)}`)
  found.must(nanos(account.held_usd) === 0n, `${wallet.email}: ${account.held_usd} still held`)
  return rows
}

export async function checkAudit(gateway: Gateway, found: Findings, quiet: boolean): Promise<void> {
  const audit = await auditOf(gateway)
  found.must(audit.ok, () => `audit: ${JSON.stringify(audit)}`)
  if (quiet) found.must(audit.open_holds === 0, `audit: ${audit.open_holds} holds are open`)
}

/** All of it, once nothing runs any more. */
export async function checkAll(gateway: Gateway, all: readonly WalletCalls[]): Promise<Findings> {
  const found = openFindings()
  for (const sent of all) await compareWallet(gateway, sent, found)
  await checkAudit(gateway, found, true)
  return found
}
