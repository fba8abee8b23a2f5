// The thread of the contents: opens their file and runs what it is asked, a batch in one commit.
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { Row } from '../../sql/rows.ts'
import { closeWritten } from '../database.ts'
import { openContentsFile, usedBytes } from './file.ts'

declare const self: Worker

export type Asked = { sql: string; parameters: readonly unknown[] }
export type ToContents = { type: 'open'; file: string } | { type: 'ask'; asked: readonly Asked[] } | { type: 'close' }
export type FromContents =
  | { type: 'opened' | 'closed' }
  | { type: 'answers'; answers: Row[][]; usedBytes: number }
  | { type: 'failed'; message: string }

let db: Database | undefined

function answer(message: ToContents): FromContents {
  if (message.type === 'open') {
    db = openContentsFile(message.file)
    return { type: 'opened' }
  }
  if (!db) throw new Error('the file is not open')
  if (message.type === 'close') {
    closeWritten(db)
    return { type: 'closed' }
  }
  return { type: 'answers', answers: inOneCommit(db, message.asked), usedBytes: usedBytes(db) }
}

function inOneCommit(file: Database, asked: readonly Asked[]): Row[][] {
  const run = ({ sql, parameters }: Asked) => file.query(sql).all(...(parameters as SQLQueryBindings[])) as Row[]
  return file.transaction(() => asked.map(run)).immediate()
}

self.onmessage = ({ data }: MessageEvent<ToContents>) => {
  try {
    self.postMessage(answer(data))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    self.postMessage({ type: 'failed', message } satisfies FromContents)
  }
}
