// Alerts on both engines.
import { sql } from 'kysely'
import type { Nanos } from '../../../money/amount.ts'
import {
  type Alert,
  type AlertDelivery,
  type AlertEvent,
  type AlertFact,
  type AlertMute,
  type DeliveryState,
  type Loss,
  type NewDelivery,
  type OldHolds,
  toAlert,
  toDeliveryState,
  toFact,
  toMute,
} from '../../console/alerts.ts'
import { checkText } from '../guard.ts'
import { newestFirst } from '../lists/pages.ts'
import { integer, optional, small, text } from '../rows.ts'
import { type Connection, type Database, rawStatement, required, type Statement, statement } from '../statements.ts'

/** What an SMTP server or a library says may be long. */
const LONGEST_ERROR = 500

export const alertsOver = ({ db, runner }: Connection) => ({
  /** Replaces what this source has measured before. */
  async putFacts(source: string, facts: readonly AlertFact[], expiresAt: number): Promise<void> {
    const rows = facts.map(({ rule, object, amount, total }) => ({
      source: checkText('source', source),
      rule: checkText('rule', rule),
      object: checkText('object', object),
      amount: Math.round(amount),
      total: Math.round(total),
      expires_at: expiresAt,
    }))
    const remove = statement(db.deleteFrom('alert_fact').where('source', '=', source))
    // Two processes of one source, such as two audits at once, must not fail each other.
    const add = rows.length === 0 ? [] : [statement(insertFacts(db, rows))]
    await runner.write([remove, ...add])
  },
  /** Those that have not expired. */
  async facts(now: number): Promise<AlertFact[]> {
    const rows = await runner.read(statement(db.selectFrom('alert_fact').selectAll().where('expires_at', '>', now)))
    return rows.map(toFact)
  },
  /** Open holds from before this time. */
  async oldHolds(before: number): Promise<OldHolds> {
    const found = sql`SELECT count(*) AS count, CAST(coalesce(sum(held), 0) AS bigint) AS held, min(held_at) AS oldest
      FROM request WHERE state = 0 AND held_at < ${before}`
    const [row = {}] = await runner.readLedger(rawStatement(db, found))
    return { count: small(row.count), held: integer(row.held), oldestAt: optional(row.oldest, small) }
  },
  /** Models whose upstreams cost more than was charged since `from`, the largest loss first. */
  async losses(from: number, least: Nanos, limit: number): Promise<Loss[]> {
    const found = sql`SELECT model, CAST(sum(cost) AS bigint) AS charged, CAST(sum(upstream_cost) AS bigint) AS paid
      FROM hourly_spending WHERE hour >= ${from} GROUP BY model HAVING sum(upstream_cost) - sum(cost) > ${least}
      ORDER BY sum(cost) - sum(upstream_cost), model LIMIT ${limit}`
    return (await runner.readPage(rawStatement(db, found))).map((row) => ({
      model: text(row.model),
      charged: integer(row.charged),
      upstreamCost: integer(row.paid),
    }))
  },
  /** All that are not resolved, also those that have not fired. */
  async unresolved(): Promise<Alert[]> {
    const query = db.selectFrom('alert').selectAll().where('resolved_at', 'is', null).orderBy('id')
    return (await runner.read(statement(query))).map(toAlert)
  },
  /** Those that have fired, newest first. `before`: only those with a lower id; `after`: with a higher one. */
  async list(
    { isOpen, ...range }: { isOpen?: boolean; before?: bigint; after?: bigint },
    limit: number,
  ): Promise<Alert[]> {
    const fired = db.selectFrom('alert').selectAll().where('fired_at', 'is not', null)
    const query = isOpen === undefined ? fired : fired.where('resolved_at', isOpen ? 'is' : 'is not', null)
    return (await newestFirst(runner.readPage, query, range, limit)).map(toAlert)
  },
  /** The deliveries of these alerts. */
  async deliveries(alerts: readonly bigint[]): Promise<DeliveryState[]> {
    if (alerts.length === 0) return []
    const query = db.selectFrom('alert_delivery').selectAll().where('alert', 'in', alerts).orderBy('id')
    return (await runner.readPage(statement(query))).map(toDeliveryState)
  },
  /** undefined if the rule has an unresolved alert for the object. */
  async begin({ rule, object, value, since }: Pick<Alert, 'rule' | 'object' | 'value' | 'since'>) {
    const row = { rule: checkText('rule', rule), object: checkText('object', object), value: clean(value), since }
    const insert = db.insertInto('alert').values(row)
    const once = insert.onConflict((conflict) => conflict.doNothing()).returningAll()
    const [added] = (await runner.write([statement(once)])) ?? []
    return added?.[0] && toAlert(added[0])
  },
  /** The condition ended before the alert fired. */
  async drop(id: bigint): Promise<void> {
    await runner.write([statement(db.deleteFrom('alert').where('id', '=', id).where('fired_at', 'is', null))])
  },
  async update(id: bigint, { value, clearSince }: Pick<Alert, 'value' | 'clearSince'>): Promise<void> {
    const change = { value: clean(value), clear_since: clearSince ?? null }
    await runner.write([statement(db.updateTable('alert').set(change).where('id', '=', id))])
  },
  /** Each with its deliveries in one transaction; false, and nothing is written, if that has happened before. */
  async fire(id: bigint, at: number, deliveries: readonly NewDelivery[]): Promise<boolean> {
    const fired = db.updateTable('alert').set({ fired_at: at }).where('id', '=', id).where('fired_at', 'is', null)
    const steps = [required(fired.returning('id')), ...insertDeliveries(db, id, 'fired', at, deliveries)]
    return (await runner.write(steps)) !== undefined
  },
  /** Fires without a delivery. */
  async fireMuted(id: bigint, at: number): Promise<boolean> {
    const fired = db.updateTable('alert').set({ fired_at: at, is_muted: 1 }).where('id', '=', id)
    return (await runner.write([required(fired.where('fired_at', 'is', null).returning('id'))])) !== undefined
  },
  /** The mute of an alert that fired under it is over. */
  async fireAfterMute(id: bigint, at: number, deliveries: readonly NewDelivery[]): Promise<boolean> {
    const open = db.updateTable('alert').set({ is_muted: 0 }).where('id', '=', id).where('resolved_at', 'is', null)
    const steps = [required(open.where('is_muted', '=', 1).returning('id'))]
    return (await runner.write([...steps, ...insertDeliveries(db, id, 'fired', at, deliveries)])) !== undefined
  },
  async resolve(id: bigint, at: number, deliveries: readonly NewDelivery[]): Promise<boolean> {
    const open = db.updateTable('alert').set({ resolved_at: at }).where('id', '=', id).where('resolved_at', 'is', null)
    const resolved = open.where('fired_at', 'is not', null).where('clear_since', 'is not', null)
    const steps = [required(resolved.returning('id')), ...insertDeliveries(db, id, 'resolved', at, deliveries)]
    return (await runner.write(steps)) !== undefined
  },
  /**
   * Deliveries that are due. What is due later than `latest` was postponed before the clock was set back. What was resolved waits for
   * what fired to have reached the same target.
   */
  async due(now: number, latest: number, limit: number): Promise<AlertDelivery[]> {
    const found = sql`SELECT * FROM alert_delivery AS next WHERE ended_at IS NULL AND (due_at <= ${now} OR due_at > ${latest})
      AND NOT EXISTS (SELECT 1 FROM alert_delivery AS earlier WHERE earlier.alert = next.alert
        AND earlier.target = next.target AND earlier.id < next.id AND earlier.ended_at IS NULL)
      ORDER BY due_at, id LIMIT ${limit}`
    return (await runner.read(rawStatement(db, found))).map((row) => ({
      id: integer(row.id),
      body: text(row.body),
      ...toDeliveryState(row),
    }))
  },
  /** Counts a try and postpones the next one; false if another process has done so. */
  async claim({ id, tries }: Pick<AlertDelivery, 'id' | 'tries'>, nextAt: number): Promise<boolean> {
    const update = db.updateTable('alert_delivery').set({ tries: tries + 1, due_at: nextAt })
    const mine = update.where('id', '=', id).where('tries', '=', tries).where('ended_at', 'is', null)
    return (await runner.write([required(mine.returning('id'))])) !== undefined
  },
  /** `endedAt` undefined: there will be another try. */
  async record(
    id: bigint,
    { endedAt, error }: { endedAt: number | undefined; error: string | undefined },
  ): Promise<void> {
    const outcome = { ended_at: endedAt ?? null, error: error === undefined ? null : clean(error) }
    await runner.write([statement(db.updateTable('alert_delivery').set(outcome).where('id', '=', id))])
  },
  /** Those that are not over. */
  async mutes(now: number): Promise<AlertMute[]> {
    const query = db.selectFrom('alert_mute').selectAll().where('until', '>', now).orderBy('rule').orderBy('object')
    return (await runner.read(statement(query))).map(toMute)
  },
  /** Replaces the mute of the same rule and object. */
  async setMute({ rule, object, until, actor }: AlertMute, now: number): Promise<void> {
    const names = { rule: checkText('rule', rule), object: checkText('object', object) }
    const set = { until, actor: checkText('actor', actor), at: now }
    const insert = db.insertInto('alert_mute').values({ ...names, ...set })
    await runner.write([
      statement(db.deleteFrom('alert_mute').where('until', '<=', now)),
      statement(insert.onConflict((conflict) => conflict.columns(['rule', 'object']).doUpdateSet(set))),
    ])
  },
  async removeMute(rule: string, object: string): Promise<void> {
    await runner.write([statement(db.deleteFrom('alert_mute').where('rule', '=', rule).where('object', '=', object))])
  },
  /** Removes alerts that were resolved before this time, with their deliveries; resolves with their number. */
  async sweep(resolvedBefore: number, limit: number): Promise<number> {
    const old = db.selectFrom('alert').select('id').where('resolved_at', '<', resolvedBefore).limit(limit)
    const ids = (await runner.read(statement(old))).map(({ id }) => integer(id))
    if (ids.length === 0) return 0
    await runner.write([
      statement(db.deleteFrom('alert_delivery').where('alert', 'in', ids)),
      statement(db.deleteFrom('alert').where('id', 'in', ids)),
    ])
    return ids.length
  },
})

type FactRow = { source: string; rule: string; object: string; amount: number; total: number; expires_at: number }

const insertFacts = (db: Database, rows: readonly FactRow[]) =>
  db
    .insertInto('alert_fact')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())

function insertDeliveries(
  db: Database,
  alert: bigint,
  event: AlertEvent,
  at: number,
  deliveries: readonly NewDelivery[],
): Statement[] {
  const rows = deliveries.map(({ target, body }) => ({
    alert,
    event,
    target: checkText('target', target),
    body: checkText('body', body),
    due_at: at,
  }))
  return rows.length === 0 ? [] : [statement(db.insertInto('alert_delivery').values(rows))]
}

/** Text that comes from outside. */
const clean = (value: string): string =>
  checkText('text', value.slice(0, LONGEST_ERROR).toWellFormed().replaceAll('\0', ''))
