// A store with a row in every table, in either engine, for tests of copies.
import { Database } from 'bun:sqlite'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fingerprintOf } from '../src/access/secrets/fingerprint.ts'
import type { Source, Value } from '../src/storage/copying/copy.ts'
import { openSqlite } from '../src/storage/sqlite/open-sqlite.ts'

export const SECRET = 'the master secret of a test'
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'trivium-backup-'))

/** By column, or by table and column: where the value of its type is not allowed. */
const VALUES: Readonly<Record<string, Value>> = {
  cap: null,
  cap_period: null,
  disabled: 0n,
  deleted: 0n,
  holder_chose_group: 0n,
  items: '["item"]',
  'response.media': '[]',
  'media.id': `01${'a'.repeat(30)}`,
  'media.size': 21n,
  'archive_part.name': `02${'b'.repeat(30)}`,
  'archive_part.bytes': 15n,
  'archive_part.kind': 'request',
  'lease.expires_at': 0n,
  renewed_at: 0n,
  'request.deadline': null,
  'redemption_code.revoked_at': null,
  state: 1n,
  balance: 9_007_199_254_740_993n,
  held: 9_223_372_036_854_775_807n,
  outcome: '',
  'upstream_switch.state': 'draining',
  'notice_delivery.state': 'waiting',
}
const TEXT = 'Zoë "quoted" \\ \u2028 line\nnext \u{1F600} \uFEFF'
const bytesOf = (seed: number) => new Uint8Array(32).map((_, at) => (seed * 31 + at * 7) % 256)

type Column = { name: string; type: string }

/** A folder of SQLite with a row in every table. */
export async function filledFolder(): Promise<string> {
  const folder = newFolder()
  const storage = await openSqlite(folder)
  await storage.meta.setOnce('secret_fingerprint', fingerprintOf(SECRET))
  // Creates contents.db.
  await storage.media.begin({ id: '0'.repeat(32), account: 1n, contentType: 'image/png' })
  await storage.close()
  for (const name of ['ledger.db', 'contents.db'])
    fill(new Database(join(folder, name), { safeIntegers: true, strict: true }))
  await Bun.write(join(folder, 'secret'), SECRET)
  await Bun.write(join(folder, 'journal', '3-4.jsonl'), 'a line of the journal\n')
  await Bun.write(join(folder, 'media', '01', `01${'a'.repeat(30)}`), 'the bytes of an image')
  await Bun.write(join(folder, 'media', '02', `02${'b'.repeat(30)}`), 'archived rows..')
  return folder
}

function fill(db: Database): void {
  const tables = db
    .query(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('schema_version', 'pending_page', 'meta', 'change_counter')`,
    )
    .all() as { name: string; sql: string }[]
  for (const [index, { name, sql }] of tables.entries()) {
    if (name.startsWith('sqlite_')) continue
    const columns = db.query(`SELECT name, type FROM pragma_table_info('${name}')`).all() as Column[]
    const row = columns.map(({ name: column, type }): Value => {
      for (const known of [`${name}.${column}`, column]) if (known in VALUES) return VALUES[known] ?? null
      if (type === 'INTEGER') return 1n
      const [, first] = new RegExp(`\\b${column} IN \\('([^']+)'`).exec(sql) ?? []
      if (first !== undefined) return first
      return type === 'BLOB' ? bytesOf(index + column.length) : TEXT
    })
    // Triggers of a row update sums of another table, which may be filled before or after.
    db.query(`INSERT OR REPLACE INTO ${name} VALUES (${columns.map(() => '?').join(', ')})`).run(...row)
  }
  if (tables.some(({ name }) => name === 'account'))
    db.run(`UPDATE sqlite_sequence SET seq = 1234 WHERE name = 'session'`)
  db.close(true)
}

/** Every row of every table, as text. */
export async function contentsOf(source: Source): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const write = (value: Value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value))
  for (const table of await source.tables()) {
    found[table.name] = []
    for await (const rows of source.rows(table))
      for (const row of rows)
        found[table.name]?.push(
          table.columns
            .map((column, at) => `${column}=${write(row[at] ?? null)}`)
            .sort()
            .join(' '),
        )
  }
  await source.close()
  return found
}
