// Every command and every mistake in it, on a real store, without a process for each: `run` as the program calls it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, runHere } from '../../test-support/run-command.ts'
import { hashCode } from '../access/secrets/new-secrets.ts'
import { SANDBOX_MODELS } from '../config/sandbox.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'

let dataDir = ''
const command = (args: readonly string[]) => runHere(args, dataDir)

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'trivium-cli-'))
  await createDatabase(dataDir)
  await command(['account', 'create', '--email', 'ada@example.com'])
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const credit = (amount: string) => ['account', 'credit', '--account', 'ada@example.com', '--amount', amount]
const create = (...more: string[]) => ['account', 'create', '--email', 'new@example.com', ...more]
const adminKey = (role: string, ...more: string[]) => ['admin-key', 'create', '--name', 'n', '--role', role, ...more]
const key = (...more: string[]) => ['key', 'create', '--account', 'ada@example.com', '--name', 'n', ...more]
const code = (amount: string, ...more: string[]) => ['code', 'create', '--amount', amount, ...more]
const limit = (...more: string[]) => ['account', 'limit', '--account', 'ada@example.com', ...more]
const NO_AMOUNTS = [
  '1e3',
  '0x10',
  'NaN',
  'Infinity',
  '0.0000000001',
  '1,5',
  '1_000',
  '',
  ' ',
  '+1',
  '.5',
  '5.',
  '1.2.3',
  '٣',
  '9'.repeat(13),
]

/** What --json prints on standard error: one line, and nothing on standard output. */
function errorOf({ stdout, stderr }: { stdout: string; stderr: string }): { message: string; exit_code: number } {
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^[^\n]+\n$/)
  return JSON.parse(stderr).error
}

