// Whole lists as files: `?format=csv` for spreadsheets, `?format=jsonl` for programs. Read page by page, with bounds on what one file costs.
import type { TObject, TSchema } from 'typebox'
import { CSV_TYPE, type CsvLine, csvOf } from '../http-api/files/file-response.ts'
import { ApiRejection } from '../http-api/rejection.ts'
import type { ExportFormat } from '../operate/admin-route.ts'
import type { Rendered } from './routes.ts'

export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: CSV_TYPE,
  jsonl: 'application/jsonl; charset=utf-8',
}

/** At the same time, on a node. */
export const EXPORTS_AT_ONCE = { most: 4, mostOfOne: 1 }

export const EXPORT_RUNS = new ApiRejection({
  code: 'rate_limit_exceeded',
  message: 'Another export of yours is running, or too many of others are. Retry in 5 seconds.',
  retryAfter: 5,
})

/** A page may be empty although there are more: its filters then looked at as many rows as one page may. */
export const EXPORT_LIMITS = { rows: 100_000, pages: 2_000, pageRows: 500, ms: 10 * 60_000 }

export type ExportPage = { data: readonly Rendered[]; has_more: boolean; last_id: string | null }

type Exported = {
  format: ExportFormat
  /** The schema of each entry. */
  schema: TObject
  /** `after`: undefined for the first page. */
  read(after: string | undefined): Promise<ExportPage>
  clock(): number
}

/**
 * What follows after a bound is reached is named in the last line: an accountant must not take a part for the whole. Throws after the longest
 * time, which closes the connection.
 */
export async function* exportPages(
  { format, schema, read, clock }: Exported,
  limits = EXPORT_LIMITS,
): AsyncGenerator<string, void> {
  const until = clock() + limits.ms
  let [after, rows]: [string | undefined, number] = [undefined, 0]
  let columns: Column[] | undefined
  for (let pages = 1; ; pages += 1) {
    const { data, has_more, last_id } = await read(after)
    if (clock() > until) throw new Error('an export took too long')
    const shown = data.slice(0, limits.rows - rows)
    rows += shown.length
    const last = shown.length < data.length ? String(shown.at(-1)?.id) : last_id
    const isCut = shown.length < data.length || (has_more && (rows >= limits.rows || pages >= limits.pages))
    const head = columns === undefined && format === 'csv'
    columns ??= columnsOf(schema, shown)
    const lines = format === 'csv' ? csvLines(columns, shown, head) : jsonLines(shown)
    yield isCut ? lines + cutLine(format, last) : lines
    if (isCut || !has_more || last_id === null) return
    after = last_id
  }
}

const jsonLines = (data: readonly Rendered[]): string => data.map((row) => `${JSON.stringify(row)}\n`).join('')

function cutLine(format: ExportFormat, after: string | null): string {
  const message = `The list goes on. Read the rest with after=${after}.`
  return format === 'csv' ? csvOf([[message]]) : jsonLines([{ object: 'cut', message, after }])
}

type Column = { name: string; path: readonly string[] }
type Node = TSchema & { properties?: Record<string, Node>; anyOf?: readonly Node[] }

/**
 * The fields of the schema in its order, those of objects as `timing.total_ms`. Optional ones, such as costs, have a column if the first
 * page has them: roles and the grouping decide on them, not the row.
 */
export function columnsOf(schema: TObject, first: readonly Rendered[]): Column[] {
  const required = new Set(schema.required)
  const isShown = (name: string) => required.has(name) || first.some((row) => row[name] !== undefined)
  return Object.entries(schema.properties as Record<string, Node>)
    .filter(([name]) => name !== 'object' && isShown(name))
    .flatMap(([name, node]) => flattened(node, [name]))
}

function flattened({ properties, anyOf }: Node, path: readonly string[]): Column[] {
  const inner = properties ?? anyOf?.find((each) => each.properties)?.properties
  if (!inner) return [{ name: path.join('.'), path }]
  return Object.entries(inner).flatMap(([name, node]) => flattened(node, [...path, name]))
}

function csvLines(columns: readonly Column[], data: readonly Rendered[], withHead: boolean): string {
  const rows = data.map((row): CsvLine => columns.map(({ path }) => cellOf(valueAt(row, path))))
  return csvOf(withHead ? [columns.map(({ name }) => name), ...rows] : rows)
}

const valueAt = (row: unknown, path: readonly string[]): unknown =>
  path.reduce((value: unknown, name) => (value as Record<string, unknown> | null | undefined)?.[name], row)

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(';')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
