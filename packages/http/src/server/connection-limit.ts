// Limits the number of client connections, and closes idle ones to make room for new ones.

/** A connection, as far as the limit is concerned. */
export type LimitedConnection = {
  /** Since when the connection is idle; undefined: a request is in progress, and the connection must not be closed. */
  readonly idleSince: number | undefined
  /** Closes it and frees its descriptor at once. */
  evict(): void
}

export type ConnectionLimitOptions = {
  most: number
  /** The address or network whose connections are counted together; undefined for shared ones such as proxies. */
  ownerOf(address: string): string | undefined
  now(): number
  /** Called at most once a minute, with counts since the last call. */
  report(counts: { closed: number; rejected: number }): void
}

/** Share closed at once: a search visits all connections, and must not be repeated for each new one. */
const CLOSED_AT_ONCE = 1 / 32
/** After a search that found only busy connections, the next one is delayed. */
const RETRY_SEARCH_MS = 250
const REPORT_EVERY_MS = 60_000

export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions
  readonly #owners = new Map<LimitedConnection, string | undefined>()
  #allBusySince = Number.NEGATIVE_INFINITY
  #reportedAt = Number.NEGATIVE_INFINITY
  #closed = 0
  #rejected = 0

  constructor(options: ConnectionLimitOptions) {
    this.#options = options
  }

  /** Returns false if the limit is reached and no connection is idle. */
  add(connection: LimitedConnection, address: string): boolean {
    const { most, ownerOf } = this.#options
    if (this.#owners.size >= most && !this.#makeRoom()) {
      this.#rejected++
      this.#report()
      return false
    }
    this.#owners.set(connection, ownerOf(address))
    return true
  }

  remove(connection: LimitedConnection): void {
    this.#owners.delete(connection)
  }

  #makeRoom(): boolean {
    const { most, now } = this.#options
    if (now() - this.#allBusySince < RETRY_SEARCH_MS) return false
    const closed = this.#idleToClose().slice(0, Math.max(1, Math.floor(most * CLOSED_AT_ONCE)))
    for (const connection of closed) {
      this.#owners.delete(connection)
      connection.evict()
    }
    this.#closed += closed.length
    if (closed.length === 0) this.#allBusySince = now()
    else this.#report()
    return closed.length > 0
  }

  /**
   * Idle connections in the order in which they are closed. Each is ranked by how many other connections of its owner are busy
   * or were used later: an owner of many loses the oldest first, before an owner of few loses any.
   */
  #idleToClose(): LimitedConnection[] {
    const idle: { connection: LimitedConnection; owner: string | undefined; since: number; rank: number }[] = []
    const held = new Map<string, number>()
    const count = (owner: string | undefined): number => {
      if (owner === undefined) return 0
      const before = held.get(owner) ?? 0
      held.set(owner, before + 1)
      return before
    }
    for (const [connection, owner] of this.#owners) {
      const since = connection.idleSince
      if (since === undefined) count(owner)
      else idle.push({ connection, owner, since, rank: 0 })
    }
    // The clock is coarse. The sort is stable: on equal times the connection that was accepted first is closed first.
    idle.sort((a, b) => a.since - b.since)
    for (const each of idle.toReversed()) each.rank = count(each.owner)
    idle.sort((a, b) => b.rank - a.rank)
    return idle.map(({ connection }) => connection)
  }

  #report(): void {
    const now = this.#options.now()
    if (now - this.#reportedAt < REPORT_EVERY_MS) return
    this.#options.report({ closed: this.#closed, rejected: this.#rejected })
    this.#reportedAt = now
    this.#closed = 0
    this.#rejected = 0
  }
}
