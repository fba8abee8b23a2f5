// Which part of the ledger a seal covers.
//
// Requests belong to the month in which they began, by their ids, and their transfers with them, whenever they were booked; other transfers
// by their time. Transfers that were booked after the month was sealed have ids above `lastSealed`: they are of a later month, whatever
// they name. So one number divides what is sealed from what is open, and no index beside the primary keys is needed.
import { firstIdAt } from '../../../money/request-ids.ts'
import { fieldsOf, integer, type Row, small, text } from '../../fields.ts'

export type Bounds = { endsAt: number; firstOpen: bigint; lastSealed: bigint }

export const toSeal = fieldsOf({
  endsAt: small,
  sealedAt: small,
  firstOpen: integer,
  lastSealed: integer,
  transfers: integer,
  previous: text,
  hash: text,
})
export type Seal = ReturnType<typeof toSeal>

/** Before the first seal. */
export const NONE: Seal = {
  endsAt: 0,
  sealedAt: 0,
  firstOpen: 0n,
  lastSealed: 0n,
  transfers: 0n,
  previous: '',
  hash: '',
}

type Moved = { id: bigint; request: bigint | undefined; at: number }

export const isSealed = ({ id, request, at }: Moved, { endsAt, lastSealed }: Bounds): boolean =>
  id <= lastSealed && (request === undefined ? at < endsAt : request < firstIdAt(endsAt))

export const firstRequestAfter = ({ endsAt }: Pick<Bounds, 'endsAt'>): bigint => firstIdAt(endsAt)

/** The end of the month in which `time` lies, UTC. */
export function monthEnd(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** `2026-10`. */
export const monthName = (endsAt: number): string => new Date(endsAt - 1).toISOString().slice(0, 7)

export const integerOf = (row: Row, column: string): bigint => integer(row[column] ?? 0n)
