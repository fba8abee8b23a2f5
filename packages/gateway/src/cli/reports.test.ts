// Reports, searches, imports, and the deletion of accounts as commands: their output, and every mistake in them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hold, newNode, settle, voided } from '../../contract/storage/harness.ts'
import { runHere } from '../../test-support/run-command.ts'
import { firstIdAt, formatRequestId } from '../money/request-ids.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { formatCsv, parseCsv } from './commands/reports/csv.ts'

let dataDir = ''
let secret = ''
const command = (...args: string[]) => runHere(args, dataDir)
const json = async (...args: string[]) => JSON.parse((await command(...args, '--json')).stdout)
const file = (text: string): string => {
  const path = join(dataDir, 'people.csv')
  writeFileSync(path, text)
  return path
}
const DAY = new Date().toISOString().slice(0, 10)
const NOW = Date.now()
const ID = firstIdAt(NOW) + 1n

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'trivium-reports-'))
  const storage = await openSqlite(dataDir)
  const account = await storage.accounts.create('ada@example.com', 5_000_000_000n, -3n)
  const node = await newNode(storage)
  await storage.close()
  secret = (await json('key', 'create', '--account', 'ada@example.com', '--name', 'a, "b"')).secret
  const again = await openSqlite(dataDir)
  const wallet = { account: account?.id ?? 0n, key: 1n, email: '' }
  const { nodeId, epoch } = await newNode(again, node.nodeId + 1)
  const of = { nodeId, epoch }
  await again.ledger.apply(hold(ID, wallet, of, { amount: 3_000n, minimum: 3_000n }))
  await again.ledger.apply(settle(ID, of, 2_000n, { tokens: 7, upstreamCost: 500n }))
  await again.ledger.apply(hold(ID + 1n, wallet, of))
  await again.ledger.apply(voided(ID + 1n, of))
  await again.close()
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

test('spending is shown as a table, as CSV and as JSON', async () => {
  const sums = {
    requests: 2,
    tokens: 7,
    charged_usd: '0.000002',
    upstream_cost_usd: '0.0000005',
    margin_usd: '0.0000015',
  }
  expect(await json('report', 'spend', '--by', 'account')).toMatchObject([
    { account_id: '1', account: 'ada@example.com', ...sums },
  ])
  expect(await json('report', 'spend', '--by', 'day', '--from', DAY)).toMatchObject([{ day: DAY, ...sums }])
  expect(await json('report', 'spend', '--by', 'model', '--to', DAY, '--from', '2020-01-01')).toEqual([])
  expect((await command('report', 'spend', '--by', 'upstream')).stdout).toMatch(/^UPSTREAM +REQUESTS.*\nmain /)
  expect((await command('report', 'spend', '--by', 'key', '--csv')).stdout).toMatch(
    /^key_id,key,account_id,account,requests,tokens,charged_usd,upstream_cost_usd,margin_usd,unknown_costs\n1,"a, ""b""",1,ada@example.com,2,7,0.000002,/,
  )
  expect((await command('report', 'spend', '--by', 'model', '--to', DAY, '--from', '2020-01-01', '--csv')).stdout).toBe(
    'model,requests,tokens,charged_usd,upstream_cost_usd,margin_usd,unknown_costs\n',
  )
})

test('failures, a request and a key are found', async () => {
  const last_request_id = formatRequestId(ID + 1n)
  const failed = { code: 'failed', outcome: 'failed', model: 'model-x', upstream: 'main', count: 1, last_request_id }
  expect(await json('report', 'failures')).toEqual([failed])
  expect(await json('request', 'show', last_request_id)).toMatchObject({
    account: 'ada@example.com',
    outcome: 'failed',
  })
  const key = { account: 'ada@example.com', id: '1', state: 'active' }
  expect(await json('key', 'find', secret)).toMatchObject([key])
  expect(await json('key', 'find', secret.slice(-4))).toMatchObject([key])
  expect(await json('key', 'find', `sk-${'x'.repeat(43)}`)).toEqual([])
})

