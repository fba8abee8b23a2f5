// The audit log, newest first.

import { formatRequestId } from '../request/ids.ts'
import { fields, idOf, optional, text } from '../request/schema/schema.ts'
import type { AuditRow } from '../storage/storage.ts'
import { isoTime } from './inputs/fields.ts'
import { LIMIT } from './inputs/schemas.ts'
import { operation } from './operation.ts'

export const listAuditLog = operation({
  name: 'audit-log',
  permission: 'see',
  input: fields({ object: optional(text({ min: 0, max: 200 })), before: optional(idOf('a row')), limit: LIMIT }),
  async run({ storage }, { object, before, limit }) {
    const filter = {
      ...(object === undefined ? {} : { object }),
      ...(before === undefined ? {} : { before: BigInt(before) }),
    }
    const rows = await storage.auditLog.page(filter, limit)
    return { items: rows.map(auditRow), next: rows.length < limit ? null : String(rows.at(-1)?.id) }
  },
})

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