describe('an error is one line on stderr; exit code 2 for a wrong command line, else 1', () => {
  /** `code`: 2 unless it is written. */
  const mistakes: { args: string[]; says: string | RegExp; code?: number }[] = [
    ...NO_AMOUNTS.map((amount) => ({ args: credit(amount), says: /--amount (must be an amount|is required)/ })),
    ...NO_AMOUNTS.map((amount) => ({ args: create('--credit', amount), says: '--credit must be an amount' })),
    { args: credit('0'), says: '--amount must not be zero' },
    { args: credit('-10.000000001'), says: 'has less than 10.000000001 USD available', code: 1 },
    { args: credit('1000000000.01'), says: '--amount must be an amount' },
    { args: create('--credit', '-1'), says: '--credit must not be negative' },
    { args: create('--password', 'short'), says: 'at least 8 characters' },
    { args: ['account', 'create', '--email', 'no address'], says: '--email must be an email address' },
    {
      args: ['person', 'role', '--email', 'ada@example.com', '--role', 'king'],
      says: "--role must be one of owner, admin, finance, support, viewer, or 'none', not 'king'",
    },
    {
      args: ['account', 'member', '--account', 'ada@example.com', '--email', 'ada', '--role', 'member'],
      says: "--email must be an email address such as ada@example.com, not 'ada'",
    },
    { args: ['account', 'create'], says: 'set at least one of --email, --name' },
    { args: ['account', 'create', '--email', 'ADA@example.com'], says: 'already exists', code: 1 },
    {
      args: ['account', 'show', '--account', 'nobody@example.com'],
      says: 'no account has the email address nobody@example.com',
      code: 1,
    },
    {
      args: ['account', 'disable', '--account', 'nobody@example.com'],
      says: 'no account has the email address',
      code: 1,
    },
    { args: ['account', 'sign-in-link', '--account', 'nobody@example.com'], says: 'no person has', code: 1 },
    { args: ['account', 'forget-responses', '--account', 'nobody@example.com'], says: 'no account has', code: 1 },
    {
      args: ['account', 'remove-second-factor', '--account', 'ada@example.com'],
      says: 'the account ada@example.com has no two-factor authentication',
      code: 1,
    },
    { args: ['account', 'show'], says: '--account is required' },
    { args: ['account', 'show', 'ada@example.com', '--account', 'x'], says: 'takes no positional arguments' },
    { args: ['account'], says: "'account' requires a subcommand: create, list, show" },
    { args: ['account', 'crate'], says: "unknown command 'account crate'; subcommands of account: create, list" },
    { args: ['acount', 'list'], says: "unknown command 'acount list'; did you mean 'account list'?" },
    { args: ['sevre'], says: "did you mean 'serve'?" },
    { args: ['toString'], says: "unknown command 'toString'" },
    { args: ['--verbose'], says: "unknown command '--verbose'" },
    { args: ['help', 'nonsense'], says: "unknown command 'nonsense'" },
    { args: ['config', 'check', 'a', 'b'], says: "'config check' takes FILE, not 'a b'" },
    { args: ['key', 'create', '--account', 'ada@example.com'], says: '--name is required' },
    { args: adminKey('emperor'), says: "--role must be one of owner, admin, finance, support, viewer, not 'emperor'" },
    { args: adminKey('viewer', '--ips', '10.0.0.0/33'), says: '--ips: ' },
    { args: adminKey('viewer', '--expires', '2001-01-31'), says: '--expires must be in the future' },
    { args: ['admin-key', 'delete', '987'], says: 'unknown admin key id 987', code: 1 },
    { args: key('--group', 'nope'), says: "unknown group 'nope' (available: default, sandbox)", code: 1 },
    ...['0', '-1'].map((cap) => ({ args: key('--cap', cap), says: '--cap must be more than zero' })),
    { args: key('--cap', '1e3'), says: '--cap must be an amount' },
    ...[
      'tomorrow',
      '2027-02-31',
      '2027-13-01',
      '2027-01-01T25:00',
      '2027-01-01 10:00',
      '1798797600',
      '2027-01-01T10:00:00Zjunk',
    ].map((time) => ({ args: key('--expires', time), says: '--expires must be a time such as' })),
    ...['2020-01-01', '2026-01-01T00:00:00+14:00', '1969-12-31T23:59:59Z'].map((time) => ({
      args: key('--expires', time),
      says: /^--expires must be in the future: \S+Z has passed \(it is \S+Z now\)$/m,
    })),
    ...['0', '-1', '1.5', '1e3', 'many', '', '1000000001', 'none'].flatMap((number) =>
      ['rpm', 'tpm', 'concurrent'].map((name) => ({
        args: key(`--${name}=${number}`),
        says: `--${name} must be a whole number from 1 to 1000000000, not '${number}'`,
      })),
    ),
    {
      args: key('--cap', '1', '--cap-period', 'year'),
      says: "--cap-period must be one of day, week, month, not 'year'",
    },
    { args: key('--cap-period', 'day'), says: '--cap-period requires --cap' },
    {
      args: key('--models', 'sandbox-text,nope,neither'),
      says: `unknown models: nope, neither (available in group 'default': ${SANDBOX_MODELS.join(', ')})`,
      code: 1,
    },
    ...['', 'sandbox-text,', ' , '].map((list) => ({ args: key(`--models=${list}`), says: '--models must be a list' })),
    {
      args: key('--ips', '10.0.0.0/8,localhost,10.0.0.0/33,10.0.0.1/8'),
      says: /"localhost" is not an address.*"10.0.0.0\/33" needs a length.*write 10.0.0.0\/8/,
    },
    { args: key('--ips='), says: '--ips must be a list' },
    { args: limit(), says: 'set at least one of --cap, --cap-period, --rpm, --tpm, --concurrent' },
    {
      args: ['key', 'limit', '1'],
      says: 'set at least one of --cap, --cap-period, --expires, --models, --ips, --tags, --tags-locked, --rpm, --tpm, --concurrent',
    },
    { args: ['key', 'limit', '--rpm', '1'], says: "'key limit' requires ID: the key's id" },
    { args: ['key', 'limit', '1', '--group', 'default'], says: 'unknown option --group' },
    ...['', 'x', '-1', '1.5', '999999999', '9'.repeat(30)].map((id) => ({
      args: ['key', 'limit', id, '--rpm', '1'],
      says: 'unknown key id',
      code: 1,
    })),
    { args: limit('--rpm', 'off'), says: "or 'none', not 'off'" },
    { args: ['account', 'limit', '--rpm', '1'], says: '--account is required' },
    {
      args: ['account', 'limit', '--account', 'nobody@example.com', '--rpm', '1'],
      says: 'no account has the email address',
      code: 1,
    },
    ...['', 'x', '-1', '1.5', '999999999', '9'.repeat(30)].map((id) => ({
      args: ['key', 'delete', id],
      says: 'unknown key id',
      code: 1,
    })),
    { args: ['code', 'create'], says: '--amount is required' },
    ...['0', '-5'].map((amount) => ({ args: code(amount), says: '--amount must be more than zero' })),
    { args: code('x'), says: '--amount must be an amount in USD' },
    ...['0', '-1', '1.5', 'x', '10001'].map((count) => ({
      args: code('5', '--count', count),
      says: '--count must be a whole number from 1 to 10000',
    })),
    { args: code('5', '--expires', '2020-01-01'), says: '--expires must be in the future' },
    { args: code('5', '--expires', 'soon'), says: '--expires must be a time' },
    { args: ['key', 'delete'], says: 'requires ID: ' },
    { args: ['key', 'delete', '1', '2'], says: "takes ID, not '1 2'" },
    ...['-1', 'x', '1.5', '1e3'].map((limit) => ({
      args: ['usage', '--account', 'ada@example.com', '--limit', limit],
      says: '--limit must be a whole number',
    })),
    { args: ['usage', '--account', 'ada@example.com', '--since', 'x'], says: 'unknown option --since' },
    ...['-1', 'x', '65536', '0x10', ''].map((port) => ({
      args: ['sandbox', '--port', port],
      says: '--port must be a number',
    })),
    { args: ['prices', 'diff', 'gpt-x'], says: "'prices diff' takes no positional arguments, not 'gpt-x'" },
    { args: ['upstream', 'test', 'sandbux'], says: "unknown upstream 'sandbux'; did you mean sandbox?", code: 1 },
    { args: ['upstream', 'test', 'main'], says: "unknown upstream 'main'; available: sandbox", code: 1 },
    { args: ['upstream', 'test'], says: "'upstream test' requires ID: " },
  ]
  test.each(mistakes)('$args', async ({ args, says, code = 2 }) => {
    const ended = await command([...args, '--json'])
    const { message, exit_code } = errorOf(ended)
    expect(message).toMatch(says)
    expect([ended.code, exit_code]).toEqual([code, code])
  })

  test('without --json the line is the message alone', async () => {
    const stderr = 'unknown key id 987\n'
    expect(await command(['key', 'delete', '987'])).toEqual({ code: 1, stdout: '', stderr })
    // The former name of the command.
    expect(await command(['key', 'revoke', '987'])).toEqual({ code: 1, stdout: '', stderr })
    expect(await command(['key', 'delete'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/ID.*\n$/) })
  })
})

