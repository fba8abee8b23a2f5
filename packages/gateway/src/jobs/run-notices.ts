// Notices to account holders: one process of the cluster finds what is to be told, and one sends it.
import { deliverNotices } from '../notices/deliver.ts'
import { findNotices } from '../notices/find.ts'
import { tellStatements } from '../notices/statements.ts'
import type { NoticeDependencies } from '../notices/tell.ts'
import type { Every } from './every.ts'

const FIND_MS = 15_000
const DELIVER_MS = 5_000
const STATEMENTS_MS = 10 * 60_000
export const NOTICES_KEPT_MS = 90 * 86_400_000
const SWEEP_PAGE = 100

export function runNotices(every: Every, deps: NoticeDependencies): void {
  every(FIND_MS, {
    name: 'find notices',
    scope: 'cluster',
    firstMs: FIND_MS / 5,
    async run() {
      await findNotices(deps)
      return undefined
    },
  })
  every(DELIVER_MS, {
    name: 'deliver notices',
    scope: 'cluster',
    firstMs: DELIVER_MS,
    async run() {
      if (await deliverNotices(deps)) return 0
      await deps.storage.notices.sweep(deps.storage.now() - NOTICES_KEPT_MS, SWEEP_PAGE)
      return undefined
    },
  })
  every(STATEMENTS_MS, {
    name: 'tell of statements',
    scope: 'cluster',
    async run() {
      await tellStatements(deps)
      return undefined
    },
  })
}
