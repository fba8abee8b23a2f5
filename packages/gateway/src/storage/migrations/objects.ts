// Which tables, columns, indexes and functions a version has, read from its statements: what a store is compared with.
import type { Migration } from './migrations.ts'

/** The statements of a migration for one database. */
export type Script = 'ledger' | 'contents' | 'postgres'

export type Objects = {
  tables: ReadonlyMap<string, ReadonlySet<string>>
  /** Names of indexes, functions and triggers. */
  others: ReadonlySet<string>
}

const BODY = /\$(\w*)\$[\s\S]*?\$\1\$/g
const CREATE_TABLE = /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)\s*\(([\s\S]*)\)[^)]*$/i
const ALTER_TABLE = /^ALTER TABLE (\w+)\s+([\s\S]*)$/i
const ADD_COLUMN = /^ADD (?:COLUMN )?(\w+)/i
const CREATE_OTHER = /^CREATE (?:OR REPLACE )?(?:UNIQUE )?(?:INDEX|FUNCTION|TRIGGER) (?:IF NOT EXISTS )?(\w+)/i
const DROP = /^DROP (?:INDEX|FUNCTION|TRIGGER) (?:IF EXISTS )?(\w+)/i
/** Begins a line of a table that is no column. */
const CONSTRAINT = /^(?:PRIMARY|UNIQUE|FOREIGN|CHECK|CONSTRAINT|EXCLUDE)\b/i

/** All objects that these migrations leave. */
export function objectsOf(migrations: readonly Migration[], script: Script): Objects {
  const tables = new Map<string, Set<string>>()
  const others = new Set<string>()
  for (const statement of migrations.flatMap((migration) => statementsOf(migration[script]))) {
    const [, created, columns] = CREATE_TABLE.exec(statement) ?? []
    if (created !== undefined && columns !== undefined) tables.set(created, new Set(columnsIn(columns)))
    const [, altered = '', changes = ''] = ALTER_TABLE.exec(statement) ?? []
    for (const change of splitAt(changes, ',')) {
      const column = ADD_COLUMN.exec(change)?.[1]
      if (column !== undefined) tables.get(altered)?.add(column)
    }
    const other = CREATE_OTHER.exec(statement)?.[1]
    if (other !== undefined) others.add(other)
    const dropped = DROP.exec(statement)?.[1]
    if (dropped !== undefined) others.delete(dropped)
  }
  return { tables, others }
}

/** As a database lists them. */
export function objectsFrom(
  columns: readonly { name: string; column: string }[],
  others: readonly { name: string }[],
): Objects {
  const tables = new Map<string, Set<string>>()
  for (const { name, column } of columns) tables.set(name, (tables.get(name) ?? new Set()).add(column))
  return { tables, others: new Set(others.map(({ name }) => name)) }
}

/** What a store lacks, and the columns that no version of its tables has; in words. Tables and indexes of others are no difference. */
export function differences(expected: Objects, found: Objects): string[] {
  const texts: string[] = []
  for (const [table, columns] of expected.tables) {
    const present = found.tables.get(table)
    if (!present) {
      texts.push(`table ${table} is missing`)
      continue
    }
    for (const column of columns) if (!present.has(column)) texts.push(`column ${table}.${column} is missing`)
    for (const column of present) if (!columns.has(column)) texts.push(`column ${table}.${column} is unknown`)
  }
  for (const name of expected.others) if (!found.others.has(name)) texts.push(`${name} is missing`)
  return texts
}

/** Hashes the statements alone: comments and spaces may change. */
export function checksumOf(migration: Migration, script: Script): string {
  const statements = migration[script].replace(/--.*/g, '').replace(/\s+/g, ' ').trim()
  return new Bun.CryptoHasher('sha256').update(statements).digest('hex').slice(0, 16)
}

const statementsOf = (text: string): string[] =>
  splitAt(
    text
      .replace(/--.*/g, '')
      .replace(BODY, "''")
      .replace(/\bBEGIN\b[\s\S]*?\bEND\b/g, ''),
    ';',
  )

const columnsIn = (text: string): string[] =>
  splitAt(text, ',').flatMap((line) => (CONSTRAINT.test(line) ? [] : [/^\w+/.exec(line)?.[0] ?? '']))

/** Splits outside of parentheses. */
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = []
  let [depth, from] = [0, 0]
  for (let at = 0; at <= text.length; at++) {
    const character = text[at]
    if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === undefined || (character === separator && depth === 0)) {
      parts.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  return parts.filter((part) => part !== '')
}
