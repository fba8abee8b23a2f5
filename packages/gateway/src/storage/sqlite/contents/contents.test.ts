// What is particular to the contents' file; what they do is in the contract.
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newHash, thrownBy } from '../../../../contract/storage/harness.ts'
import type { Claim } from '../../contents.ts'
import { StoreDown } from '../../storage.ts'
import { openSqlite } from '../open-sqlite.ts'
import { CONTENTS_FILE, sqliteContents } from './contents.ts'
import { setAsideIfDamaged } from './set-aside.ts'

let folder: string
let file: string
let opened: { close(): Promise<void> }[]
let now: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-contents-'))
  file = join(folder, CONTENTS_FILE)
  opened = []
  now = Date.now()
})
afterEach(async () => {
  for (const contents of opened) await contents.close()
  rmSync(folder, { recursive: true })
})

function open() {
  const { contents, responses, close } = sqliteContents(folder, () => now)
  opened.push({ close })
  return { ...contents, responses, close }
}

/** Changes the file as another program would. */
function change(sql: string): void {
  const db = new Database(file)
  db.run(sql)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close(true)
}

const newClaim = (id: bigint): Claim => ({
  id,
  nodeId: 0,
  epoch: 1,
  account: 1n,
  key: newHash(),
  fingerprint: newHash(),
})
const MEGABYTE = { headers: '{}', body: new Uint8Array(1024 * 1024) }

test('the first claim creates the file, not the start, a sweep or the end, and only its owner can read it', async () => {
  const storage = await openSqlite(folder)
  expect(await storage.contents.sweep(10)).toBe(0)
  const { responses, reasoning, shares, tasks } = storage
  expect([await responses.find(1n, 'a'), await responses.chain(1n, 'a'), await responses.hide(1n, 'a')]).toEqual([
    undefined,
    [],
    false,
  ])
  expect([await responses.withItems(1n, ['i']), await reasoning.find(1n, [newHash()])]).toEqual([new Map(), new Map()])
  expect([await responses.sweep(10), await reasoning.sweep(10)]).toEqual([0, 0])
  expect([await shares.totalBytes('stored'), await shares.totalBytes('media')]).toEqual([0, 0])
  expect([await tasks.open(1n, 'response'), await tasks.unfinished(), await tasks.durations()]).toEqual([0, [], []])
  const page = { offset: 0, limit: 10 }
  expect([await tasks.list(1n, {}, page), await tasks.claimDue(10, 1_000)]).toEqual([{ total: 0, tasks: [] }, []])
  expect(await shares.forget(1n)).toEqual({ responses: 0, idempotentResponses: 0, reasoning: 0 })
  await storage.close()
  expect(existsSync(file)).toBe(false)
  const contents = open()
  await contents.claim(newClaim(1n))
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a file that is there is swept also by a process that has not used it', async () => {
  const contents = open()
  const claim = newClaim(1n)
  await contents.claim(claim)
  await contents.keep(claim, { cost: 1n, keepMs: 0, answer: MEGABYTE })
  await contents.close()
  expect(await open().sweep(10)).toBe(1)
})

test.each([
  ['another program', () => change('CREATE TABLE other (x)')],
  ['random bytes instead of a database', () => writeFileSync(file, 'x'.repeat(10_000))],
  [
    'a later version',
    async () => {
      const contents = open()
      await contents.claim(newClaim(1n))
      await contents.close()
      change('INSERT INTO schema_version (version, oldest_program, applied_at) VALUES (999, 999, 0)')
    },
  ],
])('a file of %s is left alone, and the store is down until it is gone', async (_, make) => {
  await make()
  const before = await Bun.file(file).bytes()
  const contents = open()
  const claim = newClaim(2n)
  const error = await thrownBy(contents.claim(claim))
  expect(error).toBeInstanceOf(StoreDown)
  expect(String(error)).toContain(file)
  expect(Buffer.compare(await Bun.file(file).bytes(), before)).toBe(0)
  rmSync(file)
  expect(await contents.claim(claim)).toEqual({ outcome: 'new' })
})

test('claims made before closing are completed, later calls are rejected', async () => {
  const contents = open()
  const claim = newClaim(1n)
  const asked = contents.claim(claim)
  await contents.close()
  expect(await asked).toEqual({ outcome: 'new' })
  expect(await thrownBy(contents.forget(claim))).toBeInstanceOf(StoreDown)
  expect(await open().claim({ ...claim, id: 2n })).toMatchObject({ outcome: 'running', first: { id: 1n } })
})

test('of reads that wait for large rows, one after the other has its rows in memory', async () => {
  const { responses } = open()
  const part = new Uint8Array(1024 * 1024)
  await responses.put({
    id: 'a',
    account: 1n,
    key: 1n,
    parent: undefined,
    items: [],
    media: [],
    turn: part,
    record: part,
    keepMs: 1_000,
  })
  const done: number[] = []
  const reads = [1, 2, 3].map((name) => responses.record(1n, 'a').then(() => done.push(name)))
  for (const [index, read] of reads.entries()) {
    await read
    for (let count = 0; count < 10; count += 1) await Promise.resolve()
    expect(done).toHaveLength(index + 1)
  }
})

test('a page that is found damaged while it is used makes the next start check the file, and move it aside', async () => {
  const contents = open()
  for (let id = 1n; id <= 20n; id++) await contents.claim(newClaim(id))
  await contents.close()
  const size = statSync(file).size
  const bytes = await Bun.file(file).bytes()
  bytes.fill(7, 4096)
  writeFileSync(file, bytes)
  const damaged = open()
  expect(await thrownBy(damaged.claim(newClaim(21n)))).toBeInstanceOf(StoreDown)
  await damaged.close()
  expect(existsSync(`${file}.check`)).toBe(true)
  const moved = `${file}.damaged-20300102T030405Z`
  expect(setAsideIfDamaged(file, new Date(Date.UTC(2030, 0, 2, 3, 4, 5)))).toMatchObject({ file, movedTo: moved })
  expect([statSync(moved).size, existsSync(file), existsSync(`${file}.check`)]).toEqual([size, false, false])
  expect(await open().claim(newClaim(22n))).toEqual({ outcome: 'new' })
  expect(setAsideIfDamaged(file, new Date())).toBeUndefined()
})
