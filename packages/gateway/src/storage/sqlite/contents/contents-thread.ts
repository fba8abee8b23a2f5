// The thread of the contents: opens their file and runs statements, a batch in one commit.
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { Row } from '../../sql/rows.ts'
import { closeWritten } from '../database.ts'
import { openContentsFile } from './file.ts'
import { type PackedRows, packRows } from './packed-rows.ts'
import { isDamage } from './set-aside.ts'

declare const self: Worker

export type ContentsStatement = { sql: string; parameters: readonly unknown[] }
export type ToContents =
  | { type: 'open'; file: string }
  | { type: 'run'; statements: readonly ContentsStatement[] }
  | { type: 'close' }
export type FromContents =
  | { type: 'opened' | 'closed' }
  | { type: 'rows'; rows: (Row[] | PackedRows)[] }
  /** `isDamaged`: a page of the file cannot be read. */
  | { type: 'failed'; message: string; isDamaged: boolean }

let db: Database | undefined

function handle(message: ToContents): FromContents {
  if (message.type === 'open') {
    db = openContentsFile(message.file)
    return { type: 'opened' }
  }
  if (!db) throw new Error('the file is not open')
  if (message.type === 'close') {
    closeWritten(db)
    return { type: 'closed' }
  }
  const rows = inOneCommit(db, message.statements).map((list) => (list.length > 1 ? packRows(list) : list))
  return { type: 'rows', rows }
}

function inOneCommit(file: Database, statements: readonly ContentsStatement[]): Row[][] {
  const run = ({ sql, parameters }: ContentsStatement) =>
    file.query(sql).all(...(parameters as SQLQueryBindings[])) as Row[]
  return file.transaction(() => statements.map(run)).immediate()
}

self.onmessage = ({ data }: MessageEvent<ToContents>) => {
  try {
    const done = handle(data)
    const buffers = done.type === 'rows' ? done.rows.flatMap((rows) => ('buffer' in rows ? [rows.buffer] : [])) : []
    self.postMessage(done, buffers)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    self.postMessage({ type: 'failed', message, isDamaged: isDamage(error) } satisfies FromContents)
  }
}
