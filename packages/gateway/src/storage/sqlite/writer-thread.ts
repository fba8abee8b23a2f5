// The writer thread: the only connection that writes. One message in, one message out.
import type { Database } from 'bun:sqlite'
import { type Upgrade, WrongSchema } from '../migrations/migrations.ts'
import { closeWritten, openForWriting } from './database.ts'
import { type FromWriter, receiveVerbs, type Shared, sendResults, sharedIn, type ToWriter } from './messages.ts'
import { openTransactions, type Transactions, toWriteFailure } from './transactions.ts'

declare const self: Worker

let db: Database | undefined
let transactions: Transactions | undefined
let shared: Shared | undefined

function handle(message: ToWriter): FromWriter {
  if (typeof message === 'string') return handleVerbs(message)
  switch (message.type) {
    case 'open': {
      shared = sharedIn(message.memory)
      let upgrade: Upgrade | undefined
      db = openForWriting(message.file, {
        ...message,
        onUpgrade(done) {
          upgrade = done
        },
      })
      try {
        transactions = openTransactions(db, message.deferFrom)
      } catch (error) {
        db.close()
        throw error
      }
      return { type: 'opened', upgrade }
    }
    case 'write':
      return { type: 'write', result: opened().write(message.statements) }
    case 'close':
      // If this fails, pending batches stay in the file and are written at the next start.
      transactions?.write([])
      if (db) closeWritten(db)
      return { type: 'closed' }
  }
}

function handleVerbs(texts: string): string {
  const { verbs, hasPending } = opened()
  if (!shared) throw new Error('the database is not open')
  const { batch, now } = receiveVerbs(shared, texts)
  return sendResults(shared, verbs(batch, now), hasPending())
}

function opened(): Transactions {
  if (!transactions) throw new Error('the database is not open')
  return transactions
}

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  try {
    self.postMessage(handle(data))
  } catch (error) {
    const isWrongSchema = error instanceof WrongSchema
    self.postMessage({ type: 'failed', isWrongSchema, ...toWriteFailure(error) } satisfies FromWriter)
  }
}
