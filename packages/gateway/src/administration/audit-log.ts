// The audit log, newest first.

import { formatRequestId } from '../request/ids.ts'
import { fields, optional, text } from '../request/schema/schema.ts'
import type { AuditRow } from '../storage/storage.ts'
import { isoTime } from './inputs/fields.ts'
import { pageFields, type Range, readPage } from './inputs/page.ts'
import { operation } from './operation.ts'

export const listAuditLog = operation({
  name: 'audit-log',
  permission: 'see',
  input: fields({ object: optional(text({ min: 0, max: 200 })), ...pageFields('a row') }),
  async run({ storage }, { object, ...page }) {
    const of = object === undefined ? {} : { object }
    const read = (range: Range, limit: number) => storage.auditLog.page({ ...of, ...range }, limit)
    const { items, next } = await readPage(page, read, ({ id }) => String(id))
    return { items: items.map(auditRow), next }
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
