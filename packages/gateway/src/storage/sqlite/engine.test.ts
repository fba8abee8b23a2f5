// What only SQLite has: a folder with one owner, files, damage, a lock that others may hold.
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  charged,
  extend,
  hold,
  money,
  newNode,
  newWallet,
  result,
  settle,
  thrownBy,
} from '../../../contract/storage/harness.ts'
import { FolderInUse, type Storage, StoreDown } from '../storage.ts'
import { ORPHANS } from './book/book.ts'
import { openSqlite, SQLITE_FILE } from './open-sqlite.ts'

let parent: string
let folder: string
let open: Storage[]
let spawned: Bun.Subprocess[]

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'trivium-engine-'))
  folder = join(parent, 'data')
  open = []
  spawned = []
})
afterEach(async () => {
  for (const child of spawned) child.kill('SIGKILL')
  for (const storage of open) await storage.close()
  rmSync(parent, { recursive: true })
})

async function openStore(): Promise<Storage> {
  const storage = await openSqlite(folder, { busyTimeoutMs: 20 })
  open.push(storage)
  return storage
}
const file = () => join(folder, SQLITE_FILE)
const messageOf = (error: unknown) => (error as Error).message

/** A store with some rows in it, closed again. */
async function filledFolder(): Promise<void> {
  const storage = await openStore()
  const [wallet, node] = [await newWallet(storage), await newNode(storage)]
  for (let id = 1n; id <= 300n; id++) {
    await storage.ledger.apply(hold(id, wallet, node, { amount: 1n, minimum: 1n }))
    await storage.ledger.apply(settle(id, node, 1n, { receipt: 'x'.repeat(300) }))
  }
  await storage.close()
}

test('a folder has one owner: the error of the second process names it', async () => {
  const storage = await openStore()
  const error = await thrownBy(openSqlite(folder))
  expect(error).toBeInstanceOf(FolderInUse)
  expect(messageOf(error)).toContain(`process ${process.pid}`)
  await storage.ping()
  await storage.close()
  await (await openStore()).ping()
})

const OWNER = `
  const { openSqlite } = await import(process.argv[1])
  try {
    const storage = await openSqlite(process.argv[2])
    await storage.ledger.apply({ verb: 'join', nodeId: 1, config: '' })
    const account = await storage.accounts.create('a@b.c', 1000n, -3n)
    const names = { name: 'n', group: 'g', madeBy: 'command-line', limits: {}, restrictions: {} }
    const key = await storage.keys.create({ account: account.id, hash: new Uint8Array(32), ...names })
    const tokens = { revision: 0, extensible: false, tokens: 0, minimumTokens: 0 }
    const money = { ...tokens, amount: 100n, minimum: 100n, model: 'm', upstream: 'u' }
    const hold = (id) => ({ verb: 'hold', id, nodeId: 1, epoch: 1, account: account.id, key: key.id, ...money })
    await storage.ledger.apply(hold(1n))
    // So many at once that their rows are written later.
    await Promise.all(Array.from({ length: 8 }, (_, index) => storage.ledger.apply(hold(BigInt(index + 2)))))
    console.log('open')
  } catch (error) {
    console.log(error.name)
    process.exit(1)
  }`
function otherProcess() {
  const module = join(import.meta.dir, 'open-sqlite.ts')
  const child = Bun.spawn([process.execPath, '-e', OWNER, module, folder], { stdout: 'pipe', stderr: 'inherit' })
  spawned.push(child)
  return child
}
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const { value } = await stream.getReader().read()
  return new TextDecoder().decode(value).trim()
}

test('another process is rejected too', async () => {
  await openStore()
  expect(await firstLine(otherProcess().stdout)).toBe('FolderInUse')
})

test('a killed owner leaves the folder free and its holds to be reaped at once', async () => {
  const owner = otherProcess()
  expect(await firstLine(owner.stdout)).toBe('open')
  expect(messageOf(await thrownBy(openSqlite(folder)))).toContain(`process ${owner.pid}`)
  owner.kill('SIGKILL')
  await owner.exited
  const storage = await openStore()
  expect(await storage.accounts.find(1n)).toMatchObject({ balance: 1000n, held: 900n })
  expect(await storage.ledger.apply({ verb: 'join', nodeId: 1, config: '' })).toEqual(result('done', 2n))
  expect(await storage.ledger.apply({ verb: 'reap', limit: 10 })).toEqual(result('done', 9n))
  expect(await storage.accounts.find(1n)).toMatchObject({ balance: 1000n, held: 0n })
})

test('what a dead node left open is found by index, in a file that was never analyzed, too', async () => {
  await openStore()
  const db = new Database(file(), { readonly: true })
  const plan = db.query<{ detail: string }, [number, number, number]>(`EXPLAIN QUERY PLAN ${ORPHANS}`).all(0, 0, 1)
  db.close()
  expect(plan.map(({ detail }) => detail)).toContainEqual(expect.stringContaining('INDEX request_open'))
})

test('everything in the folder is its owner’s alone', async () => {
  await newWallet(await openStore())
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect(mode(folder)).toBe('700')
  const files = readdirSync(folder)
  expect(files).toContain(`${SQLITE_FILE}-wal`)
  for (const name of files) expect([name, mode(join(folder, name))]).toEqual([name, '600'])
})

