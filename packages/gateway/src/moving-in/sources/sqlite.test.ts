import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SourceError, type SourceRow } from './source-database.ts'
import { openSqliteSource } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'source-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function all(rows: AsyncIterable<SourceRow>): Promise<SourceRow[]> {
  const found: SourceRow[] = []
  for await (const row of rows) found.push({ ...row })
  return found
}

function makeFile(name: string): { file: string; db: Database; copies: string } {
  const file = join(folder, name)
  const db = new Database(file)
  db.run('CREATE TABLE "order" (id INTEGER PRIMARY KEY, "the name" TEXT, amount REAL, data BLOB)')
  const add = db.prepare('INSERT INTO "order" VALUES (?, ?, ?, ?)')
  db.transaction(() => {
    for (let id = 1; id <= 1_000; id++) add.run(id, `row ${id}`, id / 8, null)
  })()
  db.run('INSERT INTO "order" VALUES (9223372036854775807, NULL, 7.5e-08, x\'00ff\')')
  return { file, db, copies: mkdtempSync(join(folder, 'copies-')) }
}

test('all rows are read in order, with the types of SQLite', async () => {
  const { file, copies } = makeFile('types')
  const source = await openSqliteSource(file, copies)
  expect([...source.tables]).toEqual([['order', new Set(['id', 'the name', 'amount', 'data'])]])
  const rows = await all(source.rows('order', ['id']))
  expect(rows.map((row) => row.id)).toEqual([...Array.from({ length: 1_000 }, (_, at) => at + 1), 9223372036854775807n])
  expect(rows.at(-1)).toEqual({
    id: 9223372036854775807n,
    'the name': null,
    amount: 7.5e-8,
    data: new Uint8Array([0, 255]),
  })
  expect(await all(source.rows('order', ['id'], ['id', 'missing']))).toHaveLength(1_001)
  expect(await all(source.rows('missing', ['id']))).toEqual([])
  await source.close()
  expect(readdirSync(copies)).toEqual([])
})

test('rows are found by many values', async () => {
  const { file, copies } = makeFile('find')
  const source = await openSqliteSource(file, copies)
  const wanted = Array.from({ length: 500 }, (_, at) => `row ${at * 3}`)
  const found = await all(source.find('order', 'the name', wanted, ['id']))
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 333 }, (_, at) => (at + 1) * 3))
  await source.close()
})

test('a program that writes is neither seen nor held up', async () => {
  const { file, db, copies } = makeFile('writes')
  const source = await openSqliteSource(file, copies)
  const rows = source.rows('order', ['id'])[Symbol.asyncIterator]()
  await rows.next()
  db.run('DELETE FROM "order" WHERE id > 1')
  let count = 1
  while (!(await rows.next()).done) count += 1
  expect(count).toBe(1_001)
  await source.close()
})

test('a file that is no database is an error, and leaves nothing behind', async () => {
  const file = join(folder, 'not-sqlite')
  const copies = mkdtempSync(join(folder, 'copies-'))
  writeFileSync(file, 'CREATE TABLE users;\n'.repeat(500))
  await expect(openSqliteSource(file, copies)).rejects.toThrow(SourceError)
  await expect(openSqliteSource(join(folder, 'missing'), copies)).rejects.toThrow('not a readable SQLite database')
  expect(readdirSync(copies)).toEqual([])
})
