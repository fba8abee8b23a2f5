// The file of `account import`: a line of titles, and one line for each account.
import type { Arguments } from '../../args.ts'
import { UsageError } from '../../errors.ts'
import { wholeNumber } from '../inputs.ts'
import { readTextFile } from '../read-text.ts'
import { parseCsv } from './csv.ts'

const LIMITS = ['rpm', 'tpm', 'concurrent']
/** Column -> field of the operation's input. */
const FIELDS: Readonly<Record<string, string>> = {
  email: 'email',
  name: 'name',
  credit: 'credit_usd',
  credit_line: 'credit_line_usd',
  cap: 'cap_usd',
  cap_period: 'cap_period',
  group: 'group',
  key: 'key',
  member_of: 'member_of',
  role: 'role',
  ...Object.fromEntries(LIMITS.map((name) => [name, `limits.${name}`])),
}
export const IMPORT_COLUMNS = Object.keys(FIELDS)

export function importInput({ positionals: [file = ''], flags }: Arguments): object {
  const [titles, ...rows] = parseCsv(readTextFile(file)) ?? []
  const columns = titles?.cells.map((title) => title.toLowerCase().replace(/[ -]/g, '_')) ?? []
  const wrong = columns.find((title, index) => !Object.hasOwn(FIELDS, title) || columns.indexOf(title) !== index)
  if (columns.length === 0 || wrong !== undefined)
    throw new UsageError(
      `${file} must begin with a line of titles, each once, out of ${IMPORT_COLUMNS.join(', ')}${wrong === undefined ? '' : `; not '${wrong}'`}`,
    )
  if (rows.length === 0) throw new UsageError(`${file} has no accounts: one line for each, below the titles`)
  for (const { line, cells } of rows)
    if (cells.length > columns.length) throw new UsageError(`${file}, line ${line} has more cells than titles`)
  return {
    rows: rows.map(({ cells }) => inputRow(columns, cells)),
    dry_run: flags.has('dry-run'),
    links: flags.has('links'),
  }
}

/** An empty cell is absent. */
function inputRow(columns: readonly string[], cells: readonly string[]): object {
  const row: Record<string, unknown> = {}
  const limits: Record<string, unknown> = {}
  for (const [index, title] of columns.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '') continue
    if (LIMITS.includes(title)) limits[title] = wholeNumber(cell)
    else row[FIELDS[title] ?? ''] = cell
  }
  return Object.keys(limits).length === 0 ? row : { ...row, limits }
}
