// Versions of the stored data: created, upgraded, or rejected and left as they are.
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, freshSchema } from '../../../../test/support/postgres/schemas.ts'
import { thrownBy } from '../../contract/storage/harness.ts'
import { migrate } from './migrations/migrate-sqlite.ts'
import { MIGRATIONS, type Migration, programVersion, WrongSchema } from './migrations/migrations.ts'
import { openPostgres } from './postgres/open-postgres.ts'
import { openSqlite, SQLITE_FILE } from './sqlite/open-sqlite.ts'

/** Statements without their comments. */
const fingerprint = ({ ledger, contents, postgres }: Migration): number =>
  Bun.hash.crc32([ledger, contents, postgres].join('').replace(/--.*/g, '').replace(/\s+/g, ' '))

test('a version that was released never changes: a change of a table is one more migration', () => {
  const released = MIGRATIONS.filter(({ version }) => version < 4)
  expect(released.map((each) => [each.version, fingerprint(each)])).toEqual([
    [1, 3818721076],
    [2, 4136619225],
    [3, 4206459080],
  ])
})

test('versions are numbered without gaps, and no migration lets an older program in again', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1))
  for (const [index, { version, oldestProgram }] of MIGRATIONS.entries()) {
    expect(oldestProgram).toBeLessThanOrEqual(version)
    expect(oldestProgram).toBeGreaterThanOrEqual(MIGRATIONS[index - 1]?.oldestProgram ?? 1)
  }
})

/** The next versions, as they might be: the first can be used by programs of the version before, the second cannot. */
const NEXT: Migration = {
  version: programVersion() + 1,
  oldestProgram: programVersion(),
  ledger: `ALTER TABLE account ADD COLUMN nickname TEXT; CREATE TABLE badge (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
    INSERT INTO badge (name) SELECT name FROM account;`,
  contents: '',
  postgres: `ALTER TABLE account ADD COLUMN nickname text; CREATE TABLE badge (id bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL);
    INSERT INTO badge (name) SELECT name FROM account;`,
}
const AFTER_NEXT: Migration = {
  version: NEXT.version + 1,
  oldestProgram: NEXT.version + 1,
  ledger: 'CREATE INDEX badge_name ON badge (name)',
  contents: '',
  postgres: 'CREATE INDEX badge_name ON badge (name)',
}
const withMigrations = async <T>(more: readonly Migration[], work: () => Promise<T>): Promise<T> => {
  MIGRATIONS.push(...more)
  try {
    return await work()
  } finally {
    MIGRATIONS.length -= more.length
  }
}

/** What the versions before the first release had in place of a version. */
const OLD_TABLES = 'CREATE TABLE migration (id integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)'
const NOT_UPGRADED = 'holds data from before the first release, which is not upgraded'

describe('SQLite', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trivium-schema-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('a folder from before the first release is rejected by its name and stays as it is', async () => {
    const file = join(folder, SQLITE_FILE)
    const db = new Database(file, { create: true })
    db.run(`PRAGMA application_id = ${0x54524956}`)
    db.run(OLD_TABLES)
    db.close(true)
    const before = readFileSync(file)
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await thrownBy(openSqlite(folder))
      expect(String(error)).toContain(`the data folder ${folder} ${NOT_UPGRADED}`)
    }
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readdirSync(folder).filter((name) => name.startsWith('ledger'))).toEqual([SQLITE_FILE])
  })

  /** A database in memory with a row of its own. */
  function stored(): Database {
    const db = new Database(':memory:', { safeIntegers: true, strict: true })
    migrate(db, 'ledger.db', { id: 1, script: 'ledger', mayChange: true })
    db.run(`INSERT INTO account (name, created_at) VALUES ('ada', 1)`)
    return db
  }
  const open = (db: Database, mayChange = true) => migrate(db, 'ledger.db', { id: 1, script: 'ledger', mayChange })
  const badges = (db: Database) => db.query('SELECT name FROM badge').all()

  test('data of an earlier version is upgraded by a server, once, and by no command', async () => {
    const db = stored()
    await withMigrations([NEXT], async () => {
      expect(() => open(db, false)).toThrow('start the server of this version, which upgrades it')
      open(db)
      open(db)
      open(db, false)
    })
    expect(badges(db)).toEqual([{ name: 'ada' }])
  })

  test('an older program goes on with data that it may still use, and is told of others', async () => {
    const db = stored()
    await withMigrations([NEXT], async () => open(db))
    open(db)
    await withMigrations([NEXT, AFTER_NEXT], async () => open(db))
    const says = `the database is at version ${AFTER_NEXT.version}, this program knows ${programVersion()}`
    expect(() => open(db)).toThrow(says)
    await withMigrations([NEXT], async () => expect(() => open(db)).toThrow(`version ${AFTER_NEXT.version}`))
  })

  test('a migration that fails at any of its statements leaves the version before', async () => {
    const statements = NEXT.ledger.split(';').filter((each) => each.trim() !== '')
    for (let place = 0; place <= statements.length; place++) {
      const db = stored()
      const broken = statements.toSpliced(place, 0, 'SELECT no_such_function()').join(';')
      await withMigrations([{ ...NEXT, ledger: broken }], async () =>
        expect(() => open(db)).toThrow('no_such_function'),
      )
      await withMigrations([NEXT], async () => open(db))
      expect(badges(db)).toEqual([{ name: 'ada' }])
    }
  })
})

