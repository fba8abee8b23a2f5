// A thread for reads that may take long, so that requests continue meanwhile. For audits and whole usage lists it handles one message and is
// then ended, since an idle thread would only use memory. For pages it keeps the file open until it is told to close it (page-reader.ts).
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statements.ts'
import { openForReading } from './database.ts'
import { toWriteFailure, type WriteFailure } from './transactions.ts'

declare const self: Worker

export type ToReader = { file: string; statements: readonly Statement[]; staysOpen?: boolean } | 'close'
export type FromReader = Row[][] | WriteFailure

let kept: Database | undefined

function read({ file, statements, staysOpen = false }: Exclude<ToReader, 'close'>): Row[][] {
  const db = kept ?? openForReading(file)
  if (staysOpen) kept = db
  try {
    // One transaction: all statements see the same snapshot.
    db.run('BEGIN')
    return statements.map(({ sql, parameters }) => db.query(sql).all(...(parameters as SQLQueryBindings[])) as Row[])
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
