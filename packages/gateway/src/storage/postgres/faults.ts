// Classifies errors of the PostgreSQL client.
import { StoreDown } from '../storage.ts'

/**
 * `again`: rolled back, and a retry is likely to succeed. `down`: no response, or none that tells what happened. `rejected`:
 * rolled back, and it would fail every time.
 */
export type Fault = 'again' | 'down' | 'rejected'

const LOCK_TIMEOUT = '55P03'
/** As poolers answer settings in the first message of a connection. */
const PROTOCOL_VIOLATION = '08P01'

const AGAIN = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  LOCK_TIMEOUT,
])

/** By the first characters of SQLSTATE. */
const DOWN = [
  '08', // connection
  '0A000', // a prepared statement from before a migration: a new connection does not have it
  '25006', // read only: a standby that is not yet promoted
  '26000', // no such prepared statement: another session answered, and a new connection finds out
  '28', // authentication
  '3D', // unknown database
  '53', // out of connections, memory or disk
  '57014', // statement_timeout: too slow for an immediate retry
  '57P', // shutting down or starting up
  '58', // disk error
  'XX', // damaged data
]

export function faultOf(error: unknown): Fault {
  if (error instanceof StoreDown) return 'down'
  const { code, errno, constraint } = error as { code?: unknown; errno?: unknown; constraint?: unknown }
  // Errors of the server have a SQLSTATE; others are about the connection.
  if (typeof errno !== 'string')
    return typeof code === 'string' && code.startsWith('ERR_POSTGRES_') ? 'down' : 'rejected'
  if (AGAIN.has(errno)) return 'again'
  // Another process inserted the same request between our read and our insert: the retry finds it.
  if (errno === '23505' && constraint === 'request_pkey') return 'again'
  return DOWN.some((prefix) => errno.startsWith(prefix)) ? 'down' : 'rejected'
}

export const isLockTimeout = (error: unknown): boolean => (error as { errno?: unknown }).errno === LOCK_TIMEOUT

export const isProtocolViolation = (error: unknown): boolean =>
  (error as { errno?: unknown }).errno === PROTOCOL_VIOLATION

export function storeDown(error: unknown): StoreDown {
  if (error instanceof StoreDown) return error
  return new StoreDown(`PostgreSQL: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
}

const ATTEMPTS = 4

/** Retries work that failed because of concurrent work, a few times; throws the last error. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || faultOf(error) !== 'again') throw error
      // Random, so that two nodes that collided do not collide again.
      await Bun.sleep(Math.random() * 10 * attempt)
    }
  }
}

/** The same; a store that is too busy every time counts as down. */
export const retryOrDown = <T>(work: () => Promise<T>): Promise<T> => orDown(() => retry(work))

/** For reads, which only a lock on a whole table keeps waiting, until its timeout: a retry would wait as long again. */
export async function orDown<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw faultOf(error) === 'again' ? storeDown(error) : error
  }
}
