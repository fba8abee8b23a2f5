// The outbox: sends what is due, at most once for each try. A process that is killed after a try was claimed leaves it to the next.

import type { AlertDelivery } from '../storage/storage.ts'
import type { AlertDependencies, Target } from './targets.ts'

const MINUTE_MS = 60_000
/** Before the second try and those after it: about 10 hours in all. */
export const PAUSES_MS = [0.5, 2, 10, 30, 60, 180, 360].map((minutes) => minutes * MINUTE_MS)
const MOST_TRIES = PAUSES_MS.length + 1
const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS)
const AT_ONCE = 50

/** Resolves with true if there may be more to send now. */
export async function deliver(deps: AlertDependencies): Promise<boolean> {
  const now = deps.clock()
  const due = await deps.store.due(now, now + LONGEST_PAUSE_MS, AT_ONCE)
  const targets = new Map(deps.targets().map((target) => [target.name, target]))
  await Promise.all(due.map((delivery) => deliverOne(delivery, targets.get(delivery.target), now, deps)))
  return due.length === AT_ONCE
}

async function deliverOne(
  delivery: AlertDelivery,
  target: Target | undefined,
  now: number,
  { store, clock, log }: AlertDependencies,
): Promise<void> {
  const { id, alert, event, body, tries } = delivery
  if (!target) return store.record(id, { endedAt: now, error: 'the target is no longer configured' })
  if (!(await store.claim(delivery, now + (PAUSES_MS[tries] ?? LONGEST_PAUSE_MS)))) return
  try {
    await target.send({ id: `alert_${alert}_${event}`, body })
    await store.record(id, { endedAt: clock(), error: undefined })
  } catch (reason) {
    const error = reason instanceof Error ? reason.message : String(reason)
    const isLast = tries + 1 >= MOST_TRIES
    log.warn('alert not delivered', { target: target.name, event, tries: tries + 1, error, given_up: isLast })
    await store.record(id, { endedAt: isLast ? clock() : undefined, error })
  }
}