test('a rejected command changes nothing', async () => {
  const { stdout } = await command(['account', 'show', '--account', 'ada@example.com', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ balance_usd: '10.00', held_usd: '0.00' })
  expect((await command(['account', 'show', '--account', 'new@example.com'])).code).toBe(1)
  expect((await command(['key', 'list', '--account', 'ada@example.com', '--json'])).stdout).toBe('[]\n')
})

test.each([
  { expires: '2127-01-31', at: '2127-01-31T00:00:00.000Z' },
  { expires: '2127-01-31T12:30', at: '2127-01-31T12:30:00.000Z' },
  { expires: '2127-01-31T12:30:05', at: '2127-01-31T12:30:05.000Z' },
  { expires: '2127-01-31T12:30:05.25Z', at: '2127-01-31T12:30:05.250Z' },
  { expires: '2127-01-31T12:30:05+02:00', at: '2127-01-31T10:30:05.000Z' },
  { expires: '2128-02-29', at: '2128-02-29T00:00:00.000Z' },
])('--expires $expires means $at, in any time zone of the server', async ({ expires, at }) => {
  const { stdout } = await command([...key('--expires', expires), '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ expires_at: at })
})

test('credit is added and removed exactly, to one nano-dollar', async () => {
  for (const [amount, balance] of [
    ['1000000000', '1000000010.00'],
    ['-1000000000', '10.00'],
    ['-10', '0.00'],
    ['10', '10.00'],
  ] as const) {
    const { stdout } = await command([...credit(amount), '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ balance_usd: balance })
  }
  expect(JSON.parse((await command(['audit', '--json'])).stdout)).toMatchObject({ ok: true })
})

test('the restrictions of a key are stored, and shown with its usage', async () => {
  const options = ['--cap', '2.50', '--cap-period', 'week', '--models', 'sandbox-text', '--ips', '10.0.0.0/8, ::1']
  const { stdout } = await command([...key(...options, '--rpm', '60', '--tpm', '1000', '--concurrent', '3'), '--json'])
  const kept = {
    cap_usd: '2.50',
    cap_period: 'week',
    models: ['sandbox-text'],
    ips: ['10.0.0.0/8', '::1'],
    rpm: 60,
    tpm: 1000,
    concurrent: 3,
    spent_under_cap_usd: '0.00',
    spent_today_usd: '0.00',
    spent_this_month_usd: '0.00',
  }
  const created = JSON.parse(stdout) as { id: string }
  expect(created).toMatchObject(kept)
  const list = ['key', 'list', '--account', 'ada@example.com']
  const listed = JSON.parse((await command([...list, '--json'])).stdout) as { id: string }[]
  expect(listed.find(({ id }) => id === created.id)).toMatchObject(kept)
  const [titles = '', ...rows] = (await command(list)).stdout.trimEnd().split('\n')
  expect(titles).toMatch(/^ *ID +NAME +GROUP +STATE +SPENT USD +CAP USD +PER +RPM +TPM +CONCURRENT +MODELS +IPS +/)
  const row = rows.find((each) => each.trimStart().startsWith(`${created.id} `)) ?? ''
  expect(row).toMatch(
    / n +default +active +0\.00 +2\.50 +week +60 +1000 +3 +sandbox-text +10\.0\.0\.0\/8,::1 +- +\d{4}-\d\d-\d\d \S+Z$/,
  )
})

test('account list shows every account, as JSON and as a table', async () => {
  const { stdout } = await command(['account', 'list', '--json'])
  const shown = await command(['account', 'show', '--account', 'ada@example.com', '--json'])
  expect(JSON.parse(stdout)).toEqual([JSON.parse(shown.stdout)])
  const [titles = '', row = '', ...more] = (await command(['account', 'list'])).stdout.split('\n')
  expect(titles).toBe('ID  NAME             BALANCE USD  HELD USD  SPENT THIS MONTH  STATE   CREATED')
  expect(row).toMatch(/^ 1 {2}ada@example\.com {8}10\.00 {6}0\.00 {14}0\.00 {2}active {2}\d{4}-\d\d-\d\d /)
  expect(more).toEqual([''])
})

const LIMITS_UNSET = { rpm: null, tpm: null, concurrent: null }
const NO_TERMS = { cap_usd: null, cap_period: null, expires_at: null, models: null, ips: null, ...LIMITS_UNSET }

describe('the terms of a key', () => {
  type Shown = { id: string }
  const made = async (...options: string[]) =>
    JSON.parse((await command([...key(...options), '--json'])).stdout) as Shown
  const change = (id: string, ...options: string[]) => command(['key', 'limit', id, ...options, '--json'])
  const listed = async (id: string) => {
    const { stdout } = await command(['key', 'list', '--account', 'ada@example.com', '--json'])
    return (JSON.parse(stdout) as Shown[]).find((each) => each.id === id)
  }

  test('are changed one by one, removed by none, and shown as in the list', async () => {
    const { id } = await made()
    const steps: { options: string[]; shows: object }[] = [
      { options: ['--cap', '2.50', '--cap-period', 'week'], shows: { cap_usd: '2.50', cap_period: 'week' } },
      { options: ['--cap', '3', '--rpm', '60'], shows: { cap_usd: '3.00', cap_period: 'week', rpm: 60 } },
      { options: ['--cap-period', 'day'], shows: { cap_usd: '3.00', cap_period: 'day', rpm: 60 } },
      { options: ['--cap-period', 'none'], shows: { cap_usd: '3.00', rpm: 60 } },
      { options: ['--cap-period', 'month', '--rpm', 'none'], shows: { cap_usd: '3.00', cap_period: 'month' } },
      { options: ['--cap', 'none', '--tpm', '1000'], shows: { tpm: 1000 } },
      {
        options: [
          '--expires',
          '2127-01-31',
          '--models',
          'sandbox-text',
          '--ips',
          '10.0.0.0/8, ::1',
          '--concurrent',
          '3',
        ],
        shows: {
          expires_at: '2127-01-31T00:00:00.000Z',
          models: ['sandbox-text'],
          ips: ['10.0.0.0/8', '::1'],
          tpm: 1000,
          concurrent: 3,
        },
      },
      {
        options: ['expires', 'models', 'ips', 'tpm', 'concurrent'].flatMap((name) => [`--${name}`, 'none']),
        shows: {},
      },
    ]
    for (const { options, shows } of steps) {
      const { code, stdout, stderr } = await change(id, ...options)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toMatchObject({ id, ...NO_TERMS, ...shows })
      expect(await listed(id)).toEqual(JSON.parse(stdout))
    }
    expect((await command(['key', 'limit', id, '--rpm', '7'])).stdout).toContain('rpm: 7\n')
  })

  const mistakes: { options: string[]; says: string | RegExp; code?: number }[] = [
    ...['0', '-1'].map((cap) => ({ options: ['--cap', cap], says: '--cap must be more than zero' })),
    { options: ['--cap', 'null'], says: '--cap must be an amount' },
    { options: ['--cap-period', 'day'], says: '--cap-period requires --cap' },
    { options: ['--cap', 'none', '--cap-period', 'day'], says: '--cap-period requires --cap' },
    { options: ['--cap', '1', '--cap-period', 'year'], says: '--cap-period must be one of day, week, month' },
    { options: ['--expires', '2020-01-01'], says: '--expires must be in the future' },
    { options: ['--expires', 'never'], says: '--expires must be a time such as' },
    { options: ['--models', 'nope'], says: 'unknown models: nope', code: 1 },
    { options: ['--models', 'sandbox-text,none'], says: 'unknown models: none', code: 1 },
    { options: ['--ips', 'localhost'], says: '"localhost" is not an address' },
    { options: ['--rpm', '0'], says: "or 'none', not '0'" },
  ]
  test.each(mistakes)('$options is one line on stderr, and changes nothing', async ({ options, says, code = 2 }) => {
    const { id } = await made('--concurrent', '2')
    const before = await listed(id)
    const ended = await change(id, '--concurrent', '5', ...options)
    expect(errorOf(ended).message).toMatch(says)
    expect(ended.code).toBe(code)
    expect(await listed(id)).toEqual(before)
  })

  test('of a deleted key cannot be changed', async () => {
    const { id } = await made()
    await command(['key', 'delete', id])
    const { code, stderr } = await change(id, '--rpm', '1')
    expect(code).toBe(1)
    expect(JSON.parse(stderr).error.message).toBe("the key 'n' is deleted. Create a new one")
    expect(await listed(id)).toMatchObject({ rpm: null, state: 'deleted' })
  })
})

test('codes are created, shown once, and worth their amount once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-codes-'))
  await createDatabase(folder)
  const { code: exit, stdout } = await runHere(
    code('20.5', '--count', '3', '--expires', '2090-01-31', '--json'),
    folder,
  )
  const created = JSON.parse(stdout) as { code: string; amount_usd: string; expires_at: string }[]
  expect([exit, new Set(created.map((each) => each.code)).size]).toEqual([0, 3])
  for (const each of created)
    expect(each).toEqual({
      code: expect.stringMatching(/^([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}$/),
      amount_usd: '20.50',
      expires_at: '2090-01-31T00:00:00.000Z',
    })
  const storage = await openSqlite(folder)
  try {
    const account = await storage.accounts.create('bob@example.com', 0n, -3n)
    const hash = hashCode(created[0]?.code.toLowerCase() ?? '') ?? new Uint8Array()
    const amount = 20_500_000_000n
    expect(await storage.codes.redeem(account?.id ?? 0n, hash)).toMatchObject({ amount })
    expect(await storage.codes.redeem(account?.id ?? 0n, hash)).toBe('used')
  } finally {
    await storage.close()
  }
  expect((await runHere(code('5'), folder)).stdout).toMatch(/^CODE +AMOUNT USD.*\n(\w{4}-){4}\w{4} /)
  rmSync(folder, { recursive: true, force: true })
})

test('a sign-in link without a server begins with the address that the server would listen on', async () => {
  const { code, stdout } = await command(['account', 'sign-in-link', '--account', 'ADA@example.com'])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^Give this link to the holder of ada@example.com .*:\n\n {2}http:\/\/127.0.0.1:3333\/console\/setup#[\w-]{43}\n$/,
  )
})