test('requests, usage by groups, transfers and people are listed', async () => {
  const [last, first] = await json('request', 'list', '--model', 'model-x')
  expect([last.outcome, first.account_id]).toEqual(['failed', '1'])
  expect(await json('request', 'list', '--outcome', 'failed', '--limit', '1')).toEqual([last])
  const usage = ['report', 'usage', '--by', 'account,model']
  expect(await json(...usage)).toMatchObject([{ account: 'ada@example.com', model: 'model-x', requests: 2 }])
  expect((await command(...usage, '--csv')).stdout).toMatch(
    /^account_id,account,model,requests,tokens,charged_usd,upstream_cost_usd,margin_usd,unknown_costs\n1,ada@example.com,model-x,2,7,0.000002,/,
  )
  expect((await command('ledger', 'transfers')).stdout).toMatch(/charge +account\/1 +revenue +0.000002/)
  expect(await json('person', 'list')).toMatchObject([{ email: 'ada@example.com', role: null }])
  expect((await command('person', 'list')).stdout).toMatch(/ada@example.com +active +ada@example.com \(owner\)/)
  expect(await json('person', 'list', '--disabled')).toEqual([])
  for (const noun of ['task', 'node', 'job']) expect(await json(noun, 'list')).toEqual([])
  const { secret: next } = await json('key', 'rotate', '1', '--grace', '60')
  expect(await json('key', 'find', next)).toMatchObject([{ id: '1', account: 'ada@example.com' }])
  expect((await command('key', 'rotate', '1', '--grace', 'long')).stderr).toMatch(/^--grace must be a whole number/)
  const { id } = await json('account', 'create', '--name', 'shop')
  expect(await json('account', 'edit', '--account', 'shop', '--name', 'Shop 2')).toMatchObject({ id, name: 'Shop 2' })
})

test('times can be written from now on back, and keys listed without an account', async () => {
  for (const from of ['yesterday', 'today', '7d', '24h'])
    expect([from, (await json('report', 'spend', '--by', 'model', '--from', from)).length]).toEqual([from, 1])
  expect(await json('request', 'list', '--from', 'yesterday')).not.toEqual([])
  const keys = await json('key', 'list')
  expect(keys).toMatchObject([{ account: 'ada@example.com' }])
  expect((await command('key', 'list')).stdout).toMatch(/^ *ID +ACCOUNT +NAME/)
  expect((await command('key', 'list', '--account', '1')).stdout).toMatch(/^ *ID +NAME/)
})

test('a file is imported once', async () => {
  const path = file(
    '\ufeffEmail,Credit,Cap,Cap Period,RPM,Key,Group\r\nbob@example.com,2.5,50,month,60,laptop,\r\n\r\neve@example.com,,,,,,\r\n',
  )
  expect(await json('account', 'import', path, '--dry-run')).toMatchObject([{ result: 'would be created' }, {}])
  const [bob, eve] = await json('account', 'import', path)
  expect(bob).toMatchObject({ account: 'bob@example.com', result: 'created', secret: expect.stringMatching(/^sk-/) })
  expect(eve).toMatchObject({ result: 'created', secret: null })
  expect(await json('account', 'show', '--account', 'bob@example.com')).toMatchObject({
    balance_usd: '2.50',
    cap_usd: '50.00',
    cap_period: 'month',
    rpm: 60,
  })
  const before = await json('account', 'list')
  expect((await command('account', 'import', path)).stdout).toMatch(/bob@example.com +\d+ +exists/)
  expect(await json('account', 'list')).toEqual(before)
})

