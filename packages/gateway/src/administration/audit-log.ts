// The audit log, newest first.

import { formatRequestId } from '../request/ids.ts'
import { fields, isId, optional, text } from '../request/schema/schema.ts'
import type { AuditRow } from '../storage/storage.ts'
import { isoTime } from './inputs/fields.ts'
import { given, pageFields, readPlace, readTimes, TIMES } from './inputs/page.ts'
import { type OperationContext, operation, seesCosts } from './operation.ts'

export const listAuditLog = operation({
  name: 'audit-log',
  permission: 'see',
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
    const names = await namesIn(context, shown)
    return { items: shown.map((row) => auditRow(row, names)), next: next === undefined ? null : String(next) }
  },
})

/** Nobody made the rows of a person who does not exist. */
async function actorNamed({ storage }: OperationContext, actor: string) {
  if (actor.includes('@')) return { type: 'person', id: String((await storage.people.find(actor))?.id ?? '-') }
  const [type = '', ...id] = actor.split('/')
  return { type, id: id.join('/') }
}

/** As things and people are called now, by `key/7`: a row keeps ids, which do not change. */
async function namesIn({ storage }: OperationContext, rows: readonly AuditRow[]): Promise<ReadonlyMap<string, string>> {
  const named = rows.flatMap((row) => [row.object, actorText(row)])
  const idsOf = (type: string) => {
    const ids = named.flatMap((each) => (each.startsWith(`${type}/`) ? [each.slice(type.length + 1)] : []))
    return [...new Set(ids.filter(isId))].map(BigInt)
  }
  const found = await Promise.all([
    storage.people.names(idsOf('person')).then((names) => ['person', names] as const),
    storage.adminKeys.names(idsOf('admin-key')).then((names) => ['admin-key', names] as const),
    storage.accounts.names(idsOf('account')).then((names) => ['account', names] as const),
    storage.keys.names(idsOf('key')).then((names) => ['key', names] as const),
  ])
  return new Map(found.flatMap(([type, names]) => [...names].map(([id, name]) => [`${type}/${id}`, name] as const)))
}

const actorText = ({ actor: { type, id } }: AuditRow): string => (id === '' ? type : `${type}/${id}`)

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
  actor: actorText(row),
  actor_name: names.get(actorText(row)) ?? null,
  address: row.address === '' ? null : row.address,
  request_id: row.requestId === undefined ? null : formatRequestId(row.requestId),
  action: row.action,
  object: row.object,
  target_name: names.get(row.object) ?? null,
  before: row.before ?? null,
  after: row.after ?? null,
  reason: row.reason,
})
