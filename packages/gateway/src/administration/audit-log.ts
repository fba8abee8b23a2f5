// The audit log, newest first.

import { formatRequestId } from '../request/ids.ts'
import { fields, optional, text } from '../request/schema/schema.ts'
import type { AuditRow } from '../storage/storage.ts'
import { isoTime } from './inputs/fields.ts'
import { given, pageFields, readPlace, readTimes, TIMES } from './inputs/page.ts'
import { operation, seesCosts } from './operation.ts'

export const listAuditLog = operation({
  name: 'audit-log',
  permission: 'see',
  input: fields({
    /** Such as `person/7`, `admin-key/2` or `command-line`. */
    actor: optional(text({ max: 200 })),
    action: optional(text({ max: 200 })),
    object: optional(text({ min: 0, max: 200 })),
    ...TIMES,
    ...pageFields('a row'),
  }),
  async run({ actor: reader, storage }, { actor, action, object, from, to, ...page }) {
    const { place, limit } = readPlace(page, BigInt)
    const [type = '', ...id] = actor?.split('/') ?? []
    const who = actor === undefined ? undefined : { type, id: id.join('/') }
    const filter = { ...given({ actor: who, action, object }), ...readTimes(given({ from, to })) }
    const { rows, next } = await storage.lists.auditLog(filter, place, limit)
    const shown = seesCosts(reader) ? rows : rows.map(withoutCosts)
    return { items: shown.map(auditRow), next: next === undefined ? null : String(next) }
  },
})

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

const auditRow = (row: AuditRow) => ({
  id: String(row.id),
  at: isoTime(row.at),
  actor: row.actor.id === '' ? row.actor.type : `${row.actor.type}/${row.actor.id}`,
  address: row.address === '' ? null : row.address,
  request_id: row.requestId === undefined ? null : formatRequestId(row.requestId),
  action: row.action,
  object: row.object,
  before: row.before ?? null,
  after: row.after ?? null,
  reason: row.reason,
})
