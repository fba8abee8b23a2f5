// A database of new-api or one-api for tests: tables with the columns that their rows have.
import { Database } from 'bun:sqlite'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assemble } from '../src/config/assemble.ts'
import type { StoredEntry } from '../src/config/stored.ts'
import type { FoundConfiguration, Installation } from '../src/moving-in/installation.ts'
import { readNewApi } from '../src/moving-in/new-api/index.ts'
import { readOneApi } from '../src/moving-in/one-api/index.ts'
import type { SourceDatabase } from '../src/moving-in/sources/source-database.ts'
import { readSqlite } from '../src/moving-in/sources/sqlite.ts'
import { BUILT_IN } from '../src/server/config.ts'

export type Row = Readonly<Record<string, string | number | null>>
export type Rows = Readonly<Record<string, readonly Row[]>>

export const NOW = Date.UTC(2026, 10, 18, 12)

export function quotaDatabase(rows: Rows): SourceDatabase {
  const file = join(mkdtempSync(join(tmpdir(), 'trivium-quota-')), 'source.sqlite')
  const db = new Database(file)
  db.run('PRAGMA synchronous = OFF')
  db.run('BEGIN')
  for (const [table, all] of Object.entries(rows)) {
    const columns = [...new Set(all.flatMap((row) => Object.keys(row)))]
    const names = columns.map((column) => `"${column}"`).join(', ')
    db.run(`CREATE TABLE "${table}" (${names})`)
    const insert = db.query(`INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`)
    for (const row of all) insert.run(...columns.map((column) => row[column] ?? null))
  }
  db.run('COMMIT')
  db.close()
  return readSqlite(file, 'sqlite')
}

const READERS = { 'new-api': readNewApi, 'one-api': readOneApi }
export type QuotaProduct = keyof typeof READERS

export const readQuota = (product: QuotaProduct, database: SourceDatabase, now = NOW): Promise<Installation> =>
  READERS[product](database, { kinds: BUILT_IN.kinds, now, version: '' })

export const readRows = (product: QuotaProduct, rows: Rows): Promise<Installation> =>
  readQuota(product, quotaDatabase({ ...rows, options: [option('Notice', ''), ...(rows.options ?? [])] }))

/** `id=1 name= deleted_at`: texts, as a dump has them; without `=` NULL. */
export function cells(text: string, more: Row = {}): Row {
  const pairs = text.split(' ').map((pair): [string, string | null] => {
    const [name = '', value = null] = pair.split('=')
    return [name, value]
  })
  return { ...Object.fromEntries(pairs), ...more }
}

export const option = (key: string, value: unknown): Row => ({
  key,
  value: typeof value === 'string' ? value : JSON.stringify(value),
})

export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const each of stream) found.push(each)
  return found
}

/** What the real configuration says of it: the catalogue of what is in force, and every mistake. */
export function assembled({ upstreams, models, groups, settings }: FoundConfiguration) {
  const entries = { upstream: upstreams, model: models, group: groups }
  const stored = Object.entries(entries).flatMap(([kind, list]) =>
    list.map(({ id, value }): StoredEntry => ({ kind: kind as StoredEntry['kind'], id, value, revision: 1 })),
  )
  const written = Object.entries(settings).flatMap(([section, fields]) =>
    Object.entries(fields as object).map(
      ([name, value]): StoredEntry => ({ kind: 'setting', id: `${section}.${name}`, value, revision: 1 }),
    ),
  )
  const result = assemble({ source: '{}', file: '', env: {}, stored: [...stored, ...written] }, BUILT_IN)
  const invalid = result.config ? result.invalid : []
  return { config: result.config, mistakes: [...result.mistakes, ...invalid.flatMap(({ mistakes }) => mistakes)] }
}

/** Findings as `grade path: says`. */
export const reported = ({ findings }: Installation): string[] =>
  findings.all().map(({ grade, path, says }) => `${grade} ${path}: ${says}`)
