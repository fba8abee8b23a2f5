// The operator's commands: beside a running server and without one, on both engines.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { runHere } from '../../packages/gateway/test-support/run-command.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import {
  type CommandOutput,
  createDatabase,
  type Engine,
  type Home,
  newHome,
  runCommand,
} from '../../test/support/gateway/home.ts'

const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }

/** On PostgreSQL a command never contacts a server, so running without one is the same. */
const PLACES: { engine: Engine; beside: boolean; where: string }[] = [
  { engine: 'sqlite', beside: true, where: 'beside a server on SQLite' },
  { engine: 'sqlite', beside: false, where: 'without a server on SQLite' },
  { engine: 'postgres', beside: true, where: 'on PostgreSQL' },
]

describe.each(PLACES)('$where', ({ engine, beside }) => {
  let home: Home
  let gateway: Gateway | undefined
  beforeAll(async () => {
    home = await newHome(engine)
    if (beside) gateway = await startGateway({ home })
    else await createDatabase(home)
  })
  afterAll(async () => {
    await gateway?.stop()
    rmSync(home.dataDir, { recursive: true, force: true })
  })

  const runInProcess = (...args: string[]) => runHere(args, home.dataDir, home.databaseUrl)
  // How results and errors are printed is seen on processes in one of the three cases; the others differ from it only in the store.
  const asProcess = engine === 'sqlite' && beside
  const run = (...args: string[]) => (asProcess ? runCommand(home, args) : runInProcess(...args))
  async function ask<T = unknown>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await runInProcess(...args, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout) as T
  }

  test('settings of a file are stored, and printed as a file', async () => {
    const file = join(home.dataDir, 'settings.yaml')
    writeFileSync(file, 'console: { name: Our gateway }')
    const stored = { entries: ['settings/console.name'], shadowed: [] }
    expect(await ask('config', 'import', file, '--dry-run')).toMatchObject({
      object: 'dry_run',
      action: 'config import',
    })
    expect(await ask('config', 'import', file)).toMatchObject({ ...stored, revision: 1 })
    expect(await ask('config', 'export')).toMatchObject({ file: expect.stringContaining('name: Our gateway\n') })
  })

  test('an account, its credit and its key', async () => {
    const created = await ask<{ id: string }>('account', 'create', '--email', 'Ada@Example.com')
    expect(created).toMatchObject({ email: 'ada@example.com', balance_usd: '10.00', held_usd: '0.00' })
    expect(created.id).toMatch(/^\d+$/)
    expect(created).toMatchObject({ credit_usd: '10.00', credit_is_trial: true })
    expect(created).toMatchObject(await ask<object>('account', 'show', '--account', 'ada@example.com'))
    expect(await ask('account', 'create', '--email', 'none@example.com', '--credit', '0')).toMatchObject({
      balance_usd: '0.00',
    })
    const credited = await ask(
      'account',
      'credit',
      '--account',
      'ada@example.com',
      '--amount',
      '0.000000001',
      '--reason',
      'a gift',
    )
    expect(credited).toMatchObject({ balance_usd: '10.000000001', held_usd: '0.00' })
    const key = await ask<{ id: string; secret: string }>(
      ...[
        'key',
        'create',
        '--account',
        'ada@example.com',
        '--name',
        'laptop',
        '--cap',
        '2.5',
        '--expires',
        '2100-01-01',
      ],
    )
    expect(key).toMatchObject({
      name: 'laptop',
      group: 'default',
      cap_usd: '2.50',
      expires_at: '2100-01-01T00:00:00.000Z',
    })
    expect(key.secret).toMatch(/^sk-[A-Za-z0-9_-]{22,}$/)
    const { secret, ...shown } = key
    expect(await ask('key', 'list', '--account', 'ada@example.com')).toEqual([shown])
    if (gateway) expect((await chat(gateway.url, secret, HELLO)).status).toBe(200)
    const usage = await ask<object[]>('usage', '--account', 'ada@example.com', '--limit', '0')
    expect(usage).toHaveLength(gateway ? 1 : 0)
    if (gateway) {
      expect(usage[0]).toMatchObject({
        model: 'sandbox-text',
        outcome: 'completed',
        request_id: expect.any(String),
        cost_usd: expect.stringMatching(/^0\.\d+$/),
      })
    }
    expect(await ask('key', 'delete', key.id)).toMatchObject({ id: key.id, state: 'deleted' })
    expect(await ask('audit')).toMatchObject({ ok: true, open_holds: 0 })
  })

  test('without --json the same is readable, one fact per line', async () => {
    await ask('account', 'create', '--email', 'readable@example.com', '--credit', '3')
    const { code, stdout } = await run('account', 'show', '--account', 'readable@example.com')
    expect(code).toBe(0)
    expect(stdout).toContain('email: readable@example.com\nbalance_usd: 3.00\n')
    expect((await run('key', 'list', '--account', 'readable@example.com')).stdout).toBe('(none)\n')
  })

  test('an error is one line of JSON on stderr, exit code 1 or 2, and nothing on stdout', async () => {
    const mistakes: [code: number, says: string, ...args: string[]][] = [
      [1, 'no account has the email address nobody@x.com', 'account', 'show', '--account', 'nobody@x.com'],
      [1, 'already exists', 'account', 'create', '--email', 'ada@example.com'],
      [1, 'unknown key id 987654321', 'key', 'revoke', '987654321'],
      [2, "not '1e3'", 'account', 'credit', '--account', 'ada@example.com', '--amount', '1e3'],
      [2, '--account is required', 'usage'],
    ]
    for (const [exit, says, ...args] of mistakes) {
      const { code, stdout, stderr } = await run(...args, '--json')
      expect({ code, stdout }).toEqual({ code: exit, stdout: '' })
      expect(stderr).toMatch(/^[^\n]+\n$/)
      expect(JSON.parse(stderr).error).toEqual({ message: expect.stringContaining(says), exit_code: exit })
    }
  })
})

