// The operator's commands without a process for each: asked directly at the running server's door (SQLite only).
import { askServer } from '../../../packages/gateway/src/cli/control.ts'
import { readUsage } from '../../../packages/gateway/src/cli/usage-pages.ts'
import { formatUsd } from '../../../packages/gateway/src/money/amount.ts'
import type { Gateway } from './gateway.ts'

export type Row = {
  request_id: string
  model: string
  ending: string
  cost_usd: string
  held_usd: string
  shortfall_usd: string
  receipt: { units: Record<string, number>; counted?: string; finish?: string; warnings?: string[] } | null
}

export type Account = { balance_usd: string; held_usd: string }

export async function ask<T>(gateway: Gateway, operation: string, values: Record<string, string> = {}): Promise<T> {
  const answer = await askServer(gateway.home.dataDir, operation, values)
  if (!answer) throw new Error('the gateway is not there')
  return answer.result as T
}

let accounts = 0

/** An account with a key; without the processes that the command line takes. */
export async function quickKey(gateway: Gateway, credit = '10', more: Record<string, string> = {}) {
  const email = `quick-${++accounts}@example.com`
  await ask(gateway, 'account create', { email, credit })
  const { secret, id } = await ask<{ secret: string; id: string }>(gateway, 'key create', {
    ...{ account: email, name: 'test', ...more },
  })
  const rows = () => readUsage((page) => ask<Row[]>(gateway, 'usage', page), { account: email, limit: '0' })
  const account = () => ask<Account>(gateway, 'account show', { account: email })
  return { secret, email, keyId: id, rows, account, settled: () => settled(rows) }
}

/** The rows once nothing of the account is running any more. */
async function settled(rows: () => Promise<Row[]>): Promise<Row[]> {
  for (;;) {
    const found = await rows()
    if (found.length > 0 && found.every(({ ending }) => ending !== 'running')) return found
    await Bun.sleep(20)
  }
}

export async function audit(gateway: Gateway): Promise<{ ok: boolean; open_holds: number }> {
  return await ask(gateway, 'audit')
}

/** USD of so many tokens at the tests' prices: 1 and 4 USD per million. */
export function cost(input: number, output: number): string {
  return formatUsd(BigInt(input) * 1_000n + BigInt(output) * 4_000n)
}
