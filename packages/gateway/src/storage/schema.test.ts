// A store that another version wrote is neither used nor changed.
import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, freshSchema } from '../../../../test/support/postgres/schemas.ts'
import { thrownBy } from './contract/harness.ts'
import LEDGER_FUNCTIONS from './postgres/ledger.sql' with { type: 'text' }
import { openPostgres } from './postgres/open-postgres.ts'
import POSTGRES from './postgres/schema.sql' with { type: 'text' }
import { SCHEMA_VERSION, WrongSchema } from './schema-version.ts'
import CONTENTS from './sqlite/contents/schema.sql' with { type: 'text' }
import { openSqlite, SQLITE_FILE } from './sqlite/open-sqlite.ts'
import SQLITE from './sqlite/schema.sql' with { type: 'text' }

setDefaultTimeout(60_000)

/** The schemas without their comments. */
const FINGERPRINT = Bun.hash.crc32(
  [SQLITE, CONTENTS, POSTGRES, LEDGER_FUNCTIONS].join('').replace(/--.*/g, '').replace(/\s+/g, ' '),
)

test('an edit of a schema raises SCHEMA_VERSION, or the programs of two versions would share a store', () => {
  expect({ SCHEMA_VERSION, FINGERPRINT }).toEqual({ SCHEMA_VERSION: 17, FINGERPRINT: 993053491 })
})

/** What the versions before the first release had in place of a version. */
const OLD_TABLES = 'CREATE TABLE migration (id integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)'
const NOT_UPGRADED = 'holds data from before the first release, which is not upgraded'

test('SQLite: a folder from before the first release is rejected by its name and stays as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-old-'))
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
  rmSync(folder, { recursive: true })
})

test('PostgreSQL: a database from before the first release is rejected by its name and stays as it is', async () => {
  const address = await freshSchema()
  await ask(address, OLD_TABLES)
  const error = await thrownBy(openPostgres(address))
  expect(error).toBeInstanceOf(WrongSchema)
  const name = new URL(address).pathname.slice(1)
  expect(String(error)).toContain(`the database ${name} ${NOT_UPGRADED}`)
  const tables = `select tablename from pg_tables where schemaname = current_schema()`
  expect(await ask(address, tables)).toEqual([{ tablename: 'migration' }])
})

test.each([
  ['an earlier', SCHEMA_VERSION - 1, NOT_UPGRADED],
  ['a later', SCHEMA_VERSION + 1, `version ${SCHEMA_VERSION + 1}, this program knows ${SCHEMA_VERSION}`],
])('PostgreSQL: a database of %s version is rejected', async (_, version, says) => {
  const address = await freshSchema()
  await (await openPostgres(address)).close()
  await ask(address, `update meta set value = '${version}' where name = 'schema_version'`)
  const error = await thrownBy(openPostgres(address))
  expect(error).toBeInstanceOf(WrongSchema)
  expect(String(error)).toContain(says)
})
