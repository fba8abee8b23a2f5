// The commands that limit accounts, on a real database, and what they print.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, runHere } from '../../test-support/run-command.ts'

let dataDir = ''
const command = (args: readonly string[]) => runHere(args, dataDir)

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'trivium-cli-'))
  await createDatabase(dataDir)
  await command(['account', 'create', '--email', 'ada@example.com'])
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const limit = (...more: string[]) => ['account', 'limit', '--account', 'ada@example.com', ...more]

test('the limits of an account are set and removed one by one', async () => {
  for (const [options, limits] of [
    [['--rpm', '60', '--concurrent', '4'], { rpm: 60, tpm: null, concurrent: 4 }],
    [['--tpm', '9000'], { rpm: 60, tpm: 9000, concurrent: 4 }],
    [['--rpm', 'none', '--tpm', 'none', '--concurrent', 'none'], { rpm: null, tpm: null, concurrent: null }],
    [['--cap', '50', '--cap-period', 'month'], { cap_usd: '50.00', cap_period: 'month', cap_left_usd: '50.00' }],
    [['--cap', 'none'], { cap_usd: null, cap_period: null, cap_left_usd: null }],
  ] as const) {
    expect(JSON.parse((await command([...limit(...options), '--json'])).stdout)).toMatchObject(limits)
    const { stdout } = await command(['account', 'show', '--account', 'ada@example.com', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ ...limits, spent_today_usd: '0.00', spent_this_month_usd: '0.00' })
  }
})

test('the credit line of an account', async () => {
  const line = (amount: string) =>
    command(['account', 'credit-line', '--account', 'ada@example.com', '--amount', amount, '--json'])
  expect(JSON.parse((await line('500')).stdout)).toMatchObject({ credit_line_usd: '500.00', available_usd: '510.00' })
  expect(JSON.parse((await line('unlimited')).stdout)).toMatchObject({
    balance_usd: '10.00',
    credit_line_usd: 'unlimited',
    available_usd: 'unlimited',
  })
  for (const wrong of ['-1', 'none', 'x']) expect((await line(wrong)).code).toBe(2)
  expect(JSON.parse((await line('0')).stdout)).toMatchObject({ credit_line_usd: '0.00', available_usd: '10.00' })
})
