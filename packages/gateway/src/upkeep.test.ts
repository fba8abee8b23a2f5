import { expect, test } from 'bun:test'
import { firstIdAt, timeOfId } from './access/ids.ts'
import type { AuditReport, LiveNode } from './storage/storage.ts'
import { auditing, clearingReceipts, sweeping, watchNodes } from './upkeep.ts'

const REPORT: AuditReport = {
  ...{ ok: true, accounts: 1, requests: 2, transfers: 3, openHolds: 0 },
  ...{ balanceMismatches: [], heldMismatches: [], keyHeldMismatches: [], openMismatches: [], keyOpenMismatches: [] },
  ...{ keySpentMismatches: [], negativeAccounts: [], requestMismatches: [] },
}

test('the books are audited after the start and again and again, whatever came of it before', async () => {
  const outcomes = [
    async () => REPORT,
    async () => ({ ...REPORT, ok: false }),
    async () => Promise.reject(new Error('the store is away')),
    async () => REPORT,
  ]
  const said: string[] = []
  const note = (level: string) => (message: string) => void said.push(`${level}: ${message}`)
  const log = { info: note('info'), warn: note('warn'), error: note('error') }
  const done = Promise.withResolvers<void>()
  const storage = {
    audit: () => {
      const next = outcomes.shift()
      if (outcomes.length === 0) done.resolve()
      return next ? next() : Promise.reject(new Error('asked too often'))
    },
  }
  const stop = auditing(storage, log, () => false, { first: 1, again: 1, next: () => 1 })
  await done.promise
  stop()
  await Bun.sleep(20)
  expect(said).toEqual([
    'info: audit: the books are in order',
    "error: audit: the books are NOT in order; 'trivium audit' lists what is wrong",
    'warn: the audit could not be made',
    'info: audit: the books are in order',
  ])
})

test('the books wait while there is too much to do, for an hour at most', async () => {
  const looks: boolean[] = []
  /** Behind at the first two looks, and from the fourth on for good. */
  const isBehind = () => looks.push(looks.length !== 2) > 0 && looks.at(-1) === true
  const [audits, done] = [[] as number[], Promise.withResolvers<void>()]
  const audit = async () => {
    if (audits.push(looks.length) === 2) done.resolve()
    return REPORT
  }
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const stop = auditing({ audit }, log, isBehind, { first: 0, again: 0, next: () => 0 })
  await done.promise
  stop()
  // The third look; and the one after sixty in vain.
  expect(audits).toEqual([3, 3 + 61])
})

test('contents are swept page by page, and again later, whatever came of it before', async () => {
  const outcomes: (number | Error)[] = [5, 5, 2, new Error('away'), new Error('still away'), 0]
  const said: string[] = []
  const log = { info: () => {}, warn: (message: string) => void said.push(message), error: () => {} }
  const pages: number[] = []
  const done = Promise.withResolvers<void>()
  const contents = {
    sweep: async (limit: number) => {
      pages.push(limit)
      const next = outcomes.shift()
      if (outcomes.length === 0) done.resolve()
      if (typeof next === 'number') return next
      throw next
    },
  }
  const stop = sweeping(contents, log, { everyMs: 2, pauseMs: 1, page: 5 })
  await done.promise
  stop()
  await Bun.sleep(20)
  expect(pages).toEqual([5, 5, 5, 5, 5, 5])
  expect(said).toEqual(['old contents cannot be removed'])
})

test('nodes that do not agree are drift, and a store that does not answer leaves it open', async () => {
  const asked: (() => Promise<LiveNode[]>)[] = [
    async () => [{ slot: 0, config: 'a' }],
    async () => ['a', 'b', 'a'].map((config, slot) => ({ slot, config })),
    async () => Promise.reject(new Error('the store is away')),
    async () => [0, 3].map((slot) => ({ slot, config: 'b' })),
  ]
  const seen: unknown[] = []
  const storage = {
    live() {
      seen.push(watching?.company())
      return asked.shift()?.() ?? new Promise<LiveNode[]>(() => {})
    },
  }
  let watching: ReturnType<typeof watchNodes> | undefined
  watching = watchNodes(storage, 1)
  while (seen.length < 5) await Bun.sleep(1)
  watching.stop()
  expect(seen.slice(1, 5)).toEqual([
    { nodes: 1, drift: false },
    { nodes: 3, drift: true },
    { nodes: null, drift: null },
    { nodes: 2, drift: false },
  ])
})

test('receipts are cleared page after page from where it was, as long as they are kept now', async () => {
  const asked: { age: number; after: bigint; limit: number }[] = []
  const done = Promise.withResolvers<void>()
  const storage = {
    async clearReceipts(below: bigint, after: bigint, limit: number) {
      asked.push({ age: Math.round((Date.now() - timeOfId(below)) / 1_000), after, limit })
      if (asked.length === 4) done.resolve()
      if (asked.length === 2) throw new Error('the store is away')
      return { last: after + 5n, isMore: asked.length === 1 }
    },
  }
  const said: string[] = []
  const log = { info: () => {}, warn: (message: string) => void said.push(message), error: () => {} }
  const keep = () => (asked.length < 3 ? 100_000 : ('off' as const))
  const stop = clearingReceipts(storage, keep, log, { everyMs: 2, pauseMs: 1, page: 5 })
  await done.promise
  stop()
  expect(asked).toEqual([
    { age: 100, after: 0n, limit: 5 },
    { age: 100, after: 5n, limit: 5 },
    { age: 100, after: 5n, limit: 5 },
    { age: 0, after: 10n, limit: 5 },
  ])
  expect(said).toEqual(['old receipts cannot be cleared'])
  expect(firstIdAt(0)).toBe(0n)
})