test('closing leaves one whole database file and no log', async () => {
  await filledFolder()
  expect(readdirSync(folder).sort()).toEqual([SQLITE_FILE, 'owner.lock', 'owner.pid'])
})

const damages: { name: string; damage(): void; says: string }[] = [
  { name: 'garbage', damage: () => writeFileSync(file(), 'no database at all '.repeat(500)), says: 'cannot be opened' },
  {
    name: 'a file cut in half',
    damage: () => truncateSync(file(), statSync(file()).size / 2),
    says: 'cannot be opened',
  },
  {
    name: 'pages overwritten',
    damage() {
      const bytes = readFileSync(file())
      writeFileSync(file(), bytes.fill(0xee, 4096 * 3))
    },
    says: 'damaged',
  },
  {
    name: 'the database of another program',
    damage() {
      rmSync(file())
      const other = new Database(file())
      other.run('CREATE TABLE account (id)')
      other.close(true)
    },
    says: 'not a Trivium database',
  },
  {
    name: 'a store of a later version',
    damage() {
      const db = new Database(file())
      db.run('INSERT INTO schema_version (version, oldest_program, applied_at) VALUES (999, 999, 0)')
      db.close(true)
    },
    says: 'version 999',
  },
  {
    name: 'a folder in the place of the file',
    damage() {
      rmSync(file())
      mkdirSync(file())
    },
    says: 'cannot be opened',
  },
]
for (const { name, damage, says } of damages)
  test(`${name}: rejected with a one-line error that names the file, and the folder is unlocked again`, async () => {
    await filledFolder()
    damage()
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await thrownBy(openSqlite(folder))
      expect(error).toBeInstanceOf(Error)
      expect(messageOf(error)).toContain(file())
      expect(messageOf(error)).toContain(says)
      expect(messageOf(error)).not.toContain('\n')
    }
  })

test('a file in place of the folder is rejected with an error that names it', async () => {
  writeFileSync(folder, '')
  expect(messageOf(await thrownBy(openSqlite(folder)))).toContain(folder)
})

test('while another process has the lock the store is down, and afterwards it works', async () => {
  const storage = await openStore()
  const [wallet, node] = [await newWallet(storage), await newNode(storage)]
  const shell = new Database(file())
  shell.run('BEGIN IMMEDIATE')
  const verbs = [hold(1n, wallet, node), hold(2n, wallet, node)]
  const calls = [...verbs.map((verb) => storage.ledger.apply(verb)), storage.ping(), storage.keys.delete(wallet.key)]
  for (const call of calls) expect(await thrownBy(call)).toBeInstanceOf(StoreDown)
  expect(await money(storage, wallet)).toMatchObject({ held: 0n })
  shell.run('ROLLBACK')
  expect(await storage.ledger.apply(hold(1n, wallet, node))).toEqual(result('done', 100n))
  shell.close(true)
})

test('what another process wrote is noticed by the next verb', async () => {
  const storage = await openStore()
  const [wallet, node] = [await newWallet(storage, 100n), await newNode(storage)]
  await storage.ledger.apply(hold(1n, wallet, node, { amount: 50n }))
  const shell = new Database(file())
  shell.run('UPDATE account SET balance = balance + 1000')
  shell.close(true)
  expect(await storage.ledger.apply(extend(1n, node, { amount: 500n, minimum: 500n }))).toEqual(result('done', 500n))
})

test('a verb that fails inside the transaction fails alone', async () => {
  const storage = await openStore()
  const [wallet, other, node] = [await newWallet(storage), await newWallet(storage), await newNode(storage)]
  await storage.ledger.apply(hold(1n, wallet, node))
  await storage.ledger.apply(hold(2n, other, node))
  const shell = new Database(file())
  shell.run('UPDATE request SET account = 99 WHERE id = 1')
  shell.close(true)
  const calls = [hold(3n, wallet, node), settle(1n, node, 5n), settle(2n, node, 5n)].map((verb) =>
    storage.ledger.apply(verb),
  )
  const [held, poisoned, settled] = await Promise.allSettled(calls)
  expect(held).toEqual({ status: 'fulfilled', value: result('done', 100n) })
  expect(settled).toEqual({ status: 'fulfilled', value: charged(5n) })
  expect(poisoned).toMatchObject({ status: 'rejected', reason: { name: 'Error' } })
})

test('a verb that cannot be sent to the writer fails, and the store goes on', async () => {
  const storage = await openStore()
  const [wallet, node] = [await newWallet(storage), await newNode(storage)]
  const broken = { ...hold(1n, wallet, node), account: 'one' as unknown as bigint }
  expect(await thrownBy(storage.ledger.apply(broken))).toBeInstanceOf(Error)
  expect(await storage.ledger.apply(hold(2n, wallet, node))).toEqual(result('done', 100n))
})

test('a closed store rejects calls, and can be closed again', async () => {
  const storage = await openStore()
  await Promise.all([storage.close(), storage.close()])
  const calls = [() => storage.ping(), () => storage.keys.delete(1n), () => storage.accounts.find(1n)]
  for (const call of calls) expect(await thrownBy(call())).toBeInstanceOf(StoreDown)
})
