// The columns of tables, by the fields that they show; --json has all fields.
import { type Column, table } from '../table.ts'
import { LIMIT_NAMES } from './inputs.ts'

export type Shown = Readonly<Record<string, unknown>>

/** A field, such as `cap_usd`, or `title=field`. `>`: aligned to the right, as amounts are. */
type Named = string | Column<Shown>

/** A list of these rows. */
export const shown = (...columns: readonly Named[]) => {
  const all = columns.map((each) => (typeof each === 'string' ? columnOf(each) : each))
  return (result: unknown) => table(all, result as readonly Shown[])
}

function columnOf(named: string): Column<Shown> {
  const [, right, title, field = ''] = /^(>?)(?:(.+)=)?(\w+)$/.exec(named) ?? []
  const cell = TIME.test(field) ? (row: Shown) => timeOf(row[field]) : (row: Shown) => cellOf(row[field])
  const isFigure = right === '>' || field.endsWith('_usd')
  return {
    title: title ?? field.replace(/_at$/, '').replaceAll('_', ' '),
    cell,
    ...(isFigure ? { right: true as const } : {}),
  }
}

const TIME = /(^|_)(at|minute|since|until|deadline)$/

export function cellOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  return Array.isArray(value) ? value.join(',') : String(value)
}

/** Without milliseconds and `T`, to keep the column narrow. */
const timeOf = (value: unknown): string | undefined =>
  cellOf(value)
    ?.replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')

export const LIMITS = LIMIT_NAMES.map((name) => `>${name}`)

/** Who made a key, an admin key or an invitation; undefined: the command line, or an operator. */
export const MADE_BY: Column<Shown> = {
  title: 'made by',
  cell: ({ made_by_key_name: key, made_by_email: email }) => (key ? `${String(key)} (admin key)` : cellOf(email)),
}
