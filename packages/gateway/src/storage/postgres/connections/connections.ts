// One connection to the database: a timeout on every query, a reconnect after a loss, and a pause between attempts while it is down.
//
// Timeouts are settings of the session. A pooler that gives each transaction another session does not keep them, nor prepared
// statements. A new connection finds out whether it has what it asked for; if not, each of its transactions sets them for itself.
import { SQL, type TransactionSQL } from 'bun'
import type { Row } from '../../sql/rows.ts'
import { StoreDown } from '../../storage.ts'
import { faultOf, isProtocolViolation, storeDown } from '../faults.ts'

export type Connections = {
  query(text: string, parameters: readonly unknown[]): Promise<Row[]>
  /** `mode` as after BEGIN. If `work` throws, the transaction is rolled back. */
  transaction<T>(mode: string, work: (query: Connections['query']) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type OneConnection = Connections & {
  /** A transaction whose statements may take as long as they need. */
  longTransaction: Connections['transaction']
  /** Calls would fail at once: it was lost a moment ago. */
  isPausing(): boolean
  /** Whether a pooler shares the session with others; undefined: not yet connected. */
  isPooled(): boolean | undefined
}

export type Timeouts = {
  lockTimeoutMs: number
  /** 0: none. */
  statementTimeoutMs: number
  /** Default: 30 s. A node that froze inside a transaction must not keep its locks forever. */
  idleInTransactionMs?: number
}

export type ConnectionOptions = Timeouts & { name: string }

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000
/** The client itself retries for this long if a proxy accepts the connection and then closes it. */
const CONNECT_SECONDS = 3
/** Beyond the server's own timeout, for networks that lose packets without an error. */
export const GRACE_MS = 2_000
const SLOWEST_MS = 3_600_000

export function openConnection(url: string, options: ConnectionOptions): OneConnection {
  const deadlineMs = options.statementTimeoutMs + GRACE_MS
  const ownTimeouts = setLocal(options)
  let client = openClient(url, options)
  let pauseMs = 0
  let nextTryAt = 0
  let lastLoss: StoreDown | undefined
  let closed = false

  const isPausing = () => lastLoss !== undefined && performance.now() < nextTryAt

  /** While the store is known to be down, calls fail at once; after a pause the next call tries again. */
  async function attempt<T>(withinMs: number, work: (sql: SQL, isPooled: boolean) => Promise<T>): Promise<T> {
    if (closed) throw new StoreDown('the database is closed')
    if (lastLoss && isPausing()) throw new StoreDown(lastLoss.message, { cause: lastLoss })
    const used = client
    try {
      const answer = await withDeadline(
        used.opened().then(({ sql, isPooled }) => work(sql, isPooled)),
        withinMs,
      )
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
    client = openClient(url, options)
    lost.abandon()
  }

  const transactionWithin =
    (withinMs: number, isLong: boolean): Connections['transaction'] =>
    (mode, work) =>
      attempt(withinMs, (sql, isPooled) =>
        sql.begin(mode, async (inside: TransactionSQL) => {
          if (isLong) await inside.unsafe(setLocal({ ...options, statementTimeoutMs: 0 }))
          else if (isPooled) await inside.unsafe(ownTimeouts)
          return await work((text, parameters) => inside.unsafe<Row[]>(text, [...parameters]))
        }),
      )

  return {
    query: (text, parameters) =>
      attempt(deadlineMs, (sql, isPooled) =>
        isPooled ? inOwnTransaction(sql, ownTimeouts, text, parameters) : sql.unsafe<Row[]>(text, [...parameters]),
      ),
    transaction: transactionWithin(deadlineMs, false),
    longTransaction: transactionWithin(SLOWEST_MS, true),
    isPausing,
    isPooled: () => client.isPooled(),
    async close() {
      closed = true
      await client.close()
    },
  }
}

type Opened = { sql: SQL; isPooled: boolean }

/** Connects at first use. */
function openClient(url: string, options: ConnectionOptions) {
  let sql: SQL | undefined
  let found: Opened | undefined
  let opening: Promise<Opened> | undefined
  let isOver = false

  function start(isPooled: boolean): SQL {
    if (isOver) throw new StoreDown('the connection is closed')
    sql = connect(url, { name: options.name, ...(isPooled ? { prepare: false } : { timeouts: settingsOf(options) }) })
    return sql
  }

  async function open(): Promise<Opened> {
    const own = start(false)
    found = (await hasSettings(own, options)) ? { sql: own, isPooled: false } : undefined
    if (found) return found
    await own.close({ timeout: 0 })
    found = { sql: start(true), isPooled: true }
    return found
  }

  return {
    opened(): Promise<Opened> {
      opening ??= open()
      return opening
    },
    isPooled: () => found?.isPooled,
    abandon() {
      isOver = true
      void sql?.close({ timeout: 0 }).catch(() => undefined)
    },
    async close() {
      isOver = true
      await sql?.close({ timeout: 1 })
    },
  }
}

type Settings = Readonly<Record<string, number>>

const settingsOf = ({ lockTimeoutMs, statementTimeoutMs, idleInTransactionMs = 30_000 }: Timeouts): Settings => ({
  lock_timeout: lockTimeoutMs,
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
})

/** For the transaction that it is run in. */
export const setLocal = (timeouts: Timeouts): string =>
  Object.entries(settingsOf(timeouts))
    .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
    .join('; ')

async function hasSettings(sql: SQL, timeouts: Timeouts): Promise<boolean> {
  const wanted = settingsOf(timeouts)
  const names = Object.keys(wanted).map((name) => `'${name}'`)
  try {
    const rows = await sql.unsafe<Row[]>(`SELECT name, setting FROM pg_settings WHERE name IN (${names})`)
    return rows.length === names.length && rows.every(({ name, setting }) => Number(setting) === wanted[String(name)])
  } catch (error) {
    // Engines without this view can have no settings that are known to hold.
    if (isProtocolViolation(error) || faultOf(error) === 'rejected') return false
    throw error
  }
}

/** Sent together: the answer takes three round trips, and the server keeps its locks for one of them. */
async function inOwnTransaction(
  sql: SQL,
  timeouts: string,
  text: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const reserved = await sql.reserve()
  try {
    const [begun, asked, ended] = await Promise.allSettled([
      reserved.unsafe(`BEGIN; ${timeouts}`).simple(),
      reserved.unsafe<Row[]>(text, [...parameters]),
      reserved.unsafe('COMMIT').simple(),
    ])
    for (const each of [begun, asked, ended]) if (each.status === 'rejected') throw each.reason
    return (asked as PromiseFulfilledResult<Row[]>).value
  } finally {
    reserved.release()
  }
}

/** `timeouts`: settings of the session. `prepare`: false where a pooler may run each statement in another session. */
export function connect(
  url: string,
  { name, timeouts = {}, prepare = true }: { name: string; timeouts?: Settings; prepare?: boolean },
): SQL {
  return new SQL(url, {
    // PGDATABASE in the environment would otherwise override the URL.
    database: decodeURIComponent(new URL(url).pathname.slice(1)) || undefined,
    bigint: true,
    max: 1,
    prepare,
    connectionTimeout: CONNECT_SECONDS,
    connection: { application_name: `trivium ${name}`, ...timeouts },
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
