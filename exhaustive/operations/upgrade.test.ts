// Upgrades of the stored data by real processes: killed in the middle, repeated, and gone back from.
import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { MIGRATIONS, programVersion } from '../../packages/gateway/src/storage/migrations/migrations.ts'
import { newDataFolder } from '../../test/support/data-folder.ts'
import { eventually } from '../../test/support/eventually.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { chat, startGateway } from '../../test/support/gateway/gateway.ts'
import { environmentOf, type Home, newHome, runCommand } from '../../test/support/gateway/home.ts'
import { program } from '../../test/support/gateway/program.ts'
import { NEXT_VERSION } from '../../test/support/next-version.ts'
import { ask } from '../../test/support/postgres/schemas.ts'

const KNOWN = MIGRATIONS.map(({ version }) => version)

const work = newDataFolder('trivium-upgrades-')
afterAll(() => rmSync(work, { recursive: true }))

/** The same migration with a statement before its end that never ends. */
const ENDLESS = {
  ...NEXT_VERSION,
  ledger: `${NEXT_VERSION.ledger};
    CREATE TABLE endless AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) AS x FROM n;`,
  postgres: `${NEXT_VERSION.postgres}; SELECT pg_sleep(3600);`,
}

const DATABASES = {
  sqlite: {
    /** Nobody else can write while a migration runs. */
    async isMigrating({ dataDir }: Home) {
      const db = new Database(join(dataDir, 'ledger.db'))
      try {
        db.run('PRAGMA busy_timeout = 0')
        db.run('BEGIN IMMEDIATE')
        db.run('ROLLBACK')
        return false
      } catch {
        return true
      } finally {
        db.close()
      }
    },
    async afterKill(_: Home) {},
    async versions({ dataDir }: Home) {
      const db = new Database(join(dataDir, 'ledger.db'), { readonly: true })
      const rows = db.query('SELECT version FROM schema_version ORDER BY version').all() as { version: number }[]
      db.close()
      return rows.map(({ version }) => version)
    },
  },
  postgres: {
    async isMigrating({ databaseUrl = '' }: Home) {
      return (await ask(databaseUrl, SLEEPING)).length > 0
    },
    /** The server notices a dead client only when the statement ends; an operator would end it, too. */
    async afterKill({ databaseUrl = '' }: Home) {
      const sql = new SQL(databaseUrl, { max: 1 })
      for (const { pid } of await sql.unsafe(SLEEPING)) await sql`select pg_terminate_backend(${pid})`
      await sql.close()
    },
    async versions({ databaseUrl = '' }: Home) {
      return (await ask(databaseUrl, 'select version from schema_version order by version')).map((row) =>
        Number(row.version),
      )
    },
  },
} as const
const SLEEPING = `select pid from pg_stat_activity
  where datname = current_database() and wait_event = 'PgSleep' and pid <> pg_backend_pid()`

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  const database = DATABASES[engine]

  test('a server killed in the middle of a migration leaves the version before, and the next start upgrades', async () => {
    const first = await startGateway({ engine })
    const account = await newKey(first, '10')
    const body = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Say 2 words.' }] }
    expect((await chat(first.url, account.secret, body)).status).toBe(200)
    await first.kill()
    const { home } = first
    const file = join(work, `${engine}.tar`)
    expect((await runCommand(home, ['backup', file, '--without-secret'])).code).toBe(0)

    const child = Bun.spawn([process.execPath, await program(), 'serve'], {
      env: { ...environmentOf(home), TEST_SETTINGS: JSON.stringify({ migrations: [ENDLESS] }) },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    await eventually(() => database.isMigrating(home))
    child.kill('SIGKILL')
    await child.exited
    await database.afterKill(home)

    expect(await database.versions(home)).toEqual(KNOWN)
    const second = await startGateway({ home, migrations: [NEXT_VERSION] })
    expect(await database.versions(home)).toEqual([...KNOWN, NEXT_VERSION.version])
    expect(second.output().stderr).toMatch(/"data upgraded","from_version":\d+,"to_version":\d+,"took_ms":\d+/)
    expect((await chat(second.url, account.secret, body)).status).toBe(200)
    expect(await audit(second)).toMatchObject({ ok: true })

    // A command of this version copies no tables that it does not know.
    const older = await runCommand(home, ['backup', join(work, 'older.tar'), '--without-secret'])
    expect(older.code).toBe(1)
    expect(older.stderr).toContain(
      `is at version ${NEXT_VERSION.version}, this program has ${programVersion()}: use the program of the server`,
    )

    // Going back: the backup from before, in the version that made it.
    const secret = engine === 'sqlite' ? { TRIVIUM_SECRET: await Bun.file(join(home.dataDir, 'secret')).text() } : {}
    const back = await newHome(engine)
    expect((await runCommand(back, ['restore', file], secret)).code).toBe(0)
    const third = await startGateway({ home: back, env: secret })
    expect(await database.versions(back)).toEqual(KNOWN)
    expect((await chat(third.url, account.secret, body)).status).toBe(200)
    await third.kill()
    rmSync(back.dataDir, { recursive: true })
    await second.stop()
  })
})
