// The rows of a seal, and their hash. A row has the sums of everything until the end of its month.
import { sql } from 'kysely'
import { integer, type Row } from '../rows.ts'
import { type Connection, rawStatement } from '../statements.ts'
import { type Seal, toSeal } from './bounds.ts'
import { ACCOUNT_SUMS, type MonthSums } from './sums.ts'

/** The tables in the order of the hash, each with what identifies its rows and what they have. */
export const SEAL_TABLES = [
  { table: 'month_seal_account', id: 'account', sums: ACCOUNT_SUMS },
  { table: 'month_seal_key', id: 'key', sums: ['spent'] },
  { table: 'month_seal_request', id: 'request', sums: ['cost', 'shortfall'] },
] as const
type SealTable = (typeof SEAL_TABLES)[number]
export type SealRow = Record<string, bigint>

const AT_ONCE = 200

export const seals = async ({ db, runner }: Connection): Promise<Seal[]> =>
  (await runner.read(rawStatement(db, sql`SELECT * FROM month_seal ORDER BY ends_at`))).map(toSeal)

/** The sums of the month on top of those of the months before, in the order of the hash. */
export async function* closingRows(connection: Connection, endsAt: number, sums: MonthSums) {
  for (const each of SEAL_TABLES) {
    const changes = changesIn(each.table, sums)
    for (let from = 0; from < changes.length; from += AT_ONCE) {
      const page = changes.slice(from, from + AT_ONCE)
      const before = await lastRows(connection, each, page, endsAt)
      const rows = page.map(({ [each.id]: id = 0n, ...changed }): SealRow => {
        const last = before.get(id)
        const closed = each.sums.map((name) => [name, (changed[name] ?? 0n) + integer(last?.[name] ?? 0n)])
        return { [each.id]: id, ...Object.fromEntries(closed) }
      })
      yield { ...each, rows }
    }
  }
}

function changesIn(table: SealTable['table'], { accounts, keys, requests }: MonthSums): SealRow[] {
  const rows = (): SealRow[] => {
    switch (table) {
      case 'month_seal_account':
        return [...accounts].map(([account, sums]) => ({ account, ...sums }))
      case 'month_seal_key':
        return [...keys].map(([key, spent]) => ({ key, spent }))
      case 'month_seal_request':
        return [...requests].map(([request, sums]) => ({ request, ...sums }))
    }
  }
  const idOf = (row: SealRow): bigint => Object.values(row)[0] ?? 0n
  // A request is named also without a transfer: it may get one.
  const isKept = (row: SealRow) =>
    table === 'month_seal_request' || Object.values(row).some((sum, at) => at > 0 && sum !== 0n)
  return rows()
    .filter(isKept)
    .sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
}

async function lastRows(
  { db, runner }: Connection,
  { table, id }: SealTable,
  page: readonly SealRow[],
  endsAt: number,
) {
  const ids = page.map((row) => row[id] ?? 0n)
  const [rows, name] = [sql.table(table), sql.ref(id)]
  const found = await runner.readPage(
    rawStatement(
      db,
      sql`SELECT * FROM ${rows} AS closed WHERE ${name} IN (${sql.join(ids)}) AND ends_at =
        (SELECT max(ends_at) FROM ${rows} AS earlier WHERE earlier.${name} = closed.${name} AND earlier.ends_at < ${endsAt})`,
    ),
  )
  return new Map(found.map((row) => [integer(row[id]), row]))
}

/** As they are stored, in the order of the hash. */
export async function* storedRows({ db, runner }: Connection, endsAt: number) {
  for (const each of SEAL_TABLES) {
    for (let after = -(2n ** 63n); ; ) {
      const page: Row[] = await runner.readPage(
        rawStatement(
          db,
          sql`SELECT * FROM ${sql.table(each.table)} WHERE ends_at = ${endsAt} AND ${sql.ref(each.id)} > ${after}
            ORDER BY ${sql.ref(each.id)} LIMIT 1000`,
        ),
      )
      const rows = page.map((row): SealRow => {
        const names = [each.id, ...each.sums]
        return Object.fromEntries(names.map((name) => [name, integer(row[name])]))
      })
      yield { ...each, rows }
      if (page.length < 1_000) break
      after = rows.at(-1)?.[each.id] ?? after
    }
  }
}

export type Hash = {
  add(page: { table: string; rows: readonly SealRow[] }): void
  end(seal: Omit<Seal, 'hash'>): string
}

/** SHA-256 of a line for each row, its numbers in the order of the columns, and a last line for the seal with the hash before. */
export function openHash(): Hash {
  const hasher = new Bun.CryptoHasher('sha256')
  return {
    add({ table, rows }) {
      for (const row of rows) hasher.update(`${table} ${Object.values(row).join(' ')}\n`)
    },
    end({ endsAt, sealedAt, firstOpen, lastSealed, transfers, previous }) {
      hasher.update(`month_seal ${[endsAt, sealedAt, firstOpen, lastSealed, transfers, previous].join(' ')}\n`)
      return hasher.digest('hex')
    },
  }
}
