// A thread for reads that may take long, so that requests continue meanwhile. For audits and whole usage lists it handles one message and is
// then ended, since an idle thread would only use memory. For pages it keeps the file open until it is told to close it (page-reader.ts).
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statements.ts'
import { openForReading } from './database.ts'
import { toWriteFailure, type WriteFailure } from './transactions.ts'

declare const self: Worker

export type ToReader =
  | { file: string; statements: readonly Statement[]; staysOpen?: boolean; tellsSteps?: boolean }
  | 'close'
/** `done`: how many statements have been run so far; the results follow. */
export type FromReader = Row[][] | WriteFailure | { done: number }

let kept: Database | undefined

function read({ file, statements, staysOpen = false, tellsSteps = false }: Exclude<ToReader, 'close'>): Row[][] {
  const db = kept ?? openForReading(file)
  if (staysOpen) kept = db
  try {
    // One transaction: all statements see the same snapshot.
    db.run('BEGIN')
    return statements.map(({ sql, parameters }, index) => {
      const rows = db.query(sql).all(...(parameters as SQLQueryBindings[])) as Row[]
      if (tellsSteps) self.postMessage({ done: index + 1 } satisfies FromReader)
      return rows
    })
  } finally {
    if (!staysOpen) db.close(true)
    else if (db.inTransaction) db.run('ROLLBACK')
  }
}

function close(): Row[][] {
  kept?.close(true)
  kept = undefined
  return []
}

self.onmessage = ({ data }: MessageEvent<ToReader>) => {
  let result: FromReader
  try {
    result = data === 'close' ? close() : read(data)
  } catch (error) {
    result = toWriteFailure(error)
  }
  self.postMessage(result)
}
