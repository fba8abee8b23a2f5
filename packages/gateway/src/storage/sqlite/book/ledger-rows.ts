// Rows of SQLite's tables -> the ledger's rows. Those of repetitions are written here, too.
import type { Database } from 'bun:sqlite'
import type {
  AccountRow,
  Book,
  Capped,
  KeyRow,
  LeaseRow,
  NodeRow,
  Repetition,
  RequestRow,
  RequestState,
} from '../../../money/ledger.ts'
import type { Meter, Period, Window } from '../../../money/limits.ts'
import { splitIds, toAttribution } from '../../sql/budgets/rows.ts'
import { toLimits, toSpent } from '../../sql/rows.ts'

export type SqlRow = Record<string, bigint | string | null>

/**
 * `written`: the amounts in the tables. Writes add the difference, so that a change by another process since the read is
 * kept.
 */
export type KeptAccount = AccountRow & { written: { balance: bigint; spent: bigint; held: bigint; open: number } }
export type KeptKey = KeyRow & {
  written: { spent: bigint; held: bigint; open: number }
  /** That of the member who made the key. */
  memberCap: { cap: bigint; capPeriod: Period } | undefined
}
const toWindow = (text: string): Window => (text === '' ? [] : text.split(',').map(Number))

const toMeter = (row: SqlRow): Meter => ({
  open: Number(row.open_requests),
  ...toSpent(row),
  requests: toWindow(row.requests_window as string),
  tokens: toWindow(row.tokens_window as string),
})

const toCapped = (row: SqlRow): Capped => ({
  cap: row.cap === null ? undefined : (row.cap as bigint),
  capPeriod: row.cap_period === null ? undefined : (row.cap_period as Period),
  spent: row.spent as bigint,
  held: row.held as bigint,
  meter: toMeter(row),
})

const toWritten = (row: SqlRow) => ({
  spent: row.spent as bigint,
  held: row.held as bigint,
  open: Number(row.open_requests),
})

export const toAccountRow = (row: SqlRow): KeptAccount => ({
  ...toCapped(row),
  id: row.id as bigint,
  balance: row.balance as bigint,
  creditLine: row.credit_line as bigint,
  written: { ...toWritten(row), balance: row.balance as bigint },
  disabled: row.disabled !== 0n,
  limits: toLimits(row),
})

export const toKeyRow = (row: SqlRow): KeptKey => ({
  ...toCapped(row),
  id: row.id as bigint,
  account: row.account as bigint,
  person: row.person === null ? undefined : (row.person as bigint),
  memberCap:
    row.member_cap === null ? undefined : { cap: row.member_cap as bigint, capPeriod: row.member_cap_period as Period },
  deleted: row.deleted !== 0n,
  revision: Number(row.revision),
  expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
  written: toWritten(row),
  limits: toLimits(row),
})

export const toRequestRow = (row: SqlRow): RequestRow => ({
  id: row.id as bigint,
  account: row.account as bigint,
  key: row.key as bigint,
  nodeId: Number(row.node_id),
  epoch: Number(row.epoch),
  deadline: row.deadline === null ? undefined : Number(row.deadline),
  state: Number(row.state) as RequestState,
  held: row.held as bigint,
  heldAt: Number(row.held_at),
  tokens: Number(row.tokens),
  progress: row.progress as bigint,
  cost: row.cost as bigint,
  shortfall: row.shortfall as bigint,
  model: row.model as string,
  upstream: row.upstream as string,
  upstreamCost: row.upstream_cost === null ? undefined : (row.upstream_cost as bigint),
  outcome: row.outcome as string,
  receipt: row.receipt as string,
  budgets: splitIds(row.budgets as string),
  attribution: toAttribution(row),
})

export const toLeaseRow = (row: SqlRow): LeaseRow => ({
  name: row.name as string,
  epoch: Number(row.epoch),
  holder: row.holder as string,
  expiresAt: Number(row.expires_at),
})

export const toNodeRow = (row: SqlRow): NodeRow => ({
  nodeId: Number(row.node_id),
  epoch: Number(row.epoch),
  renewedAt: Number(row.renewed_at),
  renewals: Number(row.renewals),
  config: row.config as string,
})

/** The part of the Book about repetitions: rare rows, read and written at once. */
type RepetitionRows = Pick<
  Book,
  | 'repetition'
  | 'repetitionsOf'
  | 'repeatedAndSettled'
  | 'addRepetition'
  | 'removeRepetitionsOf'
  | 'removeRepetitionsBefore'
>

/** `flush` writes the requests that the rows are compared with; with `true`, the transaction has written rows in any case. */
export function repetitionRows(db: Database, flush: (isWritten?: true) => void): RepetitionRows {
  const selectOne = db.prepare<SqlRow, [bigint]>('SELECT request, first, at FROM repetition WHERE request = ?')
  const selectOf = db.prepare<SqlRow, [bigint]>(
    'SELECT request, first, at FROM repetition WHERE first = ? ORDER BY request',
  )
  const selectSettled = db.prepare<SqlRow, [number]>(
    `SELECT DISTINCT repetition.first FROM repetition CROSS JOIN request ON request.id IN (repetition.request, repetition.first)
    WHERE request.state = 1 AND (request.cost > 0 OR request.shortfall > 0) ORDER BY repetition.first LIMIT ?`,
  )
  const insert = db.prepare('INSERT INTO repetition (request, first, at) VALUES (?, ?, ?)')
  const removeOf = db.prepare('DELETE FROM repetition WHERE first = ?')
  const removeBefore = db.prepare('DELETE FROM repetition WHERE at <= ?')
  return {
    repetition(request) {
      const row = selectOne.get(request)
      return row ? toRepetition(row) : undefined
    },
    repetitionsOf: (first) => selectOf.all(first).map(toRepetition),
    repeatedAndSettled(limit) {
      flush()
      return selectSettled.all(limit).map(({ first }) => first as bigint)
    },
    addRepetition({ request, first, at }) {
      flush(true)
      insert.run(request, first, BigInt(at))
    },
    removeRepetitionsOf(first) {
      flush(true)
      removeOf.run(first)
    },
    removeRepetitionsBefore(at) {
      flush(true)
      removeBefore.run(BigInt(at))
    },
  }
}

const toRepetition = ({ request, first, at }: SqlRow): Repetition => ({
  request: request as bigint,
  first: first as bigint,
  at: Number(at),
})
