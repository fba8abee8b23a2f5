// Audits of the ledger that run in the background, one at a time in the cluster, with their progress and results: started by an operator, or
// by the job of every night.
import { reportAudit } from '../../alerts/report-audit.ts'
import { fields } from '../../request/schema/schema.ts'
import type { AuditActor, AuditReport, AuditRun, Books, Storage } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { pageFields, readPage } from '../inputs/page.ts'
import { auditActor, audited, type OperationContext, operation } from '../operation.ts'
import { actorNames, shownActor } from '../people/actor-names.ts'
import { rejected } from '../rejections.ts'
import { LEDGER_AUDIT_RUN } from '../resources/gateway.ts'
import { AUDIT_DEPTH, OF_LATER_VERSIONS, type ShownReport, showReport } from './audit.ts'
import { AUDIT_LEASE_MS, type AuditLease, acquireAuditLease, RENEW_AUDIT_MS } from './audit-lease.ts'

/** The most ids in each list of a stored report: one error has the same cause as a thousand like it. */
const MOST_IDS = 100

export type AuditStores = Pick<Storage, 'leases'> & {
  ledger: Pick<Storage['ledger'], 'audit'>
  alerts: Pick<Storage['alerts'], 'putFacts'>
  books: Pick<Books, 'beginAudit' | 'renewAudit' | 'endAudit'>
}

/** `ended` rejects if there is no result; the run says so, too. */
export type BegunAudit = { run: bigint; ended: Promise<AuditReport> }

/** `begin`: writes the run, by default without an entry in the audit log. */
type BeginOptions = { begin?: () => Promise<bigint>; deep?: boolean | undefined }

/** undefined: another one runs. */
export async function beginAudit(
  stores: AuditStores,
  actor: AuditActor,
  { begin = () => stores.books.beginAudit(actor), deep = false }: BeginOptions = {},
): Promise<BegunAudit | undefined> {
  const lease = await acquireAuditLease(stores.leases)
  if (!lease) return undefined
  try {
    const run = await begin()
    return { run, ended: audit(stores, run, lease, deep).finally(lease.release) }
  } catch (error) {
    await lease.release()
    throw error
  }
}

async function audit(
  { ledger, alerts, books }: AuditStores,
  run: bigint,
  lease: AuditLease,
  deep: boolean,
): Promise<AuditReport> {
  let [done, all] = [0, 0]
  const renew = () => {
    lease.renew()
    books.renewAudit(run, done, all).catch(() => {})
  }
  const timer = setInterval(renew, RENEW_AUDIT_MS)
  const onStep = (step: number, steps: number) => {
    ;[done, all] = [step, steps]
    books.renewAudit(run, step, steps).catch(() => {})
  }
  const withoutResult = async (error: unknown): Promise<never> => {
    await books.endAudit(run, undefined, undefined).catch(() => {})
    throw error
  }
  const report = await ledger
    .audit({ deep, onStep })
    .catch(withoutResult)
    .finally(() => clearInterval(timer))
  const shown = showReport(report, MOST_IDS)
  await books.endAudit(run, shown.ok, JSON.stringify(shown))
  await reportAudit(alerts, shown.ok)
  return report
}

export const startAudit = operation({
  name: 'ledger audit start',
  permission: 'money',
  route: {
    at: 'POST ledger/audits',
    summary: 'Starts an audit of the ledger in the background, one at a time',
    output: LEDGER_AUDIT_RUN,
    status: 202,
  },
  input: AUDIT_DEPTH,
  /** Returns when it has begun. */
  async run(context, { deep }) {
    const { storage, actor } = context
    const log = audited(context, 'ledger audit start', { object: 'ledger' })
    const who = auditActor(actor)
    const begun = await beginAudit(storage, who, { begin: () => log.books.beginAudit(who), deep })
    if (!begun) throw rejected('audit_runs', {})
    // The run says that it has no result.
    begun.ended.catch(() => {})
    return await shownRun(context, begun.run)
  },
})

export const listAudits = operation({
  name: 'ledger audits',
  permission: 'see',
  route: {
    at: 'GET ledger/audits',
    summary: 'Lists audits of the ledger with their progress and results, newest first',
    output: LEDGER_AUDIT_RUN,
    list: true,
  },
  input: fields(pageFields('an audit')),
  async run({ storage }, page) {
    const { items, next } = await readPage(page, storage.books.audits, ({ id }) => String(id))
    return { items: await runRows(items, storage), next }
  },
})

async function shownRun({ storage }: OperationContext, id: bigint) {
  const [run] = await storage.books.audits({ before: id + 1n }, 1)
  const [shown] = await runRows(run ? [run] : [], storage)
  if (!shown) throw new Error('the run of an audit is gone')
  return shown
}

async function runRows(runs: readonly AuditRun[], storage: Storage) {
  const names = await actorNames(storage, runs)
  return runs.map((run) => ({
    ...runRow(run, storage.now()),
    started_by_name: names.get(shownActor(run.actor)) ?? null,
  }))
}

const runRow = (run: AuditRun, now: number) => ({
  id: String(run.id),
  state: stateOf(run, now),
  started_at: isoTime(run.startedAt),
  ended_at: run.endedAt === undefined ? null : isoTime(run.endedAt),
  started_by: shownActor(run.actor),
  step: run.step,
  steps: run.steps,
  result: run.report === undefined ? null : ({ ...OF_LATER_VERSIONS, ...JSON.parse(run.report) } as ShownReport),
})

/** `stopped`: its process ended, or the store did not answer. */
function stateOf({ ok, endedAt, renewedAt }: AuditRun, now: number): 'running' | 'passed' | 'failed' | 'stopped' {
  if (ok !== undefined) return ok ? 'passed' : 'failed'
  return endedAt === undefined && now - renewedAt < AUDIT_LEASE_MS ? 'running' : 'stopped'
}
