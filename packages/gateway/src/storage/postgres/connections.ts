// Connections to one database: a timeout on every query, a reconnect after a loss, and a pause between attempts while it is down.
import { SQL, type TransactionSQL } from 'bun'
import type { Row } from '../sql/rows.ts'
import { StoreDown } from '../storage.ts'
import { faultOf, storeDown } from './faults.ts'

export type Connections = {
  query(text: string, parameters: readonly unknown[]): Promise<Row[]>
  /** `mode` as after BEGIN. If `work` throws, the transaction is rolled back. */
  transaction<T>(mode: string, work: (query: Connections['query']) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type ConnectionOptions = {
  name: string
  most: number
  lockTimeoutMs: number
  /** 0: none. */
  statementTimeoutMs: number
  /** Default: 30 s. A node that froze inside a transaction must not keep its locks forever. */
  idleInTransactionMs?: number
}

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000
/** The client itself retries for this long if a proxy accepts the connection and then closes it. */
const CONNECT_SECONDS = 3
/** Beyond the server's own timeout, for networks that lose packets without an error. */
const GRACE_MS = 2_000
const SLOWEST_MS = 3_600_000

export function openConnections(url: string, options: ConnectionOptions): Connections {
  const deadlineMs = options.statementTimeoutMs === 0 ? SLOWEST_MS : options.statementTimeoutMs + GRACE_MS
  let client = connect(url, options)
  let pauseMs = 0
  let nextTryAt = 0
  let lastLoss: StoreDown | undefined
  let closed = false

  /** While the store is known to be down, calls fail at once; after a pause the next call tries again. */
  async function attempt<T>(work: (sql: SQL) => Promise<T>): Promise<T> {
    if (closed) throw new StoreDown('the database is closed')
    if (lastLoss && performance.now() < nextTryAt) throw new StoreDown(lastLoss.message, { cause: lastLoss })
    const used = client
    try {
      const answer = await withDeadline(work(used), deadlineMs)
      lastLoss = undefined
      pauseMs = 0
      return answer
    } catch (error) {
      if (faultOf(error) !== 'down') throw error
      if (used === client) lose(storeDown(error))
      throw storeDown(error)
    }
  }

  /** One loss is counted once, however many queries were on the connection. */
  function lose(loss: StoreDown): void {
    lastLoss = loss
    nextTryAt = performance.now() + pauseMs
    pauseMs = pauseMs === 0 ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    const lost = client
    client = connect(url, options)
    void lost.close({ timeout: 0 }).catch(() => undefined)
  }

  return {
    query: (text, parameters) => attempt((sql) => sql.unsafe<Row[]>(text, [...parameters])),
    transaction: (mode, work) =>
      attempt((sql) =>
        sql.begin(mode, (inside: TransactionSQL) =>
          work((text, parameters) => inside.unsafe<Row[]>(text, [...parameters])),
        ),
      ),
    async close() {
      closed = true
      await client.close({ timeout: 1 })
    },
  }
}

export function connect(url: string, options: ConnectionOptions): SQL {
  const { name, most, lockTimeoutMs, statementTimeoutMs, idleInTransactionMs = 30_000 } = options
  return new SQL(url, {
    // PGDATABASE in the environment would otherwise override the URL.
    database: decodeURIComponent(new URL(url).pathname.slice(1)) || undefined,
    bigint: true,
    max: most,
    connectionTimeout: CONNECT_SECONDS,
    connection: {
      application_name: `trivium ${name}`,
      lock_timeout: lockTimeoutMs,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
    },
  })
}

async function withDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreDown(`no answer from PostgreSQL within ${deadlineMs} ms`)), deadlineMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
