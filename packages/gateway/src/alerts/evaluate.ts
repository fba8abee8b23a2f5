// Compares what is true now with the alerts in the store. Every change is a compare-and-set together with its deliveries, so that an
// alert fires once and resolves once, whichever processes run this, and wherever they are killed.

import {
  type Alert,
  type AlertEvent,
  type AlertFact,
  type AlertMute,
  ANY_OBJECT,
  type NewDelivery,
} from '../storage/storage.ts'
import { type Finding, judge, nameOf, RULES } from './rules.ts'
import type { AlertDependencies, AlertMessage } from './targets.ts'

/** A condition that comes and goes is one alert: it must have been false for this long. */
export const RESOLVED_AFTER_MS = 5 * 60_000

export async function evaluate(deps: AlertDependencies, facts: readonly AlertFact[]): Promise<void> {
  const { store, config, clock } = deps
  const now = clock()
  const found = judge(facts, config().alerts, now)
  const isMuted = muted(await store.mutes(now))
  for (const alert of await store.unresolved()) {
    const finding = found.get(nameOf(alert))
    found.delete(nameOf(alert))
    await (finding ? goesOn(alert, finding, isMuted(alert), now, deps) : isOver(alert, now, deps))
  }
  for (const finding of found.values()) {
    const begun = await store.begin({ ...finding, since: now })
    if (begun) await goesOn(begun, finding, isMuted(begun), now, deps)
  }
}

/** Whether an alert is listed without being sent. */
export const muted =
  (mutes: readonly AlertMute[]) =>
  ({ rule, object }: Pick<Alert, 'rule' | 'object'>): boolean =>
    mutes.some((mute) => mute.rule === rule && (mute.object === ANY_OBJECT || mute.object === object))

async function goesOn(
  alert: Alert,
  { rule, value }: Finding,
  isMuted: boolean,
  now: number,
  deps: AlertDependencies,
): Promise<void> {
  const { id, since, firedAt, clearSince } = alert
  const fired = () => deliveriesOf('fired', { ...alert, value }, now, deps)
  const lastsMs = RULES[rule].lastsMs?.(deps.config().alerts.thresholds) ?? 0
  if (firedAt !== undefined) {
    if (clearSince !== undefined || value !== alert.value) await deps.store.update(id, { value, clearSince: undefined })
    // What fired under a mute and is still true after it is sent then.
    if (alert.isMuted && !isMuted) await deps.store.fireAfterMute(id, now, fired())
    return
  }
  if (now - since < lastsMs) return
  if (await (isMuted ? deps.store.fireMuted(id, now) : deps.store.fire(id, now, fired())))
    deps.log.warn(`alert: ${RULES[rule].title}`, {
      rule,
      object: alert.object,
      value,
      ...(isMuted ? { muted: true } : {}),
    })
}

async function isOver(alert: Alert, now: number, deps: AlertDependencies): Promise<void> {
  const { id, rule, object, value, firedAt, clearSince } = alert
  if (firedAt === undefined) return deps.store.drop(id)
  // In the future: the clock was set back.
  if (clearSince === undefined || clearSince > now) return deps.store.update(id, { value, clearSince: now })
  if (now - clearSince < RESOLVED_AFTER_MS) return
  // Whoever was told that it fired is told that it is over, muted or not.
  const deliveries = alert.isMuted ? [] : deliveriesOf('resolved', alert, now, deps)
  if (await deps.store.resolve(id, now, deliveries)) deps.log.info(`alert resolved: ${titleOf(rule)}`, { rule, object })
}

/** A rule of a later version may be in the store. */
const titleOf = (rule: string): string => describe(rule).title
const describe = (rule: string): { title: string; advice: string } =>
  Object.hasOwn(RULES, rule) ? RULES[rule as keyof typeof RULES] : { title: rule, advice: '' }

function deliveriesOf(event: AlertEvent, alert: Alert, now: number, deps: AlertDependencies): NewDelivery[] {
  const body = JSON.stringify(messageOf(event, alert, now, deps.gateway()))
  return deps.targets().map(({ name }) => ({ target: name, body }))
}

export function messageOf(event: AlertEvent, alert: Alert, now: number, gateway: string): AlertMessage {
  const { id, rule, object, value, since } = alert
  const { title, advice } = describe(rule)
  const at = new Date(now).toISOString()
  return {
    type: `alert.${event}`,
    timestamp: at,
    data: {
      id: String(id),
      rule,
      object,
      title,
      value,
      advice,
      since: new Date(since).toISOString(),
      resolved_at: event === 'resolved' ? at : null,
      gateway,
    },
  }
}
