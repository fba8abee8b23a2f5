// Months are sealed under load by processes that are killed at their steps: every audit is clean, and every receipt is found.
import { afterAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  hold,
  type Node,
  newNode,
  newWallet,
  settle,
  voided,
  type Wallet,
} from '../../packages/gateway/contract/storage/harness.ts'
import { moveData } from '../../packages/gateway/src/backup/move-data.ts'
import { firstIdAt } from '../../packages/gateway/src/request/ids.ts'
import { openPostgresSource } from '../../packages/gateway/src/storage/postgres/copying/source.ts'
import { openPostgresTarget } from '../../packages/gateway/src/storage/postgres/copying/target.ts'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqliteSource } from '../../packages/gateway/src/storage/sqlite/copying/source.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import type { Storage } from '../../packages/gateway/src/storage/storage.ts'
import { newDataFolder } from '../../test/support/data-folder.ts'
import { ENGINES, type Engine } from '../../test/support/gateway/home.ts'
import { freshSchema } from '../../test/support/postgres/schemas.ts'

const DAY = 86_400_000
const REQUESTS = 1_500
const CHILD = join(import.meta.dir, '../support/seal-and-charge.ts')
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** Four months, the last of which is that of today; their receipts. */
async function fill(folder: string): Promise<bigint[]> {
  let now = Date.now() - 93 * DAY
  const storage = await openSqlite(folder, { clock: () => now })
  const wallet = await newWallet(storage, 1_000_000_000n)
  const receipts: bigint[] = []
  for (let month = 0; month < 4; month++) {
    receipts.push(...(await fillMonth(storage, wallet, await newNode(storage), now)))
    now += 31 * DAY
  }
  await storage.close()
  return receipts
}

async function fillMonth(storage: Storage, wallet: Wallet, node: Node, now: number): Promise<bigint[]> {
  const ids = Array.from({ length: REQUESTS }, (_, at) => firstIdAt(now) + BigInt(at))
  await Promise.all(ids.map((id) => storage.ledger.apply(hold(id, wallet, node))))
  await Promise.all(
    ids.map((id, at) => storage.ledger.apply(at % 10 === 0 ? voided(id, node) : settle(id, node, BigInt(at % 140)))),
  )
  return ids
}

async function place(engine: Engine, folder: string): Promise<string> {
  if (engine === 'sqlite') return folder
  const url = await freshSchema()
  const source = await openSqliteSource(folder, { scratch: `${folder}-scratch.db`, alone: true })
  const openMoved = () => openPostgresSource(url)
  await moveData({ source, openTarget: () => openPostgresTarget(url), openMoved, progress: () => {} })
  await source.close()
  return url
}

/** Killed after so many steps. false: it ended before. */
async function sealAndCharge(where: string, steps: number, receipts: bigint[]): Promise<boolean> {
  const child = Bun.spawn([process.execPath, CHILD, where], { stdout: 'pipe', stderr: 'inherit' })
  let text = ''
  let seen = 0
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += piece
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines)
      if (line === 'step') seen += 1
      else receipts.push(BigInt(line.slice('settled '.length)))
    if (seen >= steps) child.kill('SIGKILL')
  }
  await child.exited
  if (child.signalCode === 'SIGKILL') return true
  expect(child.exitCode).toBe(0)
  return false
}

test.each(ENGINES)('sealing under load, killed at its steps, on %s', async (engine) => {
  const folder = newDataFolder('trivium-sealing-')
  folders.push(folder)
  const receipts = await fill(folder)
  const where = await place(engine, folder)
  const open = () => (engine === 'sqlite' ? openSqlite(where) : openPostgres(where))
  let kills = 0
  for (let steps = 1; await sealAndCharge(where, steps, receipts); steps += 3) {
    kills += 1
    const storage = await open()
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, sealMismatches: [] })
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, sealMismatches: [] })
    await storage.close()
  }
  expect(kills).toBeGreaterThan(3)
  const storage = await open()
  const { account } = (await storage.ledger.requestOfAny(receipts[0] ?? 0n)) ?? { account: 0n }
  const found = new Set((await storage.ledger.usage(account, 0)).map(({ request }) => request))
  expect(receipts.filter((id) => !found.has(id))).toEqual([])
  const { sealed, blocking } = await storage.months.state()
  expect({ sealed: sealed >= 2, blocking }).toEqual({ sealed: true, blocking: undefined })
  expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, sealedMonths: sealed })
  await storage.close()
})