test('without a server ten concurrent commands wait for each other, and all succeed', async () => {
  const home = await newHome('sqlite')
  await createDatabase(home)
  await runCommand(home, ['account', 'create', '--email', 'many@example.com', '--credit', '0'])
  const credit = ['account', 'credit', '--account', 'many@example.com', '--amount', '1']
  const all = await Promise.all(Array.from({ length: 10 }, () => runCommand(home, credit)))
  expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(all.map(() => ({ code: 0, stderr: '' })))
  const { stdout } = await runCommand(home, ['account', 'show', '--account', 'many@example.com', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ balance_usd: '10.00' })
  rmSync(home.dataDir, { recursive: true, force: true })
})

test('a server that starts while a command uses the folder waits for it', async () => {
  const home = await newHome('sqlite')
  const command = await openSqlite(home.dataDir)
  setTimeout(() => command.close(), 700)
  const gateway = await startGateway({ home })
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
  await gateway.stop()
})

test('commands during the start and the stop of a server run once each, and the server starts', async () => {
  const home = await newHome('sqlite', 'server: { drain: 0s }\n')
  await createDatabase(home)
  await runCommand(home, ['account', 'create', '--email', 'a@b.c', '--credit', '0'])
  const answers: Promise<CommandOutput>[] = []
  const credit = () => answers.push(runCommand(home, ['account', 'credit', '--account', 'a@b.c', '--amount', '1']))
  const few = async () => {
    for (let count = 0; count < 4; count += 1) {
      credit()
      await Bun.sleep(100)
    }
  }
  const during = few()
  const gateway = await startGateway({ home })
  await during
  gateway.signal('SIGTERM')
  await Bun.sleep(400)
  const stopping = few()
  gateway.signal('SIGTERM')
  expect(await gateway.exited).toBe(0)
  await stopping
  const ended = await Promise.all(answers)
  expect(ended.filter(({ code }) => code !== 0)).toEqual([])
  const { stdout } = await runCommand(home, ['account', 'show', '--account', 'a@b.c', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ balance_usd: `${ended.length}.00` })
  rmSync(home.dataDir, { recursive: true, force: true })
})

describe('without a database', () => {
  const STORE_COMMANDS = [
    'account create --email ada@example.com --credit 5',
    'account list',
    'account credit --account ada@example.com --amount 5',
    'key create --account ada@example.com --name laptop',
    'code create --amount 5',
    'usage --account ada@example.com',
    'audit',
    'doctor',
  ]
  const LOCAL_COMMANDS = ['config check', 'prices diff', 'help', 'upstream list', 'upstream test sandbox']
  let parent: string
  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'trivium-test-'))
  })
  afterAll(() => rmSync(parent, { recursive: true, force: true }))
  const homeIn = (dataDir: string): Home => ({ dataDir, configFile: '', databaseUrl: undefined })

  test.each(STORE_COMMANDS)('%s names the folder, exits 1 and creates nothing', async (command) => {
    const missing = join(parent, 'missing')
    const empty = join(parent, 'empty')
    mkdirSync(empty, { recursive: true })
    const check = async (dataDir: string) => {
      const { code, stdout, stderr } = await runCommand(homeIn(dataDir), command.split(' '))
      expect(code).toBe(1)
      expect(stdout + stderr).toMatch(new RegExp(`${dataDir}\\b.*TRIVIUM_DATA`, 's'))
    }
    await Promise.all([missing, empty].map(check))
    expect([readdirSync(parent), readdirSync(empty)]).toEqual([['empty'], []])
  })

  test.each(LOCAL_COMMANDS)('%s works, and creates nothing', async (command) => {
    const dataDir = join(parent, 'missing')
    const { code, stderr } = await runCommand(homeIn(dataDir), command.split(' '))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(existsSync(dataDir)).toBe(false)
  })

  test('an empty PostgreSQL database stays empty', async () => {
    const home = await newHome('postgres')
    const { code, stderr } = await runCommand(home, ['account', 'create', '--email', 'ada@example.com'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('has no tables of Trivium') })
    const sql = new SQL(home.databaseUrl ?? '')
    expect(await sql`SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = current_schema()`).toEqual([
      { tables: 0 },
    ])
    await sql.close()
    rmSync(home.dataDir, { recursive: true, force: true })
  })
})

