import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../../../../test/support/eventually.ts'
import type { Statement } from '../sql/statements.ts'
import { StoreDown } from '../storage.ts'
import { createPageReader } from './page-reader.ts'

let folder = ''
let file = ''
let db: Database
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pages-'))
  file = join(folder, 'ledger.db')
  db = new Database(file, { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('CREATE TABLE thing (id INTEGER, name TEXT)')
  db.run("INSERT INTO thing VALUES (1, 'one'), (2, 'two')")
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

const select = (sql: string, ...parameters: unknown[]): Statement => ({ sql, parameters, required: false })
const NAMED = 'SELECT name FROM thing WHERE id = ?'

function opened(idleMs?: number) {
  const started: Worker[] = []
  const start = async () => {
    const worker = new Worker(new URL('./reader-thread.ts', import.meta.url))
    started.push(worker)
    return worker
  }
  return { started, pages: createPageReader(file, start, idleMs) }
}

test('pages are read by one thread, in order, and see what was committed before', async () => {
  const { started, pages } = opened()
  expect(await Promise.all([1, 2, 3].map((id) => pages.read(select(NAMED, id))))).toEqual([
    [{ name: 'one' }],
    [{ name: 'two' }],
    [],
  ])
  db.run("UPDATE thing SET name = 'uno' WHERE id = 1")
  expect(await pages.read(select(NAMED, 1))).toEqual([{ name: 'uno' }])
  expect(started).toHaveLength(1)
  await pages.close()
  await expect(pages.read(select(NAMED, 1))).rejects.toBeInstanceOf(StoreDown)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  expect(readdirSync(folder)).toEqual(['ledger.db'])
  db = new Database(file)
})

test('a statement that fails rejects with StoreDown, and the next is read', async () => {
  const { pages } = opened()
  const [failed, next] = await Promise.allSettled([pages.read(select('SELECT nothing')), pages.read(select(NAMED, 2))])
  expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(StoreDown) })
  expect(next).toMatchObject({ status: 'fulfilled', value: [{ name: 'two' }] })
  await pages.close()
})

test('an idle thread ends, and a new one is started when it is needed', async () => {
  const { started, pages } = opened(1)
  await pages.read(select(NAMED, 1))
  await eventually(async () => {
    expect(await pages.read(select(NAMED, 2))).toEqual([{ name: 'two' }])
    return started.length > 1
  })
  await pages.close()
})
