import { expect, test } from 'bun:test'
import { fakeTime } from '../../../../test/support/fake-time.ts'
import { CLEAN_AUDIT } from '../../test-support/audit-report.ts'
import { firstIdAt, timeOfId } from '../request/ids.ts'
import type { AlertFact, AuditLog, Leases } from '../storage/storage.ts'
import { auditLedger } from './audit-ledger.ts'
import { createJobs, type Every, type Job } from './every.ts'
import { pollChanges } from './poll-changes.ts'
import {
  clearReceipts,
  sweepAuditLog,
  sweepContents,
  sweepMedia,
  sweepResponses,
  sweepSessions,
  sweepTasks,
} from './sweeps.ts'

/** Leases by a clock, as the store has them. */
function memoryLeases(now: () => number): Leases & { expireAll(): void } {
  const rows = new Map<string, { epoch: number; holder: string; expiresAt: number }>()
  return {
    async acquire(name, holder, ttlMs, longestMs = Number.POSITIVE_INFINITY) {
      const row = rows.get(name)
      if (row && row.expiresAt > now() && row.expiresAt - now() <= longestMs)
        return row.holder === holder ? row.epoch : undefined
      const epoch = (row?.epoch ?? 0) + 1
      rows.set(name, { epoch, holder, expiresAt: now() + ttlMs })
      return epoch
    },
    async renew(name, epoch, ttlMs) {
      const row = rows.get(name)
      if (row?.epoch !== epoch || row.expiresAt <= now()) return false
      row.expiresAt = now() + ttlMs
      return true
    },
    async release(name, epoch) {
      const row = rows.get(name)
      if (row?.epoch === epoch) row.expiresAt = 0
    },
    expireAll: () => rows.clear(),
  }
}

function world() {
  const time = fakeTime()
  const said: string[] = []
  const note = (level: string) => (message: string, fields?: object) =>
    void said.push(
      [level, message, ...('job' in (fields ?? {}) ? [String((fields as { job: string }).job)] : [])].join(': '),
    )
  const log = { info: note('info'), warn: note('warn'), error: note('error') }
  const leases = memoryLeases(time.monotonic)
  const node = (random = 0.5) => createJobs({ leases, log, random: () => random, after: time.after })
  return { ...time, said, log, leases, node }
}

/** A job as it was registered, without any time. */
function registered(register: (every: Every) => void): { interval: number | (() => number); job: Job } {
  const found: { interval: number | (() => number); job: Job }[] = []
  register((interval, job) => found.push({ interval, job }))
  const [only] = found
  if (!only) throw new Error('no job was registered')
  return only
}

test('a job runs in its interval, jittered by a tenth, and never overlaps itself', async () => {
  for (const [random, intervalMs] of [
    [0, 900],
    [0.5, 1_000],
    [1, 1_100],
  ] as const) {
    const { node, pass, monotonic } = world()
    const jobs = node(random)
    const [starts, ends] = [[] as number[], [] as (() => void)[]]
    jobs.every(1_000, {
      name: 'x',
      scope: 'node',
      run: () => {
        starts.push(monotonic())
        return new Promise((resolve) => ends.push(() => resolve(undefined)))
      },
    })
    await pass(5_000)
    expect(starts).toEqual([intervalMs])
    ends.shift()?.()
    await pass(5_000)
    expect(starts).toEqual([intervalMs, 5_000 + intervalMs])
    await jobs.stop()
    ends.shift()?.()
    await pass(5_000)
    expect(starts).toHaveLength(2)
  }
})

