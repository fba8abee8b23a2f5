// Rows are inserted several at a time: running a statement costs about as much as inserting a small row.
import type { Database, SQLQueryBindings } from 'bun:sqlite'

export type Values = SQLQueryBindings[]

const AT_ONCE = 20

/** `add` appends the values of a row, one for each of `columns`. `onConflict`: the end of the statement. */
export function prepareInserts<Row>(
  db: Database,
  table: string,
  columns: readonly string[],
  add: (row: Row, values: Values) => void,
  onConflict = '',
): (rows: Iterable<Row>) => void {
  const width = columns.length
  const row = `(${columns.map(() => '?').join(', ')})`
  const prepare = (rows: number) =>
    db.prepare<unknown, Values>(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')} ${onConflict}`,
    )
  const [one, several] = [prepare(1), prepare(AT_ONCE)]

  return (rows) => {
    let values: Values = []
    for (const each of rows) {
      add(each, values)
      if (values.length < AT_ONCE * width) continue
      several.run(...values)
      values = []
    }
    for (let at = 0; at < values.length; at += width) one.run(...values.slice(at, at + width))
  }
}