describe('PostgreSQL', () => {
  test('a database from before the first release is rejected by its name and stays as it is', async () => {
    const address = await freshSchema()
    await ask(address, OLD_TABLES)
    const error = await thrownBy(openPostgres(address))
    expect(error).toBeInstanceOf(WrongSchema)
    const name = new URL(address).pathname.slice(1)
    expect(String(error)).toContain(`the database ${name} ${NOT_UPGRADED}`)
    const tables = `select tablename from pg_tables where schemaname = current_schema()`
    expect(await ask(address, tables)).toEqual([{ tablename: 'migration' }])
  })

  async function stored(): Promise<string> {
    const address = await freshSchema()
    await (await openPostgres(address)).close()
    await ask(address, `insert into account (name, created_at) values ('ada', 1)`)
    return address
  }
  const open = async (address: string, mayCreate = true) => (await openPostgres(address, { mayCreate })).close()
  const badges = (address: string) => ask(address, 'select name from badge')

  test('three nodes of the next version upgrade at once, once, while a node of this one goes on', async () => {
    const address = await stored()
    const running = await openPostgres(address)
    await withMigrations([NEXT], async () => {
      expect(String(await thrownBy(open(address, false)))).toContain('start the server of this version')
      await Promise.all([1, 2, 3].map(() => open(address)))
    })
    expect(await badges(address)).toEqual([{ name: 'ada' }])
    await running.ping()
    await running.close()
    await open(address)
  })

  test('a program that may no longer use the data says so', async () => {
    const address = await stored()
    await withMigrations([NEXT, AFTER_NEXT], () => open(address))
    const error = await thrownBy(openPostgres(address))
    expect(error).toBeInstanceOf(WrongSchema)
    expect(String(error)).toContain(`version ${AFTER_NEXT.version}, this program knows ${programVersion()}`)
  })

  test('a migration that fails at any of its statements leaves the version before', async () => {
    const address = await stored()
    const statements = NEXT.postgres.split(';').filter((each) => each.trim() !== '')
    for (let place = 0; place <= statements.length; place++) {
      const broken = statements.toSpliced(place, 0, 'SELECT no_such_function()').join(';')
      await withMigrations([{ ...NEXT, postgres: broken }], async () =>
        expect(String(await thrownBy(open(address)))).toContain('no_such_function'),
      )
    }
    await withMigrations([NEXT], () => open(address))
    expect(await badges(address)).toEqual([{ name: 'ada' }])
  })

  test('a table that is locked for long delays an upgrade, and not the requests behind it', async () => {
    const address = await stored()
    const blocker = new Bun.SQL(address)
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = blocker.begin(async (sql) => {
      await sql`lock table account in access share mode`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    await withMigrations([NEXT], async () => {
      const upgrading = open(address)
      // Longer than the migration waits for its lock: a reader gets in between.
      for (let read = 0; read < 5; read++) expect(await ask(address, 'select name from account')).toHaveLength(1)
      release.resolve()
      await holding
      await upgrading
    })
    await blocker.close()
    expect(await badges(address)).toEqual([{ name: 'ada' }])
  })
})
