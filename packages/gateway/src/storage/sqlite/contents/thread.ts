// The thread of the contents: opens their file and runs statements, a batch in one commit.
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { Row } from '../../sql/rows.ts'
import { closeWritten } from '../database.ts'
import { openContentsFile, usedBytes } from './file.ts'

declare const self: Worker

export type ContentsStatement = { sql: string; parameters: readonly unknown[] }
export type ToContents =
  | { type: 'open'; file: string }
  | { type: 'run'; statements: readonly ContentsStatement[] }
  | { type: 'close' }
export type FromContents =
  | { type: 'opened' | 'closed' }
  | { type: 'rows'; rows: Row[][]; usedBytes: number }
  | { type: 'failed'; message: string }

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
  return { type: 'rows', rows: inOneCommit(db, message.statements), usedBytes: usedBytes(db) }
}

function inOneCommit(file: Database, statements: readonly ContentsStatement[]): Row[][] {
  const run = ({ sql, parameters }: ContentsStatement) =>
    file.query(sql).all(...(parameters as SQLQueryBindings[])) as Row[]
  return file.transaction(() => statements.map(run)).immediate()
}

/** The contents of many rows as parts of one buffer, which is moved to the other thread: a copy of each would take several times as long. */
function intoOneBuffer(rows: Row[]): ArrayBuffer {
  const blobs = rows.flatMap((row) =>
    Object.entries(row).flatMap(([column, bytes]) => (bytes instanceof Uint8Array ? [{ row, column, bytes }] : [])),
  )
  const buffer = new ArrayBuffer(blobs.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let offset = 0
  for (const { row, column, bytes } of blobs) {
    const part = new Uint8Array(buffer, offset, bytes.length)
    part.set(bytes)
    row[column] = part
    offset += bytes.length
  }
  return buffer
}

self.onmessage = ({ data }: MessageEvent<ToContents>) => {
  try {
    const done = handle(data)
    const lists = done.type === 'rows' ? done.rows.filter(({ length }) => length > 1) : []
    self.postMessage(done, lists.map(intoOneBuffer))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    self.postMessage({ type: 'failed', message } satisfies FromContents)
  }
}
