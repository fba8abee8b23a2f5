// Formats tables: one line per entry, aligned columns, without columns that are empty in every line.

export type Column<Row> = {
  title: string
  /** null and undefined are shown as a dash. */
  cell(row: Row): string | number | null | undefined
  /** Figures are aligned to the right. */
  right?: true
}

const GAP = '  '

export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  if (rows.length === 0) return '(none)\n'
  const used = columns.filter(({ cell }) => rows.some((row) => (cell(row) ?? '') !== ''))
  const cells = [
    used.map(({ title }) => title.toUpperCase()),
    ...rows.map((row) => used.map(({ cell }) => oneLine(String(cell(row) ?? '') || '-'))),
  ]
  const rights = used.map(({ right }) => right === true)
  return `${align(cells, rights, GAP).join('\n')}\n`
}

/** `rights`: which columns are aligned to the right. */
export function align(
  rows: readonly (readonly string[])[],
  rights: readonly boolean[],
  gap: string,
): readonly string[] {
  const widths = rights.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => (rights[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join(gap)
      .trimEnd(),
  )
}

/** Names of keys are chosen by people, and may hold line breaks and control characters. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
