// Stores whose tables no release made: rejected by name, and left as they are.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, freshSchema } from '../../../../../test/support/postgres/schemas.ts'
import { thrownBy } from '../../../contract/storage/harness.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { APPLICATION_ID } from '../sqlite/database.ts'
import { openSqlite, SQLITE_FILE } from '../sqlite/open-sqlite.ts'
import type { Storage } from '../storage.ts'
import { migrate, tableDifferences } from './migrate-sqlite.ts'
import { MIGRATIONS, programVersion, type Upgrade, WrongSchema } from './migrations.ts'

/** A store that a test changes with SQL while it is closed. */
type Store = {
  open(onUpgrade?: (upgrade: Upgrade) => void): Promise<Storage>
  change(sql: string): Promise<unknown>
  end(): void
}

/** Each with the tables of a version, as the program of that version leaves them. */
const ENGINES: Record<string, (version: number) => Promise<Store>> = {
  SQLite: async (version) => {
    const folder = mkdtempSync(join(tmpdir(), 'trivium-verify-'))
    const file = join(folder, SQLITE_FILE)
    using db = new Database(file, { create: true, safeIntegers: true })
    migrate(db, file, { id: APPLICATION_ID, script: 'ledger', mayChange: true, upTo: version })
    return {
      open: (onUpgrade) => openSqlite(folder, { onUpgrade }),
      async change(sql) {
        using changed = new Database(file)
        changed.run(sql)
      },
      end: () => rmSync(folder, { recursive: true }),
    }
  },
  PostgreSQL: async (version) => {
    const url = await freshSchema()
    const later = MIGRATIONS.splice(version)
    await (await openPostgres(url)).close().finally(() => MIGRATIONS.push(...later))
    return {
      open: (onUpgrade) => openPostgres(url, { onUpgrade }),
      change: (sql) => ask(url, sql),
      end() {},
    }
  },
}

const versions = MIGRATIONS.map(({ version }) => version)

describe.each(Object.entries(ENGINES))('%s', (_, make) => {
  test.each(
    versions,
  )('tables of version %d are what its statements say, and are upgraded with their checksums', async (version) => {
    const store = await make(version)
    const upgrades: Upgrade[] = []
    const storage = await store.open((upgrade) => upgrades.push(upgrade))
    expect(await storage.tableDifferences()).toEqual([])
    await storage.close()
    const to = programVersion()
    expect(upgrades).toMatchObject(version === to ? [] : [{ from: version, to }])
    // A version that lacks its checksum now is compared again.
    await store.change('UPDATE schema_version SET checksum = NULL')
    await (await store.open()).close()
    store.end()
  })

  test.each([
    ['a missing table', 'DROP TABLE node_state', 'table node_state is missing'],
    ['a missing column', 'ALTER TABLE person DROP COLUMN signed_in_at', 'column person.signed_in_at is missing'],
    ['an unknown column', 'ALTER TABLE person ADD COLUMN nickname text', 'column person.nickname is unknown'],
    ['a missing index', 'DROP INDEX transfer_shortfall', 'transfer_shortfall is missing'],
  ])('%s of an earlier version is named, and nothing is upgraded', async (_, change, says) => {
    const store = await make(2)
    await store.change(change)
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await thrownBy(store.open())
      expect(error).toBeInstanceOf(WrongSchema)
      expect(String(error)).toContain('the tables are not those of version 2')
      expect(String(error)).toContain(says)
    }
    store.end()
  })

  test('a version with the checksum of other statements is rejected by name', async () => {
    const store = await make(programVersion())
    await store.change(`UPDATE schema_version SET checksum = '0123456789abcdef' WHERE version = 3`)
    const error = await thrownBy(store.open())
    expect(error).toBeInstanceOf(WrongSchema)
    expect(String(error)).toContain('version 3 of the tables was made by another build (checksum 0123456789abcdef')
    store.end()
  })

  test('what was changed by hand since is a difference', async () => {
    const store = await make(programVersion())
    await store.change('CREATE TABLE of_someone_else (id integer)')
    await store.change('ALTER TABLE person ADD COLUMN nickname text')
    const storage = await store.open()
    expect(await storage.tableDifferences()).toEqual(['column person.nickname is unknown'])
    await storage.close()
    store.end()
  })
})

test('a file of SQLite that is being created has no differences yet', () => {
  const db = new Database(':memory:', { safeIntegers: true, strict: true })
  expect(tableDifferences(db, 'contents')).toEqual([])
  db.close(true)
})
