// Months of a ledger, and processes that are killed at the steps of what they do to them.
import { expect } from 'bun:test'
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
import { openSqliteSource } from '../../packages/gateway/src/storage/sqlite/copying/source.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import type { Storage } from '../../packages/gateway/src/storage/storage.ts'
import type { Engine } from '../../test/support/gateway/home.ts'
import { freshSchema } from '../../test/support/postgres/schemas.ts'

const DAY = 86_400_000

/** Four months, the last of which is that of today; their receipts. */
export async function fillMonths(folder: string, requests: number): Promise<bigint[]> {
  let now = Date.now() - 93 * DAY
  const storage = await openSqlite(folder, { clock: () => now })
  const wallet = await newWallet(storage, 1_000_000_000n)
  const receipts: bigint[] = []
  for (let month = 0; month < 4; month++) {
    receipts.push(...(await fillMonth(storage, wallet, await newNode(storage), now, requests)))
    now += 31 * DAY
  }
  await storage.close()
  return receipts
}

async function fillMonth(
  storage: Storage,
  wallet: Wallet,
  node: Node,
  now: number,
  requests: number,
): Promise<bigint[]> {
  const ids = Array.from({ length: requests }, (_, at) => firstIdAt(now) + BigInt(at))
  await Promise.all(ids.map((id) => storage.ledger.apply(hold(id, wallet, node))))
  await Promise.all(
    ids.map((id, at) => storage.ledger.apply(at % 10 === 0 ? voided(id, node) : settle(id, node, BigInt(at % 140)))),
  )
  return ids
}

export async function placeMonths(engine: Engine, folder: string): Promise<string> {
  if (engine === 'sqlite') return folder
  const url = await freshSchema()
  const source = await openSqliteSource(folder, { scratch: `${folder}-scratch.db`, alone: true })
  const openMoved = () => openPostgresSource(url)
  await moveData({ source, openTarget: () => openPostgresTarget(url), openMoved, progress: () => {} })
  await source.close()
  return url
}

/** Killed after so many steps. false: it ended before. */
export async function killedAfter(steps: number, command: readonly string[], receipts: bigint[]): Promise<boolean> {
  const child = Bun.spawn([process.execPath, ...command], { stdout: 'pipe', stderr: 'inherit' })
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
