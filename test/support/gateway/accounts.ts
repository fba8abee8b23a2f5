// Accounts and keys for tests, and what the ledger says about them.
import { formatUsd } from '../../../packages/gateway/src/money/amount.ts'
import { eventually } from '../eventually.ts'
import { type Operated, operate } from './operate.ts'

export type Row = {
  request_id: string
  model: string
  outcome: string
  cost_usd: string
  held_usd: string
  shortfall_usd: string
  receipt: { units: Record<string, number>; counted?: string; finish?: string; warnings?: string[] } | null
}

export type Account = { balance_usd: string; held_usd: string }

let accounts = 0

/** An account with a key. `more`: options of `key create`. */
export async function newKey(gateway: Operated, credit = '10', more: Record<string, string> = {}) {
  const email = `account-${++accounts}-${process.pid}@example.com`
  await operate(gateway, 'account create', { email, credit })
  const { secret, id } = await operate<{ secret: string; id: string }>(gateway, 'key create', {
    account: email,
    name: 'test',
    ...more,
  })
  const rows = () => operate<Row[]>(gateway, 'usage', { account: email, limit: '0' })
  const account = () => operate<Account>(gateway, 'account show', { account: email })
  return { secret, email, keyId: id, rows, account, settled: () => settled(rows) }
}

/**
 * The rows once nothing of the account is running any more. A request that was rejected before its hold has none: waiting for it
 * without end would run into the time limit of the test, at which the runner kills every process that the file has started.
 */
async function settled(rows: () => Promise<Row[]>): Promise<Row[]> {
  let found: Row[] = []
  await eventually(async () => {
    found = await rows()
    return found.length > 0 && found.every(({ outcome }) => outcome !== 'running')
  })
  return found
}

export async function audit(gateway: Operated): Promise<{ ok: boolean; open_holds: number }> {
  return await operate(gateway, 'audit')
}

/** USD of so many tokens at the tests' prices: 1 and 4 USD per million. */
export function cost(input: number, output: number): string {
  return formatUsd(BigInt(input) * 1_000n + BigInt(output) * 4_000n)
}
