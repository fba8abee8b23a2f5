// A thread for reads that may take seconds (audits, whole usage lists), so that requests continue meanwhile. It handles
// one message and is then ended, since an idle thread would only use memory.
import type { SQLQueryBindings } from 'bun:sqlite'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statements.ts'
import { openForReading } from './database.ts'
import { type Failure, toFailure } from './transactions.ts'

declare const self: Worker

export type ToReader = { file: string; statements: readonly Statement[] }
export type FromReader = Row[][] | Failure

function read({ file, statements }: ToReader): Row[][] {
  const db = openForReading(file)
  try {
    // One transaction: all statements see the same snapshot.
    db.run('BEGIN')
    return statements.map(({ sql, parameters }) => db.query(sql).all(...(parameters as SQLQueryBindings[])) as Row[])
  } finally {
    db.close(true)
  }
}

self.onmessage = ({ data }: MessageEvent<ToReader>) => {
  let result: FromReader
  try {
    result = read(data)
  } catch (error) {
    result = toFailure(error)
  }
  self.postMessage(result)
}