test('30 people with terms, a key, a team and a link each are one file, or one command each', async () => {
  await json('account', 'create', '--name', 'research')
  const path = file(
    'email,credit,credit_line,cap,cap_period,key,member_of,role\nkim@example.com,0,unlimited,50,month,laptop,research,owner\n',
  )
  const [kim] = await json('account', 'import', path, '--links')
  const { id } = kim
  const link = expect.stringContaining('/console/setup#')
  expect(kim).toMatchObject({ result: 'created', secret: expect.stringMatching(/^sk-/), sign_in_url: link })
  const own = { balance_usd: '0.00', credit_line_usd: 'unlimited', cap_usd: '50.00', cap_period: 'month' }
  expect(await json('account', 'show', '--account', 'kim@example.com')).toMatchObject({
    name: 'kim@example.com',
    ...own,
  })
  expect(await json('account', 'members', '--account', 'research')).toMatchObject({
    people: [{ email: 'kim@example.com', role: 'owner' }],
  })
  const again = await command('account', 'import', path, '--links', '--csv')
  expect(again.stdout).toBe(`account,id,result,secret,sign_in_url\nkim@example.com,${id},exists,,\n`)
  const terms = ['--credit', '0', '--credit-line', '7', '--cap', '50', '--rpm', '60', '--member-of', 'research']
  const lee = await json('account', 'create', '--email', 'lee@example.com', ...terms, '--key', 'laptop', '--link')
  const made = { key_id: expect.any(String), secret: expect.stringMatching(/^sk-/), sign_in_url: link }
  expect(await json('key', 'find', lee.secret)).toMatchObject([{ id: lee.key_id, account: 'lee@example.com' }])
  expect(lee).toMatchObject({ credit_line_usd: '7.00', cap_usd: '50.00', rpm: 60, ...made })
  expect(Object.keys(await json('account', 'create', '--name', 'bare'))).not.toContain('secret')
  // The table names accounts, and a person once.
  const { stdout } = await command('account', 'list')
  expect(stdout).toMatch(/^ *ID +NAME +EMAIL +BALANCE USD/)
  expect(stdout).toMatch(/ research +kim@example.com +/)
  expect(stdout).toMatch(/ kim@example.com +- +/)
  expect(await json('audit')).toMatchObject({ ok: true, deep: false })
  expect(await json('audit', '--deep')).toMatchObject({ ok: true, deep: true, sealed_months: 0, read_from: null })
})

test('codes of a batch are listed and revoked', async () => {
  const [one] = await json('code', 'create', '--amount', '3', '--count', '2', '--label', 'spring')
  expect(await json('code', 'list', '--label', 'spring')).toMatchObject([{ state: 'open' }, { state: 'open' }])
  expect(await json('code', 'revoke', one.code)).toEqual({ revoked: 1 })
  expect(await json('code', 'revoke', '--label', 'spring')).toEqual({ revoked: 1 })
  expect((await command('code', 'list')).stdout).toMatch(new RegExp(`spring +${one.code.slice(-4)} +3.00 +revoked`))
})

