// The connections that all work shares but the ledger's batches and the lease of the node. A piece of work has its connection
// alone, so that it never waits behind another's rows or locks, and each kind of work has at most so many of them at once.
import { StoreDown } from '../../storage.ts'
import type { Connections, OneConnection } from './connections.ts'

/**
 * `query`: takes milliseconds and waits for no lock. `change`: may wait for the lock of a row. `page`: may read thousands of rows.
 * `report`: may take minutes, as an audit does. `blocking`: verbs on accounts that stay locked. `content`: rows may be large.
 */
export type Kind = 'query' | 'change' | 'page' | 'report' | 'blocking' | 'reaping' | 'content'

/** Two reports, so that a page of usage does not wait for an audit. */
const MOST: Readonly<Record<Kind, number>> = {
  query: Number.POSITIVE_INFINITY,
  change: 2,
  page: 2,
  report: 2,
  blocking: 2,
  reaping: 1,
  content: 2,
}
const KINDS = Object.keys(MOST) as Kind[]
const isLong = (kind: Kind): boolean => kind !== 'query'

const MOST_WAITING = 10_000
/** Times as long, since they wait for reports. */
const REPORTS_WAIT = 5

type Waiter = { start(connection: OneConnection): void; reject(error: StoreDown): void }

export type WorkPool = {
  of(kind: Kind): Connections
  close(): Promise<void>
}

/** `waitMs`: how long work waits for a connection. */
export function openWorkPool(connections: readonly OneConnection[], waitMs: number): WorkPool {
  const busy = new Map<OneConnection, Kind>()
  const waiting = new Map<Kind, Set<Waiter>>(KINDS.map((kind) => [kind, new Set()]))
  let closed = false

  const countBusy = (which: (kind: Kind) => boolean): number => [...busy.values()].filter(which).length

  /** One connection is left for queries, whatever the others do. */
  function mayStart(kind: Kind): boolean {
    if (busy.size === connections.length) return false
    if (isLong(kind) && countBusy(isLong) >= connections.length - 1) return false
    return countBusy((other) => other === kind) < MOST[kind]
  }

  /** The first that is free: a process with little to do keeps few open. */
  function take(kind: Kind): OneConnection {
    const free = connections.filter((each) => !busy.has(each))
    const taken = free.find((each) => !each.isPausing()) ?? free[0]
    if (!taken) throw new Error('no connection is free')
    busy.set(taken, kind)
    return taken
  }

  function acquire(kind: Kind): Promise<OneConnection> {
    const queue = waiting.get(kind)
    if (closed || !queue) throw new StoreDown('the database is closed')
    if (queue.size === 0 && mayStart(kind)) return Promise.resolve(take(kind))
    if ([...waiting.values()].reduce((sum, { size }) => sum + size, 0) >= MOST_WAITING)
      throw new StoreDown('too many queries are waiting for a connection to PostgreSQL')
    return new Promise((resolve, reject) => {
      const longest = kind === 'report' ? REPORTS_WAIT * waitMs : waitMs
      const waiter: Waiter = {
        start(connection) {
          clearTimeout(timer)
          resolve(connection)
        },
        reject(error) {
          clearTimeout(timer)
          reject(error)
        },
      }
      const timer = setTimeout(() => {
        queue.delete(waiter)
        reject(new StoreDown(`no connection to PostgreSQL was free within ${longest} ms`))
      }, longest)
      queue.add(waiter)
    })
  }

  /** Kinds take turns, so that none of them waits for all that another has queued. */
  function release(connection: OneConnection): void {
    busy.delete(connection)
    for (;;) {
      const next = [...waiting].find(([kind, queue]) => queue.size > 0 && mayStart(kind))
      if (!next) return
      const [kind, queue] = next
      const [first] = queue
      if (!first) return
      queue.delete(first)
      waiting.delete(kind)
      waiting.set(kind, queue)
      first.start(take(kind))
    }
  }

  async function using<T>(kind: Kind, work: (connection: OneConnection) => Promise<T>): Promise<T> {
    const connection = await acquire(kind)
    try {
      return await work(connection)
    } finally {
      release(connection)
    }
  }

  async function close(): Promise<void> {
    closed = true
    for (const queue of waiting.values()) {
      for (const waiter of queue) waiter.reject(new StoreDown('the database is closed'))
      queue.clear()
    }
    await Promise.all(connections.map((each) => each.close()))
  }

  return {
    of: (kind) => ({
      query: (text, parameters) => using(kind, (connection) => connection.query(text, parameters)),
      transaction: (mode, work) =>
        using(kind, (connection) =>
          kind === 'report' ? connection.longTransaction(mode, work) : connection.transaction(mode, work),
        ),
      close,
    }),
    close,
  }
}
