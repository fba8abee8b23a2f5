// Audits the ledger soon after the start, then every night.

import type { Log } from '../observe/log.ts'
import { type AuditStores, beginAudit } from '../operate/ledger/audit-runs.ts'
import type { Every } from './every.ts'

/** After the start's own work. */
const FIRST_MS = 30_000
const HOUR = 3
const NAME = 'audit the ledger'
/** What postpones an audit, for an hour at most: any request after a start, when clients come back at once; later an overload. */
export type Load = { isBusy(): boolean; isOverloaded(): boolean }
const POSTPONED_MS = 60_000
const MOST_POSTPONED = 60

export function auditLedger(every: Every, stores: AuditStores, log: Log, load: Load): void {
  let postponed = 0
  let isFirst = true
  every(untilNight, {
    name: NAME,
    scope: 'cluster',
    firstMs: FIRST_MS,
    async run() {
      const mustWait = isFirst ? load.isBusy() : load.isOverloaded()
      if (mustWait && postponed++ < MOST_POSTPONED) return POSTPONED_MS
      postponed = 0
      isFirst = false
      const begun = await beginAudit(stores, { type: 'job', id: NAME })
      // An operator has just started one.
      if (!begun) return undefined
      const { ok, requests, transfers, openHolds, lostTaskHolds } = await begun.ended
      if (lostTaskHolds.length > 0)
        log.error("audit: holds of video tasks that do not exist; 'trivium audit' lists them, a restart voids them", {
          holds: lostTaskHolds.length,
        })
      if (ok) log.info('audit: the ledger is consistent', { requests, transfers, openHolds })
      else log.error("audit: the ledger is NOT consistent; 'trivium audit' lists the errors")
      return undefined
    },
  })
}

function untilNight(): number {
  const night = new Date()
  night.setHours(HOUR, 0, 0, 0)
  if (night.getTime() <= Date.now()) night.setDate(night.getDate() + 1)
  return night.getTime() - Date.now()
}
