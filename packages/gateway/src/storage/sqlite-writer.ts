// The writer thread: the only connection that writes. One message in, one answer out, nothing in between.
import type { Database } from 'bun:sqlite'
import { closeWritten, openForWriting } from './sqlite/database.ts'
import { type FromWriter, flattenAnswers, type ToWriter, unflattenVerbs } from './sqlite/messages.ts'
import { openTransactions, type Transactions, toFailure } from './sqlite/transactions.ts'

declare const self: Worker

let db: Database | undefined
let transactions: Transactions | undefined

function answer(message: ToWriter): FromWriter {
  switch (message.type) {
    case 'open':
      db = openForWriting(message.file, message.busyTimeoutMs, message.now)
      transactions = openTransactions(db)
      return { type: 'opened' }
    case 'verbs':
      return { type: 'verbs', answers: flattenAnswers(opened().verbs(unflattenVerbs(message.verbs), message.now)) }
    case 'write':
      return { type: 'write', answer: opened().write(message.statements) }
    case 'close':
      if (db) closeWritten(db)
      return { type: 'closed' }
  }
}

function opened(): Transactions {
  if (!transactions) throw new Error('the database is not open')
  return transactions
}

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  try {
    self.postMessage(answer(data))
  } catch (error) {
    self.postMessage({ type: 'failed', ...toFailure(error) } satisfies FromWriter)
  }
}
