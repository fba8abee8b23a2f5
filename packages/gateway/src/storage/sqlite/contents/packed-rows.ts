// Many rows on their way from one thread to another: by column, with all contents in one buffer, which is moved. Copying row by row
// would take several times as long.
import type { Row } from '../../sql/rows.ts'

export type PackedRows = {
  count: number
  columns: Record<string, unknown[]>
  /** Their columns have lengths in place of contents; -1 is NULL. */
  contents: readonly string[]
  buffer: ArrayBuffer
}

export function packRows(rows: readonly Row[]): PackedRows {
  const names = Object.keys(rows[0] ?? {})
  const contents = names.filter((name) => rows.some((row) => row[name] instanceof Uint8Array))
  const columns: Record<string, unknown[]> = {}
  for (const name of names) columns[name] = rows.map((row) => row[name])
  let bytes = 0
  for (const name of contents) for (const value of columns[name] ?? []) bytes += lengthOf(value)
  const buffer = new Uint8Array(bytes)
  let offset = 0
  for (const name of contents) {
    columns[name] = (columns[name] ?? []).map((value) => {
      if (!(value instanceof Uint8Array)) return -1
      buffer.set(value, offset)
      offset += value.length
      return value.length
    })
  }
  return { count: rows.length, columns, contents, buffer: buffer.buffer }
}

const lengthOf = (value: unknown): number => (value instanceof Uint8Array ? value.length : 0)

export function unpackRows({ count, columns, contents, buffer }: PackedRows): Row[] {
  let offset = 0
  for (const name of contents) {
    columns[name] = (columns[name] ?? []).map((value) => {
      const length = Number(value)
      if (length < 0) return null
      offset += length
      return new Uint8Array(buffer, offset - length, length)
    })
  }
  const names = Object.keys(columns)
  return Array.from({ length: count }, (_, index) => {
    const row: Row = {}
    for (const name of names) row[name] = columns[name]?.[index]
    return row
  })
}
