// Alerts: those that are open, those of the past, and a test of the targets.
import type { AlertMessage } from '../../alerts/targets.ts'
import { targetsOf } from '../../alerts/targets.ts'
import { fields, optional, text, word } from '../../request/schema/schema.ts'
import type { Alert, AlertMute, DeliveryState } from '../../storage/storage.ts'
import { postPublic } from '../../upstreams/public/post-public.ts'
import { isoTime } from '../inputs/fields.ts'
import { pageFields, type Range, readPage } from '../inputs/page.ts'
import { auditEntry, operation, preview } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { ALERT, ALERT_TEST } from '../resources/gateway.ts'
import { alertsFor, mutedUntil } from './rules.ts'

export const listAlerts = operation({
  name: 'alert list',
  permission: 'see',
  route: { at: 'GET alerts', summary: 'Lists alerts', output: ALERT, list: true, isShared: true },
  input: fields({ state: optional(word('open', 'resolved')), ...pageFields('an alert') }),
  /** A page may be short although there are more. */
  async run({ storage: { alerts }, actor }, { state, ...page }) {
    const of = state === undefined ? {} : { isOpen: state === 'open' }
    const read = (range: Range, limit: number) => alerts.list({ ...of, ...range }, limit)
    const { items: all, next } = await readPage(page, read, ({ id }) => String(id))
    const rows = all.filter(alertsFor(actor))
    const deliveries = await alerts.deliveries(rows.map(({ id }) => id))
    const mutes = await alerts.mutes(Date.now())
    const items = rows.map((row) => shownAlert(row, deliveries, mutes))
    return { items, next }
  },
})

const shownAlert = (alert: Alert, deliveries: readonly DeliveryState[], mutes: readonly AlertMute[]) => ({
  id: String(alert.id),
  rule: alert.rule,
  object: alert.object,
  state: alert.resolvedAt === undefined ? 'open' : 'resolved',
  value: alert.value,
  since: isoTime(alert.since),
  fired_at: alert.firedAt === undefined ? null : isoTime(alert.firedAt),
  resolved_at: alert.resolvedAt === undefined ? null : isoTime(alert.resolvedAt),
  muted_until: alert.resolvedAt === undefined ? mutedUntil(mutes, alert) : null,
  deliveries: deliveries
    .filter((each) => each.alert === alert.id)
    .map(({ event, target, tries, endedAt, error }) => ({
      event,
      target,
      tries,
      state: endedAt === undefined ? 'pending' : error === undefined ? 'delivered' : 'given up',
      error: error ?? null,
    })),
})

/** Sends to every target, or to one, at once, and tells how that went. */
export const testAlerts = operation({
  name: 'alert test',
  permission: 'configuration',
  route: {
    at: 'POST alerts/test',
    summary: 'Sends a test to every target of the alerts, or to one',
    output: ALERT_TEST,
    example: { body: {} },
  },
  input: fields({ target: optional(text({ max: 400 })) }),
  async run(context, { target }) {
    const all = targetsOf(context.config, { postPublic, clock: Date.now })
    const chosen = target === undefined ? all : all.filter(({ name }) => name === target)
    if (target !== undefined && chosen.length === 0)
      throw rejected('unknown_target', { field: 'target', target, known: all.map(({ name }) => name).join(', ') })
    preview(context, 'alert test', { object: 'alerts' })
    const { storage, config, listenUrl } = context
    const body = JSON.stringify(testMessage(new Date().toISOString(), config.server.publicUrl ?? listenUrl))
    const message = { id: `alert_test_${crypto.randomUUID()}`, body }
    const targets = await Promise.all(
      chosen.map(async ({ name, send }) => {
        const error = await send(message).then(
          () => null,
          (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
        )
        return { target: name, ok: error === null, error }
      }),
    )
    const ok = targets.every((target) => target.ok)
    await storage.auditLog.add(auditEntry(context, 'alert test', { object: 'alerts', after: { ok } }))
    return { ok, targets }
  },
})

const testMessage = (at: string, gateway: string): AlertMessage => ({
  type: 'alert.test',
  timestamp: at,
  data: {
    id: 'test',
    rule: 'test',
    object: '',
    title: 'A test of the alerts',
    value: 'nothing is wrong',
    advice: 'Nothing has to be done.',
    since: at,
    resolved_at: null,
    gateway,
  },
})