test('a job of the cluster runs on one node per interval, on another if that one stops or dies, and on each if it is of nodes', async () => {
  const { node, pass, leases } = world()
  const [one, two] = [node(0.4), node(0.6)]
  const runs: string[] = []
  const register = (jobs: typeof one, name: string) => {
    jobs.every(60_000, { name: 'c', scope: 'cluster', run: async () => void runs.push(name) })
    jobs.every(60_000, { name: 'n', scope: 'node', run: async () => void runs.push(`node ${name}`) })
  }
  register(one, 'one')
  register(two, 'two')
  const cluster = () => runs.splice(0).filter((run) => !run.startsWith('node'))
  await pass(310_000)
  expect(runs.filter((run) => run === 'node two')).toHaveLength(5)
  expect(new Set(cluster())).toEqual(new Set(['one']))
  // An orderly stop releases the lease at once.
  await one.stop()
  await pass(65_000)
  expect(cluster()).toEqual(['two'])
  const three = node()
  register(three, 'three')
  await pass(130_000)
  expect(cluster()).toEqual(['two', 'two'])
  // A node that dies loses it by time.
  leases.expireAll()
  await pass(60_000)
  expect(runs.length).toBeGreaterThan(0)
  await Promise.all([two.stop(), three.stop()])
})

test('a lease from before the clock was set back stops no job', async () => {
  const { node, leases, pass } = world()
  let runs = 0
  const job: Job = {
    name: 'j',
    scope: 'cluster',
    run: async () => {
      runs++
      return undefined
    },
  }
  node().every(1_000, job)
  // By the clock of before, an hour ahead.
  await leases.acquire('job/j', 'a node that is gone', 3_600_000)
  await pass(1_100)
  expect(runs).toBe(1)
})

test('while a job runs its lease is renewed', async () => {
  const { node, pass } = world()
  const [one, two] = [node(0.4), node(0.6)]
  const runs: string[] = []
  for (const [name, jobs] of [
    ['one', one],
    ['two', two],
  ] as const)
    jobs.every(10_000, {
      name: 'long',
      scope: 'cluster',
      run: () => {
        runs.push(name)
        return new Promise(() => {})
      },
    })
  await pass(600_000)
  expect(runs).toEqual(['one'])
  await Promise.all([one.stop(), two.stop()])
})

test('an error is logged once until the job succeeds, and the job goes on', async () => {
  const { node, pass, said } = world()
  const jobs = node()
  const outcomes = [true, false, false, true, false]
  jobs.every(1_000, {
    name: 'x',
    scope: 'cluster',
    run: async () => {
      if (outcomes.shift() === false) throw new Error('the store is down')
      return undefined
    },
  })
  await pass(7_500)
  expect(outcomes).toEqual([])
  expect(said).toEqual(['warn: background job failed: x', 'warn: background job failed: x'])
  await jobs.stop()
})

test('a job in pages goes on after its pause, under one lease, until nothing is left', async () => {
  const { node, pass, monotonic } = world()
  const jobs = node()
  const pages: number[] = []
  const results = [5, 5, undefined, undefined]
  jobs.every(60_000, {
    name: 'x',
    scope: 'cluster',
    run: async () => {
      pages.push(monotonic())
      return results.shift()
    },
  })
  await pass(125_000)
  expect(pages).toEqual([60_000, 60_005, 60_010, 120_010])
  await jobs.stop()
})

/** Runs of the audit, one after the other. */
const RUNS = {
  leases: memoryLeases(() => 0),
  books: { beginAudit: async () => 1n, renewAudit: async () => {}, endAudit: async () => {} },
}

