// Removes what is over, in small pages with pauses, so that other writers never wait for long.
import { auditEntry } from '../operate/operation.ts'
import { firstIdAt } from '../request/ids.ts'
import type {
  AttributedUsage,
  AuditLog,
  Contents,
  Ledger,
  Months,
  Reasoning,
  Responses,
  Sessions,
  SignIns,
  Storage,
  Tasks,
} from '../storage/storage.ts'
import type { Every, Job } from './every.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** No request to place a hold is under way for as long. */
const LEASES_KEPT_MS = DAY_MS
const FREE_REQUESTS_KEPT_MS = 30 * DAY_MS
const LIMITS_KEPT_MS = 2 * DAY_MS
const AUDIT_LOG_SWEEP = 'remove old rows of the audit log'

type Sweep = Omit<Job, 'scope' | 'run'> & {
  intervalMs?: number
  pauseMs?: number
  /** Removes one page, and tells whether there may be more. */
  page(): Promise<boolean>
}

function sweep(every: Every, { intervalMs = MINUTE_MS, pauseMs = 20, page, ...job }: Sweep): void {
  every(intervalMs, { ...job, scope: 'cluster', run: async () => ((await page()) ? pauseMs : undefined) })
}

export function sweepContents(every: Every, contents: Pick<Contents, 'sweep'>): void {
  sweep(every, { name: 'remove expired contents', page: async () => (await contents.sweep(50)) === 50 })
}

/** Deletes images and videos that have expired. */
export function sweepMedia(every: Every, mediaStore: { sweep(limit: number): Promise<number> }): void {
  sweep(every, { name: 'delete expired media', page: async () => (await mediaStore.sweep(20)) === 20 })
}

type KeptResponses = { responses: Pick<Responses, 'sweep'>; reasoning: Pick<Reasoning, 'sweep'> }

/** Removes stored responses and reasoning state that nothing needs any more. */
export function sweepResponses(every: Every, { responses, reasoning }: KeptResponses): void {
  const page = async () => (await responses.sweep(50)) + (await reasoning.sweep(50)) > 0
  sweep(every, { name: 'remove old responses', page })
}

/** Removes what is known of limits of upstreams that are no longer limited. */
export function sweepUpstreamLimits(every: Every, storage: Pick<Storage, 'upstreamLimits' | 'now'>): void {
  const page = async () => {
    await storage.upstreamLimits.sweep(storage.now() - LIMITS_KEPT_MS)
    return false
  }
  sweep(every, { name: 'remove old limits of upstreams', intervalMs: HOUR_MS, page })
}

/** Removes sums by tag and end user that are old, and what accounts that are deleted have of tags, end users and sessions. */
export function sweepAttribution(
  every: Every,
  attribution: Pick<AttributedUsage, 'sweep' | 'sweepDeleted' | 'forgetDeleted'>,
  keepMs: () => number | 'off',
): void {
  sweep(every, {
    name: 'remove old sums of tags',
    intervalMs: HOUR_MS,
    async page() {
      const until = keptSince(keepMs())
      return await attribution.sweep(until - (until % DAY_MS))
    },
  })
  sweep(every, {
    name: 'remove tags of deleted accounts',
    intervalMs: HOUR_MS,
    async page() {
      const [hasSums, hasRequests] = [await attribution.sweepDeleted(), await attribution.forgetDeleted()]
      return hasSums || hasRequests
    },
  })
}

type TaskRows = { tasks: Pick<Tasks, 'sweep'>; ledger: Pick<Ledger, 'removeTaskLeases'> }

/** Removes the rows of tasks whose time is over, and the leases of tasks that have ended. */
export function sweepTasks(every: Every, { tasks, ledger }: TaskRows): void {
  sweep(every, {
    name: 'remove old tasks',
    async page() {
      const rows = await tasks.sweep(50)
      const leases = await ledger.removeTaskLeases(firstIdAt(Date.now() - LEASES_KEPT_MS), 50)
      return rows === 50 || leases === 50
    },
  })
}

type SignedIn = { sessions: Pick<Sessions, 'sweep'>; signIns: Pick<SignIns, 'sweep'> }

/** Removes sessions that have expired, and links and attempts that no longer matter. */
export function sweepSessions(every: Every, { sessions, signIns }: SignedIn): void {
  const page = async () => (await sessions.sweep(100)) + (await signIns.sweep(100)) > 0
  sweep(every, { name: 'remove expired sessions', page })
}

/** Leaves a row that says how many were removed. `keepMs`: as the configuration has it now. */
export function sweepAuditLog(every: Every, auditLog: Pick<AuditLog, 'sweep'>, keepMs: () => number | 'off'): void {
  const entryOf = (rows: number) =>
    auditEntry({ actor: { type: 'job', name: AUDIT_LOG_SWEEP } }, 'audit-log remove', {
      object: 'audit-log',
      before: { rows },
    })
  sweep(every, {
    name: AUDIT_LOG_SWEEP,
    intervalMs: DAY_MS,
    firstMs: HOUR_MS,
    pauseMs: 50,
    page: async () => (await auditLog.sweep(keptSince(keepMs()), 2_000, entryOf)) === 2_000,
  })
}

/**
 * Clears the text of receipts after their retention; requests and transfers stay. `keepMs`: as the configuration has it now. Each
 * process reads the old requests once, then continues from there.
 */
export function clearReceipts(every: Every, ledger: Pick<Ledger, 'clearReceipts'>, keepMs: () => number | 'off'): void {
  let after = 0n
  sweep(every, {
    name: 'clear old receipts',
    pauseMs: 50,
    async page() {
      const { last, isMore } = await ledger.clearReceipts(firstIdAt(keptSince(keepMs())), after, 200)
      after = last
      return isMore
    },
  })
}

/** Removes the rows of old requests at price 0: each is about a kilobyte, and they have moved no money. Sums of them stay. */
export function foldFreeRequests(every: Every, ledger: Pick<Ledger, 'foldFreeRequests'>): void {
  sweep(every, {
    name: 'fold free requests',
    intervalMs: HOUR_MS,
    firstMs: 120_000,
    pauseMs: 100,
    page: async () => (await ledger.foldFreeRequests(firstIdAt(Date.now() - FREE_REQUESTS_KEPT_MS), 200)) === 200,
  })
}

/** Seals months that are over, in small steps. A step of a run that another process has overtaken writes nothing. */
export function sealMonths(every: Every, months: Pick<Months, 'seal'>): void {
  let sealing: ReturnType<Months['seal']> | undefined
  every(HOUR_MS, {
    name: 'seal months',
    scope: 'cluster',
    firstMs: 300_000,
    async run() {
      sealing ??= months.seal()
      const { done } = await sealing.next().catch((error) => {
        sealing = undefined
        throw error
      })
      if (!done) return 20
      sealing = undefined
      return undefined
    },
  })
}

const keptSince = (keepMs: number | 'off'): number => Date.now() - (keepMs === 'off' ? 0 : keepMs)
