// The file of `account import`: a line of titles, and one line for each account.
import { OPENING } from '../../../operate/accounts/opening.ts'
import type { Arguments } from '../../args.ts'
import { UsageError } from '../../errors.ts'
import { fieldOf } from '../declare.ts'
import { LIMIT_NAMES, wholeNumber } from '../inputs.ts'
import { readTextFile } from '../read-text.ts'
import { parseCsv } from './csv.ts'

/** Each is named as the option of `account create` that sets the same field. */
export const IMPORT_COLUMNS: readonly string[] = [
  ...['email', 'name', 'credit', 'credit_line', 'cap', 'cap_period', 'group', 'key', 'member_of', 'role'],
  ...LIMIT_NAMES,
]

export function importInput({ positionals: [file = ''], flags }: Arguments): object {
  const [titles, ...rows] = parseCsv(readTextFile(file)) ?? []
  const columns = titles?.cells.map((title) => title.toLowerCase().replace(/[ -]/g, '_')) ?? []
  const wrong = columns.find((title, index) => !IMPORT_COLUMNS.includes(title) || columns.indexOf(title) !== index)
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
    const [field = '', limit] = fieldOf(title.replaceAll('_', '-'), OPENING)?.split('.') ?? []
    if (limit === undefined) row[field] = cell
    else limits[limit] = wholeNumber(cell)
  }
  return Object.keys(limits).length === 0 ? row : { ...row, limits }
}
