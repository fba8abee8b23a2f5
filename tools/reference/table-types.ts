// tables.ts in packages/gateway/src/storage/sql and its folders months, budgets and notices: the types of the tables, from the schema of SQLite.
// PostgreSQL's has the same columns: the contract of storage runs every statement on both.
import { Database } from 'bun:sqlite'
import { migrate } from '@trivium/gateway/storage/migrations/migrate-sqlite.ts'
import { MIGRATIONS } from '@trivium/gateway/storage/migrations/migrations.ts'
import type { Generated } from './generated.ts'

const HEAD = `// The tables as queries see them, written from the schema by npm run reference. Integers arrive as bigint from SQLite and as number or
// bigint from PostgreSQL, by the width of the column: rows are read through rows.ts, which takes either.
import type { Generated } from 'kysely'
import type { BudgetTables } from './budgets/tables.ts'
import type { Integer, MonthTables } from './months/tables.ts'
import type { NoticeTables } from './notices/tables.ts'
`

const MONTHS_HEAD = `// The tables of sealed and archived months, written from the schema by npm run reference.
import type { Generated } from 'kysely'

export type Integer = bigint | number
`
const BUDGETS_HEAD = `// The tables of budgets, and of sums by what requests are for, written from the schema by npm run reference.
import type { Generated } from 'kysely'
import type { Integer } from '../months/tables.ts'
`
const NOTICES_HEAD = `// The tables of notices, written from the schema by npm run reference.
import type { Generated } from 'kysely'
import type { Integer } from '../months/tables.ts'
`
/** Tables with types in files of their own: one file would be too long. */
const isOfMonths = (table: string): boolean => /^(month|archive)_/.test(table)
const isOfNotices = (table: string): boolean => /^notice/.test(table)
const isOfBudgets = (table: string): boolean => /^(budget|daily_attribution)/.test(table)

const TYPES: Readonly<Record<string, string>> = { INTEGER: 'Integer', TEXT: 'string', BLOB: 'Uint8Array' }

/** What fits into a line is one, as in all code. */
const WIDTH = 120

type Column = { name: string; type: string; notnull: bigint; dflt_value: string | null; pk: bigint }

/** Tables whose ids are given by the database: PostgreSQL's schema says so, SQLite's gives any integer key. */
const COUNTED = new Set(
  MIGRATIONS.flatMap(({ postgres }) =>
    [...postgres.matchAll(/CREATE TABLE (\w+) \(\s*id bigint GENERATED/g)].map(([, table]) => table),
  ),
)

/** `Generated`: an insert need not name it. */
function typeOf({ name, type, notnull, dflt_value, pk }: Column, table: string): string {
  const known = TYPES[type]
  if (known === undefined) throw new Error(`columns of the type ${type} have no TypeScript type`)
  const stored = notnull === 1n || pk > 0n ? known : `${known} | null`
  return dflt_value !== null || (name === 'id' && COUNTED.has(table)) ? `Generated<${stored}>` : stored
}

function ledgerTables(isWanted: (table: string) => boolean): string[] {
  const db = new Database(':memory:', { safeIntegers: true })
  migrate(db, 'ledger', { id: 1, script: 'ledger', mayChange: true })
  const names = db
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
    .all()
  return names.flatMap(({ name }) => {
    if (/^sqlite_|^schema_version$/.test(name) || !isWanted(name)) return []
    const columns = db.query<Column, [string]>('SELECT * FROM pragma_table_info(?)').all(name)
    const fields = columns.map((column) => `${column.name}: ${typeOf(column, name)}`)
    const line = `  ${name}: { ${fields.join('; ')} }`
    return line.length <= WIDTH ? line : `  ${name}: {\n    ${fields.join('\n    ')}\n  }`
  })
}

export const TABLE_TYPES: readonly Generated[] = [
  {
    file: 'packages/gateway/src/storage/sql/tables.ts',
    text() {
      const tables = ledgerTables((table) => !isOfMonths(table) && !isOfBudgets(table) && !isOfNotices(table))
      return `${HEAD}\nexport type Schema = MonthTables & BudgetTables & NoticeTables & OtherTables\n\ntype OtherTables = {\n${tables.join('\n')}\n}\n`
    },
  },
  {
    file: 'packages/gateway/src/storage/sql/months/tables.ts',
    text() {
      return `${MONTHS_HEAD}\nexport type MonthTables = {\n${ledgerTables(isOfMonths).join('\n')}\n}\n`
    },
  },
  {
    file: 'packages/gateway/src/storage/sql/budgets/tables.ts',
    text() {
      return `${BUDGETS_HEAD}\nexport type BudgetTables = {\n${ledgerTables(isOfBudgets).join('\n')}\n}\n`
    },
  },
  {
    file: 'packages/gateway/src/storage/sql/notices/tables.ts',
    text() {
      return `${NOTICES_HEAD}\nexport type NoticeTables = {\n${ledgerTables(isOfNotices).join('\n')}\n}\n`
    },
  },
]
