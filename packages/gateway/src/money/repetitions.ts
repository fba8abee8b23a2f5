// Requests that are repeated with the same idempotency key while the owner of the first one is away. Of all that were delivered one is
// charged.
//
// The owner of a reaped request may have delivered its response, and only its journal knows. A repetition takes the request over: it voids
// it in the owner's name, and runs. An owner who returns settles at the operator's expense (finish.ts, `bookLoss`). Whether that stays so
// is decided once nothing is open: if a repetition was charged, the caller has paid; if none was, the response that was delivered is charged.
import {
  type Book,
  HELD,
  REAPED,
  REAPED_OUTCOME,
  REPETITION_BEGINS_WITHIN_MS,
  REPETITION_KEPT_MS,
  type RequestRow,
  SETTLED,
  VOIDED,
} from './book.ts'
import { finish, isTakenOver } from './finish.ts'
import { type Collect, done, type Result, rejected, repeated, type TakeOver } from './verbs.ts'

/** Rejected while one is open. What was reaped for nothing is voided: the owner may still return, and must not be charged beside `by`. */
export function takeOver(book: Book, { id, by }: TakeOver): Result {
  const first = book.repetition(id)?.first ?? id
  const rows = requestsOf(book, first)
  if (rows.some(({ state }) => state === HELD)) return rejected('not_open')
  const paid = rows.find(({ cost }) => cost > 0n) ?? rows.find(isLoss)
  if (paid) return repeated(paid.cost)
  voidReaped(book, rows)
  if (!rows.some((row) => row.id === first && isTakenOver(row))) return done(0n)
  if (!book.repetition(by)) book.addRepetition({ request: by, first, at: book.now })
  return done(first)
}

export function collect(book: Book, { limit }: Collect): Result {
  book.removeRepetitionsBefore(book.now - REPETITION_KEPT_MS)
  let [collected, change] = [0n, 0n]
  for (const first of book.repeatedAndSettled(limit)) {
    const rows = requestsOf(book, first)
    const paid = rows.filter(({ cost }) => cost > 0n)
    const lost = rows.find(isLoss)
    if (paid.some(({ state }) => state === SETTLED)) book.removeRepetitionsOf(first)
    // What the reaper charged may still be corrected to nothing.
    else if (lost && paid.length === 0 && !isOpen(book, first, rows)) {
      voidReaped(book, rows)
      change += chargeLoss(book, lost).change
      collected += 1n
      book.removeRepetitionsOf(first)
    }
  }
  return done(collected, 0, change)
}

/** By id. */
function requestsOf(book: Book, first: bigint): RequestRow[] {
  const ids = [first, ...book.repetitionsOf(first).map(({ request }) => request)]
  return ids.flatMap((id) => book.request(id) ?? []).sort((one, other) => (one.id < other.id ? -1 : 1))
}

const isLoss = ({ state, cost, shortfall }: RequestRow): boolean => state === SETTLED && cost === 0n && shortfall > 0n

function isOpen(book: Book, first: bigint, rows: readonly RequestRow[]): boolean {
  const mayBegin = (at: number) => at > book.now - REPETITION_BEGINS_WITHIN_MS
  const isExpected = book.repetitionsOf(first).some(({ request, at }) => mayBegin(at) && !book.request(request))
  return isExpected || rows.some(({ state }) => state === HELD)
}

function voidReaped(book: Book, rows: readonly RequestRow[]): void {
  for (const { id, nodeId, epoch, state, receipt } of rows)
    if (state === REAPED)
      finish(book, { verb: 'void', id, nodeId, epoch, outcome: REAPED_OUTCOME, receipt }, VOIDED, 0n)
}

/** As if its owner had returned before any repetition. What the operator pays for it was not kept. */
function chargeLoss(book: Book, lost: RequestRow): Result {
  const { id, nodeId, epoch, shortfall: cost, tokens, outcome, receipt } = lost
  lost.state = REAPED
  lost.outcome = REAPED_OUTCOME
  return finish(book, { verb: 'settle', id, nodeId, epoch, cost, tokens, outcome, receipt }, SETTLED, cost)
}
