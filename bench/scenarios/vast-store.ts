// What grows with the number of stored requests: start, hold, lists, audit, backup, sealing and archiving of a SQLite store, each with few and
// with millions of requests.
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hold, newNode, settle } from '../../packages/gateway/contract/storage/harness.ts'
import { createDiskBlobs } from '../../packages/gateway/src/media/disk.ts'
import { firstIdAt } from '../../packages/gateway/src/request/ids.ts'
import { openSqlite, SQLITE_FILE } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import type { Storage } from '../../packages/gateway/src/storage/storage.ts'
import { fillVast } from '../../tools/fill/fill-vast.ts'
import { createHomeWith, gatewayEnvironment, MAIN } from '../harness/home.ts'
import { mean } from '../harness/measure.ts'
import { childOf } from '../harness/processes.ts'
import { millis, type Scenario, times, verdict } from '../harness/scenario.ts'

const SIZES = [1_000_000, 5_000_000]
const DAYS = 400
const DAY_MS = 86_400_000
const PAIRS = 500
const MONTHS_KEPT = 12
/** What must not grow with the number of requests, beyond what a busy machine adds. */
const MOST_GROWTH = 2

type Figures = Map<string, number>

export const vastStore: Scenario = {
  number: 22,
  title: 'SQLite stores with few and with many requests of 400 days',
  async run({ quick, say }) {
    const sizes = quick ? SIZES.map((size) => size / 20) : SIZES
    const measured: Figures[] = []
    for (const requests of sizes) {
      const folder = await mkFolder()
      try {
        await fillVast(join(folder, 'data'), { accounts: 1_000, keysOfEach: 2, requests, days: DAYS })
        say(`  filled with ${requests.toLocaleString('en')}`)
        measured.push(await measureStore(folder, requests, say))
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
    const [few = new Map<string, number>(), many = new Map<string, number>()] = measured
    const growth = (name: string) => (many.get(name) ?? Number.NaN) / (few.get(name) ?? Number.NaN)
    return {
      columns: ['', ...sizes.map((size) => `${size.toLocaleString('en')} requests`)],
      rows: [...few.keys()].map((name) => [name, ...measured.map((each) => shown(name, each.get(name) ?? Number.NaN))]),
      verdicts: [START, PAIR, LIST, DEEP].map((name) =>
        verdict(`${name}: many to few`, growth(name), MOST_GROWTH, times),
      ),
    }
  },
}

const [START, PAIR, LIST, DEEP] = [
  'open the store',
  'hold and settlement',
  'newest page of an account',
  'page of a year ago',
]
const BYTES = 'bytes per request'

async function mkFolder(): Promise<string> {
  const { folder } = await createHomeWith('sandbox: false\n')
  // Only the folder and the configuration are wanted.
  rmSync(join(folder, 'data'), { recursive: true })
  return folder
}

const shown = (name: string, value: number): string => (name.startsWith(BYTES) ? value.toFixed(0) : millis(value))

/** `folder`: with the data in `data`. */
export async function measureStore(folder: string, requests: number, say: (line: string) => void): Promise<Figures> {
  const figures: Figures = new Map()
  const dataDir = join(folder, 'data')
  const note = (name: string, value: number) => {
    figures.set(name, value)
    say(`  ${name}: ${shown(name, value)}`)
  }
  const timed = async <T>(name: string, work: () => Promise<T>, times = 1): Promise<T> => {
    const from = performance.now()
    let result = await work()
    for (let time = 1; time < times; time++) result = await work()
    note(name, (performance.now() - from) / times)
    return result
  }
  note(BYTES, statSync(join(dataDir, SQLITE_FILE)).size / requests)
  let storage = await openSqlite(dataDir)
  await timed('seal all months that are over', () => all(storage.months.seal()))
  await storage.close()
  storage = await timed(START, () => openSqlite(dataDir))
  try {
    await timed('audit', () => audit(storage), 2)
    note(PAIR, await pairs(storage))
    const yearAgo = firstIdAt(Date.now() - 365 * DAY_MS)
    await timed(LIST, () => storage.spending.requests(7n, {}, 20), 20)
    await timed(DEEP, () => storage.spending.requests(7n, { before: yearAgo }, 20), 20)
    await timed('newest page of all accounts', () => storage.lists.requests({}, {}, 50), 20)
    const month = { from: today() - 29 * DAY_MS, to: today() + DAY_MS }
    await timed('report of 30 days by model', () => storage.reports.usage(['model'], month, {}, 50), 5)
    storage.archive.attach(async () => createDiskBlobs(join(dataDir, 'media')))
    await timed(`archive what is older than ${MONTHS_KEPT} months`, () => all(storage.archive.archive(MONTHS_KEPT, 0)))
    const { rows, bytes } = await storage.archive.state()
    if (rows > 0) note(`${BYTES} in the archive (one row of it and one of its charge)`, (2 * bytes) / rows)
    await timed('archived page of an account', () => storage.spending.requests(7n, { before: yearAgo }, 20), 5)
    await timed('audit with archived months', () => audit(storage), 2)
  } finally {
    await storage.close()
  }
  const file = join(folder, 'backup.tar')
  await timed('back up', () => backUp(folder, file))
  note(`${BYTES} in the backup`, statSync(file).size / requests)
  return figures
}

const today = (): number => Date.now() - (Date.now() % DAY_MS)

async function all(steps: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of steps);
}

async function audit({ ledger }: Storage): Promise<void> {
  const { ok } = await ledger.audit()
  if (!ok) throw new Error('the audit found a mismatch')
}

/** One after the other, so that each waits for its own commits. */
async function pairs(storage: Storage): Promise<number> {
  const node = await newNode(storage)
  const [key] = await storage.keys.list(7n)
  const took: number[] = []
  const first = firstIdAt(Date.now())
  for (let at = 0; at < PAIRS; at++) {
    const from = performance.now()
    const id = first + BigInt(at)
    await storage.ledger.apply(hold(id, { account: 7n, key: key?.id ?? 0n, email: '' }, node))
    await storage.ledger.apply(settle(id, node, 50n))
    took.push(performance.now() - from)
  }
  return mean(took)
}

async function backUp(folder: string, file: string): Promise<void> {
  const command = [process.execPath, MAIN, 'backup', file, '--without-secret']
  const child = childOf('backup', command, gatewayEnvironment({ folder }, 0))
  while (!child.ended) await Bun.sleep(20)
  if (!child.output().includes(file)) throw new Error(`no backup: ${child.output()}`)
}
