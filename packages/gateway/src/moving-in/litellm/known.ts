// What is known of LiteLLM's tables, settings and parameters, and the report of what of an installation does not move.
import { parse } from 'yaml'
import type { Findings, Grade } from '../findings.ts'
import { type JsonObject, textOf } from '../sources/fields.ts'
import type { SourceDatabase, SourceRow } from '../sources/source-database.ts'
import source from './known.yaml' with { type: 'text' }

type Lists = { read: string; aside?: string; lost?: Readonly<Record<string, string>> }
type Kind = 'settings' | 'parameters' | 'facts'
type Known = Readonly<Record<Kind, Lists>> & {
  tables: Readonly<Record<string, Lists>>
  others: readonly { says: string; tables: string }[]
}
const KNOWN = parse(source) as Known
const PREFIX = 'LiteLLM_'
const UNKNOWN = 'manual: It is unknown: see what it does there.'
const EMPTY = new Set([undefined, '', '{}', '[]', 'null', 'f', 'false', '0'])

const isNamed = ({ read, aside = '' }: Lists, name: string) => `${read} ${aside}`.split(' ').includes(name)
const tableOf = (table: string): Lists | undefined => KNOWN.tables[table.slice(PREFIX.length)]
const otherOf = (table: string) =>
  KNOWN.others.find(({ tables }) => tables.split(' ').includes(table.slice(PREFIX.length)))?.says

export function isKnown(table: string, column: string): boolean {
  const known = tableOf(table)
  return known ? isNamed(known, column) || known.lost?.[column] !== undefined : otherOf(table) !== undefined
}

function add(findings: Findings, path: string, graded: string, row?: string): void {
  const at = graded.indexOf(': ')
  findings.add(path, graded.slice(0, at) as Grade, graded.slice(at + 2), row)
}

/** Reports a row of a table that moves, and what of it does not. `named`: what the row is called in the report. */
export type Report = (table: string, row: SourceRow, named: string) => void

/** Reports the tables that do not move, and what the database has that is not known. */
export async function reportSchema(database: SourceDatabase, findings: Findings): Promise<Report> {
  for (const [table, columns] of database.tables) {
    if (!table.startsWith(PREFIX)) continue
    if (!tableOf(table)) {
      if (await hasRows(database, table, [...columns].slice(0, 1))) add(findings, table, otherOf(table) ?? UNKNOWN)
      continue
    }
    for (const column of columns) if (!isKnown(table, column)) add(findings, `${table}.${column}`, UNKNOWN)
  }
  return (table, row, named) => {
    findings.add(table, 'exact')
    for (const [column, graded] of Object.entries(tableOf(table)?.lost ?? {}))
      if (!EMPTY.has(textOf(row[column]))) add(findings, `${table}.${column}`, graded, named)
  }
}

async function hasRows(database: SourceDatabase, table: string, column: readonly string[]): Promise<boolean> {
  for await (const _ of database.rows(table, column, column)) return true
  return false
}

/** Reports fields by name. Prices are reported where they are read. */
export function reportFields(findings: Findings, kind: Kind, path: string, fields: JsonObject, row?: string): void {
  for (const [name, value] of Object.entries(fields)) {
    const isEmpty = typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : EMPTY.has(String(value))
    if (isEmpty || IS_PRICE.test(name) || /^supports_/.test(name)) continue
    if (isNamed(KNOWN[kind], name)) findings.add(`${path}.${name}`, 'exact')
    else add(findings, `${path}.${name}`, KNOWN[kind].lost?.[name] ?? UNKNOWN, row)
  }
}

export const IS_PRICE = /_cost(?:_|$)|_per_(?:token|query|second|character|image)|^tiered_pricing$/
