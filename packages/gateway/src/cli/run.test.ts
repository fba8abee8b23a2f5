// Every command and every mistake in it, on a real store, without a process for each: `run` as the program calls it.
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadFile, readEnvironment } from '../config.ts'
import { openSqlite } from '../storage/sqlite.ts'
import { run, type Setup } from './run.ts'

let dataDir = ''
const setup: Setup = {
  environment: () => readEnvironment({ TRIVIUM_DATA: dataDir, TRIVIUM_CONFIG: '' }).environment,
  config() {
    const { config } = loadFile(undefined, {})
    if (!config) throw new Error('the defaults are wrong')
    return config
  },
  openStorage: () => openSqlite(dataDir),
  serve: () => Promise.reject(new Error('not here')),
}

async function command(args: readonly string[]): Promise<{ code: number | undefined; stdout: string; stderr: string }> {
  const said = { stdout: '', stderr: '' }
  const out = spyOn(process.stdout, 'write').mockImplementation((text, ...rest: unknown[]) => {
    said.stdout += text
    for (const each of rest) if (typeof each === 'function') each()
    return true
  })
  const error = spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.stderr += text
    return true
  })
  try {
    return { code: await run(args, setup), ...said }
  } finally {
    out.mockRestore()
    error.mockRestore()
  }
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'trivium-cli-'))
  await command(['account', 'create', '--email', 'ada@example.com'])
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const credit = (amount: string) => ['account', 'credit', '--account', 'ada@example.com', '--amount', amount]
const create = (...more: string[]) => ['account', 'create', '--email', 'new@example.com', ...more]
const key = (...more: string[]) => ['key', 'create', '--account', 'ada@example.com', '--name', 'n', ...more]
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

describe('what cannot be done is one line on stderr, exit code 1', () => {
  const mistakes: { args: string[]; says: string | RegExp }[] = [
    ...NO_AMOUNTS.map((amount) => ({ args: credit(amount), says: /--amount (must be an amount|is required)/ })),
    ...NO_AMOUNTS.map((amount) => ({ args: create('--credit', amount), says: '--credit must be an amount' })),
    { args: credit('0'), says: '--amount must not be zero' },
    { args: credit('-10.000000001'), says: 'has less than 10.000000001 USD free' },
    { args: credit('1000000000.01'), says: '--amount must be an amount' },
    { args: create('--credit', '-1'), says: '--credit must not be negative' },
    { args: create('--password', 'short'), says: 'at least 8 characters' },
    { args: ['account', 'create', '--email', 'no address'], says: '--email must be an address' },
    { args: ['account', 'create'], says: '--email is required' },
    { args: ['account', 'create', '--email', 'ADA@example.com'], says: 'exists already' },
    {
      args: ['account', 'show', '--account', 'nobody@example.com'],
      says: 'no account with the address nobody@example.com',
    },
    { args: ['account', 'disable', '--account', 'nobody@example.com'], says: 'no account with the address' },
    { args: ['account', 'show'], says: '--account is required' },
    { args: ['account', 'show', 'ada@example.com', '--account', 'x'], says: 'takes no further words' },
    { args: ['account'], says: "unknown command 'account'" },
    { args: ['toString'], says: "unknown command 'toString'" },
    { args: ['--help'], says: 'there are: account create' },
    { args: ['key', 'create', '--account', 'ada@example.com'], says: '--name is required' },
    { args: key('--group', 'nope'), says: "there is no group 'nope'; there are: default, sandbox" },
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
    ].map((time) => ({ args: key('--expires', time), says: '--expires must be a time' })),
    ...['cap-period', 'models', 'ips', 'rpm', 'tpm', 'concurrent'].map((name) => ({
      args: key(`--${name}`, '1'),
      says: `--${name} comes with a later version`,
    })),
    ...['', 'x', '-1', '1.5', '999999999', '9'.repeat(30)].map((id) => ({
      args: ['key', 'revoke', id],
      says: 'there is no key with the id',
    })),
    { args: ['key', 'revoke'], says: 'takes ID, not nothing' },
    { args: ['key', 'revoke', '1', '2'], says: "takes ID, not '1 2'" },
    ...['-1', 'x', '1.5', '1e3'].map((limit) => ({
      args: ['usage', '--account', 'ada@example.com', '--limit', limit],
      says: '--limit must be a whole number',
    })),
    { args: ['usage', '--account', 'ada@example.com', '--since', 'x'], says: 'unknown option --since' },
    ...['-1', 'x', '65536', '0x10', ''].map((port) => ({
      args: ['sandbox', '--port', port],
      says: '--port must be a number',
    })),
    { args: ['prices', 'diff'], says: 'comes with a later version' },
    { args: ['upstream', 'test', 'main'], says: 'comes with a later version' },
    { args: ['backup', 'file'], says: 'backup comes with a later version' },
    { args: ['restore', 'file'], says: 'restore comes with a later version' },
  ]
  test.each(mistakes)('$args', async ({ args, says }) => {
    const { code, stdout, stderr } = await command([...args, '--json'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^[^\n]+\n$/)
    expect(stderr).toMatch(says)
  })
})

test('a refused command has changed nothing', async () => {
  const { stdout } = await command(['account', 'show', '--account', 'ada@example.com', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ balance_usd: '10.00', held_usd: '0.00' })
  expect((await command(['account', 'show', '--account', 'new@example.com'])).code).toBe(1)
  expect((await command(['key', 'list', '--account', 'ada@example.com', '--json'])).stdout).toBe('[]\n')
})

test.each([
  { expires: '2027-01-31', at: '2027-01-31T00:00:00.000Z' },
  { expires: '2027-01-31T12:30', at: '2027-01-31T12:30:00.000Z' },
  { expires: '2027-01-31T12:30:05', at: '2027-01-31T12:30:05.000Z' },
  { expires: '2027-01-31T12:30:05.25Z', at: '2027-01-31T12:30:05.250Z' },
  { expires: '2027-01-31T12:30:05+02:00', at: '2027-01-31T10:30:05.000Z' },
  { expires: '2028-02-29', at: '2028-02-29T00:00:00.000Z' },
])('--expires $expires means $at, wherever the server stands', async ({ expires, at }) => {
  const { stdout } = await command([...key('--expires', expires), '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ expires_at: at })
})

test('credit given and taken back, to the last nano-dollar', async () => {
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
