// The audit log, newest first.

import { formatRequestId } from '../request/ids.ts'
import { fields, optional, text } from '../request/schema/schema.ts'
import type { AuditRow } from '../storage/storage.ts'
import { isoTime } from './inputs/fields.ts'
import { given, pageFields, readPlace, readTimes, TIMES } from './inputs/page.ts'
import { type OperationContext, operation, seesCosts } from './operation.ts'
import { namesOf, shownActor } from './people/actor-names.ts'
import { AUDIT_ROW } from './resources/gateway.ts'

export const listAuditLog = operation({
  name: 'audit-log',
  permission: 'see',
  route: {
    at: 'GET audit-log',
    summary: 'Lists who changed what',
    output: AUDIT_ROW,
    list: true,
    csv: true,
    jsonl: true,
  },
  input: fields({
    /** Such as `person/7`, the address of a person, `admin-key/2` or `command-line`. */
    actor: optional(text({ max: 200 })),
    /** Such as `model change`, or `model` for all of models. */
    action: optional(text({ max: 200 })),
    object: optional(text({ min: 0, max: 200 })),
    ...TIMES,
    ...pageFields('a row'),
  }),
  async run(context, { actor, action, object, from, to, ...page }) {
    const { actor: reader, storage } = context
    const { place, limit } = readPlace(page, BigInt)
    const who = actor === undefined ? undefined : await actorNamed(context, actor)
    const filter = { ...given({ actor: who, action, object }), ...readTimes(given({ from, to })) }
    const { rows, next } = await storage.lists.auditLog(filter, place, limit)
    const shown = seesCosts(reader) ? rows : rows.map(withoutCosts)
    const names = await namesOf(
      context.storage,
      shown.flatMap(({ object, actor }) => [object, shownActor(actor)]),
    )
    return { items: shown.map((row) => auditRow(row, names)), next: next === undefined ? null : String(next) }
  },
})

/** Nobody made the rows of a person who does not exist. */
async function actorNamed({ storage }: OperationContext, actor: string) {
  if (actor.includes('@')) return { type: 'person', id: String((await storage.people.find(actor))?.id ?? '-') }
  const [type = '', ...id] = actor.split('/')
  return { type, id: id.join('/') }
}

/** What upstreams cost stands in rows about models and tests, and is not for everyone who reads them. */
const COST = /^(?:upstream_)?costs?(?:_|$)/

const withoutCosts = (row: AuditRow): AuditRow => ({
  ...row,
  before: withoutCost(row.before) as AuditRow['before'],
  after: withoutCost(row.after) as AuditRow['after'],
})

function withoutCost(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCost)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => !COST.test(name))
  return Object.fromEntries(entries.map(([name, part]) => [name, withoutCost(part)]))
}

const auditRow = (row: AuditRow, names: ReadonlyMap<string, string>) => ({
  id: String(row.id),
  at: isoTime(row.at),
  actor: shownActor(row.actor),
  actor_name: names.get(shownActor(row.actor)) ?? null,
  address: row.address === '' ? null : row.address,
  request_id: row.requestId === undefined ? null : formatRequestId(row.requestId),
  action: row.action,
  object: row.object,
  target_name: names.get(row.object) ?? null,
  before: row.before ?? null,
  after: row.after ?? null,
  reason: row.reason,
})
