// Folders, databases and ports that prevent a start: each is reported in one line, with exit code 1.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { type CommandOutput, createDatabase, type Home, newHome, runCommand } from '../../test/support/gateway/home.ts'
import { startPostgres } from '../../test/support/postgres/postgres.ts'

const FIXTURES = join(import.meta.dir, '../../packages/gateway/fixtures')
const TLS = `server: { tls: { cert: ${FIXTURES}/localhost.cert.pem, key: ${FIXTURES}/localhost.key.pem } }\n`

/** A state that prevents a start. `says`: what the line must contain. */
type StartError = {
  name: string
  says: string | RegExp
  prepare?: (home: Home) => void | Promise<void>
  config?: string
  env?: (home: Home) => Record<string, string> | Promise<Record<string, string>>
  /** Commands without a server report the same. */
  alsoCommands?: boolean
}

const inFile = (home: Home, sql: string) => {
  const db = new Database(join(home.dataDir, 'ledger.db'))
  db.run(sql)
  db.close()
}
/** For cases of PostgreSQL: a folder of SQLite is a case of its own. */
const withoutSqlite = ({ dataDir }: Home) => {
  for (const name of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm']) rmSync(join(dataDir, name), { force: true })
}
const portOf = (url: string) => new URL(url).port

describe('a server that cannot start says why in one line and exits 1', () => {
  let template: Home
  let running: Gateway
  let runningWithTls: Gateway
  let databaseUrl = ''
  const results = new Map<string, CommandOutput[]>()

  const START_ERRORS: StartError[] = [
    {
      name: 'garbage instead of the database',
      says: 'ledger.db: the database cannot be opened',
      alsoCommands: true,
      prepare: ({ dataDir }) =>
        writeFileSync(join(dataDir, 'ledger.db'), crypto.getRandomValues(new Uint8Array(5_000))),
    },
    {
      name: 'a truncated database',
      says: 'ledger.db: the database cannot be opened',
      prepare: ({ dataDir }) => truncateSync(join(dataDir, 'ledger.db'), 20_000),
    },
    {
      name: 'an emptied database',
      says: 'is empty although the folder has been used before',
      alsoCommands: true,
      prepare: ({ dataDir }) => truncateSync(join(dataDir, 'ledger.db'), 0),
    },
    {
      name: 'a lost database',
      says: 'is empty although the folder has been used before',
      prepare: ({ dataDir }) => rmSync(join(dataDir, 'ledger.db')),
    },
    {
      name: 'a database of another program',
      says: 'it is not a Trivium database',
      prepare: (home) => {
        rmSync(join(home.dataDir, 'ledger.db'))
        inFile(home, 'CREATE TABLE recipes (name text)')
      },
    },
    {
      name: 'a folder instead of the database',
      says: 'ledger.db: the database cannot be opened',
      prepare: ({ dataDir }) => {
        rmSync(join(dataDir, 'ledger.db'))
        mkdirSync(join(dataDir, 'ledger.db'))
      },
    },
    {
      name: 'a store of a later version',
      says: /the database is at version 999, this program knows \d+/,
      alsoCommands: true,
      prepare: (home) =>
        inFile(home, 'INSERT INTO schema_version (version, oldest_program, applied_at) VALUES (999, 999, 0)'),
    },
    {
      name: 'a store from before the first release',
      says: /the data folder .* holds data from before the first release, which is not upgraded/,
      alsoCommands: true,
      prepare: (home) => inFile(home, 'DROP TABLE schema_version'),
    },
    {
      name: 'a damaged lock',
      says: 'owner.lock cannot be locked',
      prepare: ({ dataDir }) => writeFileSync(join(dataDir, 'owner.lock'), 'x'.repeat(5_000)),
    },
    {
      name: 'a file instead of the journal',
      says: '/journal: a file of that name exists where a folder is needed',
      prepare: ({ dataDir }) => writeFileSync(join(dataDir, 'journal'), ''),
    },
    { name: 'a lost secret', says: '/secret is missing', prepare: ({ dataDir }) => rmSync(join(dataDir, 'secret')) },
    {
      name: 'another secret',
      says: '/secret does not match the secret that this store was created with',
      prepare: ({ dataDir }) => writeFileSync(join(dataDir, 'secret'), 'f'.repeat(64)),
    },
    {
      name: 'half a secret',
      says: '/secret is damaged',
      prepare: ({ dataDir }) => writeFileSync(join(dataDir, 'secret'), 'f'),
    },
    {
      name: 'another secret in the environment',
      says: 'TRIVIUM_SECRET does not match the secret',
      alsoCommands: true,
      env: () => ({ TRIVIUM_SECRET: 'not what it was set up with' }),
    },
    {
      name: 'a file instead of the data folder',
      says: 'cannot use the data folder',
      alsoCommands: true,
      env: ({ configFile }) => ({ TRIVIUM_DATA: configFile }),
    },
    {
      name: 'a data folder below a file',
      says: 'a part of the path is not a folder',
      env: ({ configFile }) => ({ TRIVIUM_DATA: join(configFile, 'data') }),
    },
    {
      name: 'a folder that another server has',
      says: 'one process owns a data folder',
      env: () => ({ TRIVIUM_DATA: running.home.dataDir }),
    },
    { name: 'a taken port', says: 'set PORT to a free one', env: () => ({ PORT: portOf(running.url) }) },
    { name: 'an address of another machine', says: 'set HOST to one', env: () => ({ HOST: '203.0.113.7' }) },
    {
      name: 'a taken port, with TLS',
      says: 'set PORT to a free one',
      config: TLS,
      env: () => ({ PORT: portOf(running.url) }),
    },
    {
      name: 'a port taken by a server with TLS, with TLS',
      says: 'set PORT to a free one',
      config: TLS,
      env: () => ({ PORT: portOf(runningWithTls.url) }),
    },
    { name: 'more workers than there can be', says: 'TRIVIUM_WORKERS', env: () => ({ TRIVIUM_WORKERS: '2' }) },
    {
      name: 'no such configuration file',
      says: 'TRIVIUM_CONFIG: /nowhere/trivium.yaml is not a file',
      env: () => ({ TRIVIUM_CONFIG: '/nowhere/trivium.yaml' }),
    },
    {
      name: 'no database at the address',
      prepare: withoutSqlite,
      says: /cannot use the database 127\.0\.0\.1:1\/x of DATABASE_URL/,
      alsoCommands: true,
      env: () => ({ DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x', TRIVIUM_SECRET: 'long enough to be one' }),
    },
    {
      name: 'a wrong password for the database',
      prepare: withoutSqlite,
      says: 'password authentication failed',
      env: () => ({
        DATABASE_URL: databaseUrl.replace(/:[^:@]+@/, ':hunter2@'),
        TRIVIUM_SECRET: 'long enough to be one',
      }),
    },
    {
      name: 'a database that does not exist',
      prepare: withoutSqlite,
      says: 'does not exist',
      env: () => ({ DATABASE_URL: databaseUrl.replace(/[^/]+$/, 'nowhere'), TRIVIUM_SECRET: 'long enough to be one' }),
    },
    {
      name: 'a database beside a used folder of SQLite',
      says: /DATABASE_URL is set, but \S+ledger\.db has the data of this gateway.*npx trivium migrate.*, unset DATABASE_URL to go on with SQLite/,
      env: () => ({ DATABASE_URL: databaseUrl, TRIVIUM_SECRET: 'long enough to be one' }),
    },
    {
      name: 'a database without a secret',
      says: 'TRIVIUM_SECRET or TRIVIUM_SECRET_FILE must be set',
      env: () => ({ DATABASE_URL: databaseUrl }),
    },
    {
      name: 'another secret for a database',
      prepare: withoutSqlite,
      says: 'TRIVIUM_SECRET does not match the secret',
      alsoCommands: true,
      env: () => ({ DATABASE_URL: databaseUrl, TRIVIUM_SECRET: 'not what it was set up with' }),
    },
  ]

  async function attempt({ name, prepare, env, config = '', alsoCommands }: StartError): Promise<void> {
    const dataDir = mkdtempSync(join(tmpdir(), 'trivium-test-'))
    cpSync(template.dataDir, dataDir, { recursive: true })
    const home: Home = { dataDir, configFile: join(dataDir, 'trivium.yaml'), databaseUrl: undefined }
    writeFileSync(home.configFile, config)
    await prepare?.(home)
    const extra = await env?.(home)
    const answers = [await runCommand(home, ['serve'], extra)]
    if (alsoCommands) answers.push(await runCommand(home, ['account', 'show', '--account', 'a@b.c', '--json'], extra))
    results.set(name, answers)
    rmSync(dataDir, { recursive: true, force: true })
  }

  beforeAll(async () => {
    template = await newHome('sqlite')
    ;[running, runningWithTls, databaseUrl] = await Promise.all([
      startGateway(),
      startGateway({ config: TLS }),
      startPostgres().then((server) => server.freshDatabase()),
      createDatabase(template),
    ])
    await createDatabase({ ...template, databaseUrl })
    const queue = [...START_ERRORS]
    await Promise.all(
      [1, 2, 3].map(async () => {
        for (let next = queue.shift(); next; next = queue.shift()) await attempt(next)
      }),
    )
  })
  afterAll(async () => {
    await running.stop()
    await runningWithTls.stop()
    rmSync(template.dataDir, { recursive: true, force: true })
  })

  test.each(START_ERRORS)('$name', ({ name, says }) => {
    const answers = results.get(name) ?? []
    expect(answers.length).toBeGreaterThan(0)
    for (const { code, stdout, stderr } of answers) {
      expect(stderr).toMatch(/^[^\n]+\n$/)
      expect(stderr).toMatch(says)
      expect(stderr).not.toContain('hunter2')
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    }
  })

  test('the servers that use the folder and the port keep serving', async () => {
    expect((await fetch(`${running.url}/ready`)).status).toBe(200)
    expect((await fetch(`${runningWithTls.url}/ready`, { tls: { rejectUnauthorized: false } })).status).toBe(200)
  })
})