describe('commands without a server', () => {
  let home: Home
  beforeAll(async () => {
    home = await newHome('sqlite')
    await createDatabase(home)
  })
  afterAll(() => rmSync(home.dataDir, { recursive: true, force: true }))

  test('config check names every mistake with its line, and an unpriced model', async () => {
    writeFileSync(
      home.configFile,
      'server:\n  limits: { bdy: 1 }\n  drain: soon\nmodels:\n  - { id: x, routes: [] }\ntypo: 1\n',
    )
    const bad = await runCommand(home, ['config', 'check'])
    expect({ code: bad.code, stdout: bad.stdout }).toEqual({ code: 1, stdout: '' })
    const lines = bad.stderr.trimEnd().split('\n')
    expect(lines.map((line) => line.slice(home.configFile.length).split(':')[1])).toEqual(['2', '3', '5', '6'])
    expect(lines.every((line) => line.startsWith(home.configFile))).toBe(true)

    writeFileSync(
      home.configFile,
      'models:\n  - { id: free-lunch, routes: [{ upstream: sandbox, model: sandbox-text }] }\n',
    )
    const unpriced = await runCommand(home, ['config', 'check', '--json'])
    expect(unpriced.code).toBe(0)
    expect(JSON.parse(unpriced.stdout).warnings.join()).toContain('free-lunch has no price')
    expect((await runCommand(home, ['doctor', '--json'])).stdout).toContain('free-lunch has no price')
    const gateway = await startGateway({ home: { ...home } })
    expect(gateway.output().stderr).toContain('free-lunch has no price')
    await gateway.kill()
    writeFileSync(home.configFile, '')
  })

  test.each(['upstream list', 'doctor'])('%s', async (command) => {
    const { code, stdout, stderr } = await runCommand(home, [...command.split(' '), '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(() => JSON.parse(stdout)).not.toThrow()
    expect((await runCommand(home, command.split(' '))).stdout.length).toBeGreaterThan(0)
  })

  test.each([
    [
      'of a later version',
      'upgrade.md',
      async ({ dataDir }: Home) => {
        const db = new Database(join(dataDir, 'ledger.db'))
        db.run('INSERT INTO schema_version (version, oldest_program, applied_at) VALUES (999, 999, 0)')
        db.close()
        return {}
      },
    ],
    [
      'that is not there yet',
      'start the server once',
      async ({ dataDir }: Home) => {
        rmSync(join(dataDir, 'ledger.db'))
        return {}
      },
    ],
    [
      'that does not respond',
      'check that the database runs',
      async () => ({
        DATABASE_URL: 'postgres://u@127.0.0.1:1/x',
        TRIVIUM_SECRET: 'long enough to be one',
      }),
    ],
  ] as const)('doctor says what to do about a database %s', async (_, advice, prepare) => {
    const own = await newHome('sqlite')
    await createDatabase(own)
    const { code, stdout } = await runCommand(own, ['doctor', '--json'], await prepare(own))
    const { checks } = JSON.parse(stdout) as { checks: { check: string; advice: string | null }[] }
    expect([code, checks.find(({ check }) => check === 'database')?.advice]).toEqual([
      1,
      expect.stringContaining(advice),
    ])
    rmSync(own.dataDir, { recursive: true, force: true })
  })

  test('a password is read from the command line or from standard input, and is validated', async () => {
    const create = (email: string, args: string[], stdin = '') =>
      runCommand(home, ['account', 'create', '--email', email, ...args], {}, stdin)
    expect((await create('one@example.com', ['--password-stdin'], 'correct horse\n')).code).toBe(0)
    expect(await create('two@example.com', ['--password-stdin'], 'short\n')).toMatchObject({ code: 2, stdout: '' })
    expect(await create('two@example.com', ['--password', 'correct horse', '--password-stdin'])).toMatchObject({
      code: 2,
    })
  })

  test('a long list arrives complete in a slowly read pipe', async () => {
    const child = Bun.spawn(
      [
        process.execPath,
        '-e',
        `import { printResult } from './packages/gateway/src/cli/output.ts'; await printResult(Array.from({ length: 50_000 }, (_, id) => ({ id })), true); process.exit(0)`,
      ],
      { cwd: `${import.meta.dir}/../..`, stdout: 'pipe' },
    )
    await Bun.sleep(300)
    expect(JSON.parse(await child.stdout.text())).toHaveLength(50_000)
  })
})