test('the ledger is audited after the start and every night, and both outcomes are logged', async () => {
  const { log, said } = world()
  const reports = [CLEAN_AUDIT, { ...CLEAN_AUDIT, ok: false }]
  const audit = async () => reports.shift() ?? CLEAN_AUDIT
  const failures: (number | undefined)[] = []
  const alerts = {
    putFacts: async (_: string, [fact]: readonly AlertFact[]) => void failures.push(fact?.amount),
  }
  const { interval, job } = registered((every) =>
    auditLedger(every, { ...RUNS, ledger: { audit }, alerts }, log, { isBusy: () => false, isOverloaded: () => true }),
  )
  expect(job).toMatchObject({ firstMs: 30_000, scope: 'cluster' })
  const next = new Date(Date.now() + (typeof interval === 'function' ? interval() : 0) + 1_000)
  expect([next.getHours(), next.getMinutes()]).toEqual([3, 0])
  expect(await job.run()).toBeUndefined()
  // Overloaded from then on: an hour later it runs all the same.
  for (let run = 0; run < 60; run++) expect(await job.run()).toBe(60_000)
  expect(await job.run()).toBeUndefined()
  expect(said).toEqual([
    'info: audit: the ledger is consistent',
    "error: audit: the ledger is NOT consistent; 'trivium audit' lists the errors",
  ])
  expect(failures).toEqual([0, 1])
})

test('a busy gateway postpones the audit after a start, an overloaded one the others, for an hour at most', async () => {
  const { log } = world()
  let looks = 0
  const audits: number[] = []
  const audit = async () => {
    audits.push(looks)
    return CLEAN_AUDIT
  }
  // Quiet at the third look only.
  const load = { isBusy: () => ++looks !== 3, isOverloaded: () => ++looks > 0 }
  const { job } = registered((every) =>
    auditLedger(every, { ...RUNS, ledger: { audit }, alerts: { putFacts: async () => {} } }, log, load),
  )
  while (audits.length < 2) await job.run()
  // The third look; and the one after sixty in vain.
  expect(audits).toEqual([3, 3 + 61])
})

test('expired contents are removed page by page', async () => {
  const removed = [50, 50, 49]
  const limits: number[] = []
  const sweep = async (limit: number) => {
    limits.push(limit)
    return removed.shift() ?? 0
  }
  const { job } = registered((every) => sweepContents(every, { sweep }))
  const results = [await job.run(), await job.run(), await job.run()]
  expect(results.map((result) => result !== undefined)).toEqual([true, true, false])
  expect(limits).toEqual([50, 50, 50])
})

test('expired media are deleted page by page, by one node', async () => {
  const deleted = [20, 20, 3]
  const sweep = async (limit: number) => Math.min(limit, deleted.shift() ?? 0)
  const { job } = registered((every) => sweepMedia(every, { sweep }))
  const results = [await job.run(), await job.run(), await job.run()]
  expect([job.scope, ...results.map((result) => result !== undefined)]).toEqual(['cluster', true, true, false])
})

test('old responses and reasoning state are removed page by page, by one node', async () => {
  const [rows, entries] = [
    [50, 3, 0, 0],
    [0, 50, 7, 0],
  ]
  const responses = { sweep: async (limit: number) => Math.min(limit, rows.shift() ?? 0) }
  const reasoning = { sweep: async (limit: number) => Math.min(limit, entries.shift() ?? 0) }
  const { job } = registered((every) => sweepResponses(every, { responses, reasoning }))
  const isMore: boolean[] = []
  while (rows.length > 0) isMore.push((await job.run()) !== undefined)
  expect([job.scope, ...isMore]).toEqual(['cluster', true, true, true, false])
})

test('expired sessions, links and attempts are removed page by page, by one node', async () => {
  const [rows, entries] = [
    [100, 3, 0, 0],
    [0, 0, 100, 0],
  ]
  const sessions = { sweep: async (limit: number) => Math.min(limit, rows.shift() ?? 0) }
  const signIns = { sweep: async (limit: number) => Math.min(limit, entries.shift() ?? 0) }
  const { job } = registered((every) => sweepSessions(every, { sessions, signIns }))
  const isMore: boolean[] = []
  while (rows.length > 0) isMore.push((await job.run()) !== undefined)
  expect([job.scope, ...isMore]).toEqual(['cluster', true, true, true, false])
})