describe('a mistake is one line on stderr', () => {
  const spend = (...more: string[]) => ['report', 'spend', '--by', 'model', ...more]
  const load = (text: string) => () => ['account', 'import', file(text)]
  const credit = (...more: string[]) => ['account', 'credit', '--account', '1', '--id', 'x-1', ...more]
  /** `code`: 2 unless it is written. */
  const mistakes: { args: () => string[]; says: string; code?: number }[] = [
    { args: () => ['report', 'spend'], says: '--by is required' },
    {
      args: () => ['report', 'spend', '--by', 'colour'],
      says: '--by must be one of account, key, person, model, upstream, day, week, month, tag, end_user or tag:NAME',
    },
    { args: () => spend('--from', 'May'), says: "--from must be a time such as 2027-01-31T12:00:00Z, not 'May'" },
    { args: () => spend('--from', '2030-01-01T12:30:00Z'), says: '--from must be the beginning of an hour' },
    { args: () => spend('--from', '2030-01-02', '--to', '2030-01-02'), says: '--from must be before --to' },
    { args: () => ['request', 'show', 'nonsense'], says: 'must be the id of a request' },
    { args: () => ['request', 'show', 'req_0000000000000009'], says: 'no request with a receipt has the id', code: 1 },
    { args: () => ['report', 'usage', '--by', 'account,colour'], says: '--by must be one of' },
    { args: () => ['request', 'list', '--from', 'May'], says: '--from must be a time' },
    { args: () => ['request', 'list', '--from', '7w'], says: '--from must be a time' },
    { args: () => ['task', 'list', '--state', 'asleep'], says: '--state must be one of accepted' },
    { args: () => ['ledger', 'transfers', '--kind', 'gift'], says: '--kind must be one of credit' },
    { args: () => ['person', 'list', '--role', 'king'], says: '--role must be one of owner' },
    { args: () => ['task', 'show', 'req_0000000000000009'], says: 'req_0000000000000009', code: 1 },
    { args: () => ['person', 'show', '--email', 'nobody@example.com'], says: 'nobody@example.com', code: 1 },
    {
      args: () => ['account', 'create', '--name', 'x', '--credit-line', 'lots'],
      says: "--credit-line must be an amount in USD such as 500, or 'unlimited', not 'lots'",
    },
    { args: () => ['account', 'create', '--name', 'x', '--role', 'owner'], says: '--role requires --member-of' },
    { args: load('email,credit_line\nx@example.com,lots\n'), says: 'row 1: credit_line must be an amount' },
    { args: load('email,role\nx@example.com,owner\n'), says: 'row 1: role' },
    { args: load('email,member_of\nx@example.com,nowhere\n'), says: 'row 1: No account has the name nowhere' },
    { args: () => ['account', 'edit', '--account', '1'], says: 'set at least one of --name, --credit-line' },
    { args: () => ['key', 'find'], says: "'key find' requires SECRET: " },
    { args: () => ['key', 'find', 'abc'], says: 'must be a whole secret or its last four characters' },
    { args: () => ['code', 'revoke'], says: 'give either CODE or --label' },
    { args: () => ['code', 'revoke', 'nonsense'], says: 'this code does not exist', code: 1 },
    { args: () => ['account', 'delete', '--account', '1'], says: 'has a balance of 4.999998 USD', code: 1 },
    { args: () => ['account', 'import', '/nowhere/people.csv'], says: 'cannot read /nowhere/people.csv' },
    { args: load(''), says: 'must begin with a line of titles' },
    { args: load('email,colour\nx@example.com,red\n'), says: "not 'colour'" },
    { args: load('email\n'), says: 'has no accounts' },
    { args: load('email\nx@example.com,7\n'), says: 'line 2 has more cells than titles' },
    { args: load('email,credit\nx@example.com,ten\n'), says: 'row 1: credit must be an amount' },
    { args: load('email\n"x@example.com\n'), says: 'must begin with a line of titles' },
    { args: () => credit('--amount', '9'), says: "the credit 'x-1' exists with other terms: 1.00 USD", code: 1 },
  ]
  test.each(mistakes)('$says', async ({ args, says, code = 2 }) => {
    await command(...credit('--amount', '1'))
    await command(...credit('--amount', '-1').with(5, 'x-2'))
    const ended = await command(...args())
    expect([ended.code, ended.stdout]).toEqual([code, ''])
    expect(ended.stderr).toContain(says)
    expect(ended.stderr).toMatch(/^[^\n]+\n$/)
  })
})

test('cells with commas, quotes and lines are read as they were written; formulas are not', () => {
  const rows = [
    { a: 'x, "y"\nz', b: '-1.5' },
    { a: '=1+1', b: null },
  ]
  const text = formatCsv(rows, ['a', 'b'])
  expect(text).toBe('a,b\n"x, ""y""\nz",-1.5\n\'=1+1,\n')
  expect(parseCsv(text)?.map(({ line, cells }) => [line, ...cells])).toEqual([
    [1, 'a', 'b'],
    [2, 'x, "y"\nz', '-1.5'],
    [4, "'=1+1", ''],
  ])
  expect(parseCsv('"a"b,c')).toBeUndefined()
})
