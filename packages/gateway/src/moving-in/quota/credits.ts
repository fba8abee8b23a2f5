// Subscriptions: an amount that is used before the balance, until it ends.
import type { FoundCredit } from '../installation.ts'
import { booleanOf, integerOf } from '../sources/fields.ts'
import { reportedRows, rowOf } from './columns.ts'
import { bigintOf } from './exact.ts'
import { nanosOfUnits } from './options.ts'
import { cell, type Reader } from './reader.ts'

export const RENEWED =
  'What is left of the subscription is credit until it ends. It is not renewed, and new ones cannot be bought.'
export const UNBOUNDED = 'A subscription without an amount is not moved. Give the account credit.'
export const NO_OVERFLOW = 'Here the balance is used once the subscription is; there the requests were refused.'

export async function readCredits({
  program,
  database,
  options,
  findings,
  now,
}: Reader): Promise<ReadonlyMap<number, readonly FoundCredit[]>> {
  const credits = new Map<number, FoundCredit[]>()
  const table = 'user_subscriptions'
  if (!database.tables.has(table)) return credits
  for await (const row of reportedRows(database, table, { tables: program.tables, findings })) {
    const [id, user, ends] = [row.id, row.user_id, row.end_time].map((value) => integerOf(value))
    const [total, used] = [bigintOf(row.amount_total), bigintOf(row.amount_used)]
    const isOver = cell(row, 'status') !== 'active' || (ends !== undefined && ends > 0 && ends * 1000 <= now)
    if (isOver || id === undefined || user === undefined || total === undefined || used === undefined) continue
    if (total === 0n) findings.add(table, 'manual', UNBOUNDED, rowOf(table, row))
    if (total <= used) continue
    findings.add(table, 'approximate', RENEWED, rowOf(table, row))
    if (booleanOf(row.allow_wallet_overflow) === false)
      findings.add(`${table}.allow_wallet_overflow`, 'approximate', NO_OVERFLOW, rowOf(table, row))
    const credit = {
      id: `subscription:${id}`,
      amount: nanosOfUnits(total - used, options),
      expiresAt: ends !== undefined && ends > 0 ? ends * 1000 : undefined,
    }
    credits.set(user, [...(credits.get(user) ?? []), credit])
  }
  return credits
}
