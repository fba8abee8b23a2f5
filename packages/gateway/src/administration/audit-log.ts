// The audit log, newest first.

import Type from 'typebox'
import { formatRequestId } from '../request/ids.ts'
import type { AuditRow } from '../storage/storage.ts'
import { BEFORE, closed, isoTime, LIMIT } from './inputs/fields.ts'
import { operation } from './operation.ts'
import { rejected } from './rejections.ts'

export const listAuditLog = operation({
  name: 'audit-log',
  permission: 'see',
  input: closed({
    object: Type.Optional(Type.String({ maxLength: 200 })),
    before: BEFORE,
    limit: LIMIT,
  }),
  async run({ storage }, { object, before, limit }) {
    if (before !== undefined && !/^\d{1,18}$/.test(before))
      throw rejected('malformed', { field: 'before', wanted: 'the id of a row' })
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