test('old tasks and their leases are removed page by page, by one node; leases of the last day stay', async () => {
  const [rows, leases] = [
    [50, 50, 3, 0],
    [0, 50, 50, 7],
  ]
  const ages: number[] = []
  const tasks = { sweep: async (limit: number) => Math.min(limit, rows.shift() ?? 0) }
  const removeTaskLeases = async (below: bigint, limit: number) => {
    ages.push(Date.now() - timeOfId(below))
    return Math.min(limit, leases.shift() ?? 0)
  }
  const { job } = registered((every) => sweepTasks(every, { tasks, ledger: { removeTaskLeases } }))
  const isMore = [1, 2, 3, 4].map(async () => (await job.run()) !== undefined)
  expect([job.scope, ...(await Promise.all(isMore))]).toEqual(['cluster', true, true, true, false])
  for (const age of ages) expect(Math.abs(age - 24 * 3_600_000)).toBeLessThan(60_000)
})

test('receipts are cleared page by page from where it stopped, by the retention in force', async () => {
  const asked: { age: number; after: bigint; limit: number }[] = []
  const ledger = {
    async clearReceipts(below: bigint, after: bigint, limit: number) {
      asked.push({ age: Math.round((Date.now() - timeOfId(below)) / 1_000), after, limit })
      if (asked.length === 2) throw new Error('the store is down')
      return { last: after + 5n, isMore: asked.length === 1 }
    },
  }
  const keep = () => (asked.length < 3 ? 100_000 : ('off' as const))
  const { job } = registered((every) => clearReceipts(every, ledger, keep))
  expect(await job.run()).toBeGreaterThan(0)
  expect(await job.run().catch(String)).toBe('Error: the store is down')
  for (let run = 0; run < 2; run++) expect(await job.run()).toBeUndefined()
  expect(asked).toEqual([
    { age: 100, after: 0n, limit: 200 },
    { age: 100, after: 5n, limit: 200 },
    { age: 100, after: 5n, limit: 200 },
    { age: 0, after: 10n, limit: 200 },
  ])
  expect(firstIdAt(0)).toBe(0n)
})

test('old rows of the audit log are removed page by page, by the retention in force', async () => {
  const ages: number[] = []
  const removed = [2_000, 499, 0]
  const sweep: AuditLog['sweep'] = async (keptSince, limit, entry) => {
    ages.push(Math.round((Date.now() - keptSince) / 1_000))
    expect(entry(7)).toMatchObject({ actor: { type: 'job' }, action: 'audit-log remove', before: { rows: 7 } })
    return Math.min(limit, removed.shift() ?? 0)
  }
  const keep = () => (ages.length < 2 ? 100_000 : ('off' as const))
  const { job } = registered((every) => sweepAuditLog(every, { sweep }, keep))
  const isMore = [await job.run(), await job.run(), await job.run()].map((pause) => pause !== undefined)
  expect([job.scope, ...isMore]).toEqual(['cluster', true, false, false])
  expect(ages).toEqual([100, 100, 0])
})

test('cached callers are dropped on any change, and whenever changes cannot be read', async () => {
  const counters = [1n, 1n, undefined, 1n, 2n]
  let cleared = 0
  const changeCounter = async () => {
    const next = counters.shift()
    if (next === undefined) throw new Error('the store is down')
    return next
  }
  let followed = 0
  const follow = async () => void followed++
  const { job } = registered((every) => pollChanges(every, { changeCounter }, { clear: () => cleared++ }, follow))
  const seen: number[] = []
  while (counters.length > 0) {
    await job.run().catch(() => {})
    seen.push(cleared)
  }
  expect(seen).toEqual([1, 1, 2, 2, 3])
  expect(followed).toBe(2)
})

test('a change that cannot be read is read again', async () => {
  let followed = 0
  const follow = async () => {
    followed += 1
    if (followed === 1) throw new Error('the store is down')
  }
  const { job } = registered((every) => pollChanges(every, { changeCounter: async () => 1n }, { clear() {} }, follow))
  for (let run = 0; run < 4; run++) await job.run().catch(() => {})
  expect(followed).toBe(2)
})
