// Whether the seals are what they were: their hashes by their rows, and in a deep check their rows by the ledger.
import { sql } from 'kysely'
import { ArchiveUnavailable } from '../../archive/part-store.ts'
import { integer } from '../rows.ts'
import { type Connection, rawStatement } from '../statements.ts'
import { monthName, NONE, type Seal } from './bounds.ts'
import type { LedgerRows } from './ledger-rows.ts'
import { closingRows, openHash, storedRows } from './rows.ts'
import { addUpMonth, NotFinal } from './sums.ts'

/** The months whose seals do not hold, by name. `ledger`: they are compared with it, too. `onMonth`: called after each. */
export async function brokenSeals(
  connection: Connection,
  all: readonly Seal[],
  ledger: LedgerRows | undefined,
  onMonth: () => void,
): Promise<string[]> {
  const broken: string[] = []
  let previous = NONE
  for (const seal of all) {
    const isWhole = seal.previous === previous.hash && (await storedHash(connection, seal)) === seal.hash
    if (!isWhole || (ledger && (await hashOfLedger(connection, seal, previous, ledger)) !== seal.hash))
      broken.push(monthName(seal.endsAt))
    previous = seal
    onMonth()
  }
  return broken
}

async function storedHash(connection: Connection, seal: Seal): Promise<string> {
  const hash = openHash()
  for await (const page of storedRows(connection, seal.endsAt)) hash.add(page)
  return hash.end(seal)
}

/** As it would be sealed now, with the same requests left out. undefined: one of the others is not final, or cannot be read. */
export async function hashOfLedger(
  connection: Connection,
  seal: Seal,
  previous: Seal,
  ledger: LedgerRows,
): Promise<string | undefined> {
  const { db, runner } = connection
  const { endsAt, lastSealed } = seal
  const rows = await runner.readPage(
    rawStatement(db, sql`SELECT request, ends_at FROM month_seal_request WHERE ends_at <= ${endsAt}`),
  )
  const open = new Set(rows.map(({ request }) => integer(request)))
  const fresh = rows.filter((row) => Number(row.ends_at) === endsAt).map(({ request }) => integer(request))
  try {
    const adding = addUpMonth(connection, { previous, endsAt, lastSealed, open, fresh }, ledger)
    let step = await adding.next()
    while (!step.done) step = await adding.next()
    const hash = openHash()
    for await (const page of closingRows(connection, endsAt, step.value)) hash.add(page)
    const { firstOpen, transfers } = step.value
    return hash.end({ ...seal, firstOpen, transfers: previous.transfers + transfers })
  } catch (error) {
    if (error instanceof NotFinal || error instanceof ArchiveUnavailable) return undefined
    throw error
  }
}
