// Limits the number of client connections, shares them among networks, and closes idle ones to make room for new ones.

/** A connection, as far as the limit is concerned. */
export type LimitedConnection = {
  /** Since when the connection is idle; undefined: a request is in progress, and the connection must not be closed. */
  readonly idleSince: number | undefined
  /** Closes it and frees its descriptor at once. */
  evict(): void
}

/** The networks of a client. Their names differ: no network is called like a wide one. */
export type Owner = Readonly<{
  /** Usually one client. */
  network: string
  /** What one customer of a provider may have. */
  wideNetwork: string
}>

export type ConnectionLimitOptions = {
  most: number
  /** The networks whose connections are counted together; undefined for shared ones such as proxies, which are exempt. */
  ownerOf(address: string): Owner | undefined
  now(): number
  /** Called at most once a minute, with counts since the last call. */
  report(counts: { closed: number; rejected: number }): void
}

/** What one network may have of all connections: whatever it does with them, others have the rest. */
const SHARE = 1 / 2
/** Kept for wide networks that have none. */
const RESERVE = 1 / 16
/** Share closed at once: a search visits all connections, and must not be repeated for each new one. */
const CLOSED_AT_ONCE = 1 / 32
/** After a search that found only busy connections, the next one is delayed. */
const RETRY_SEARCH_MS = 250
const REPORT_EVERY_MS = 60_000
/** In place of a network: all connections. */
const ALL = ''

export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions
  readonly #owners = new Map<LimitedConnection, Owner | undefined>()
  /** Connections by network and wide network. */
  readonly #held = new Map<string, number>()
  /** When a search last found only busy connections, by network. */
  readonly #allBusySince = new Map<string, number>()
  #reportedAt = Number.NEGATIVE_INFINITY
  #closed = 0
  #rejected = 0

  constructor(options: ConnectionLimitOptions) {
    this.#options = options
  }

  /** Returns false if the limit, or that of its network, is reached and no connection is idle. */
  add(connection: LimitedConnection, address: string): boolean {
    const owner = this.#options.ownerOf(address)
    // Each search removes one obstacle: the network's share, the wide network's share, the limit.
    for (let full = this.#fullFor(owner), tries = 0; full !== undefined; full = this.#fullFor(owner), tries++) {
      if (tries < 3 && this.#makeRoom(full)) continue
      this.#rejected++
      this.#report()
      return false
    }
    this.#owners.set(connection, owner)
    this.#count(owner, 1)
    return true
  }

  /** Open connections. */
  get size(): number {
    return this.#owners.size
  }

  remove(connection: LimitedConnection): void {
    const owner = this.#owners.get(connection)
    if (this.#owners.delete(connection)) this.#count(owner, -1)
  }

  #count(owner: Owner | undefined, change: 1 | -1): void {
    if (!owner) return
    for (const name of [owner.network, owner.wideNetwork]) {
      const held = (this.#held.get(name) ?? 0) + change
      if (held > 0) this.#held.set(name, held)
      else {
        this.#held.delete(name)
        this.#allBusySince.delete(name)
      }
    }
  }

  /** The network of which a connection must be closed for a new one of this owner; undefined: there is room. */
  #fullFor(owner: Owner | undefined): string | undefined {
    const { most } = this.#options
    const heldBy = (name: string) => this.#held.get(name) ?? 0
    if (owner) {
      const share = Math.max(1, Math.floor(most * SHARE))
      if (heldBy(owner.network) >= share) return owner.network
      if (heldBy(owner.wideNetwork) >= share) return owner.wideNetwork
    }
    const isReserved = owner !== undefined && heldBy(owner.wideNetwork) > 0
    return this.#owners.size < most - (isReserved ? Math.floor(most * RESERVE) : 0) ? undefined : ALL
  }

  #makeRoom(name: string): boolean {
    const { most, now } = this.#options
    if (now() - (this.#allBusySince.get(name) ?? Number.NEGATIVE_INFINITY) < RETRY_SEARCH_MS) return false
    const closed = this.#idleToClose(name).slice(0, Math.max(1, Math.floor(most * CLOSED_AT_ONCE)))
    for (const connection of closed) {
      this.remove(connection)
      connection.evict()
    }
    this.#closed += closed.length
    if (closed.length === 0) this.#allBusySince.set(name, now())
    else this.#report()
    return closed.length > 0
  }

  /**
   * Idle connections in the order in which they are closed. Each is ranked by how many other connections of its network are
   * busy or were used later: a network of many loses the oldest first, before a network of few loses any.
   */
  #idleToClose(name: string): LimitedConnection[] {
    const idle: { connection: LimitedConnection; network: string | undefined; since: number; rank: number }[] = []
    const held = new Map<string, number>()
    const count = (network: string | undefined): number => {
      if (network === undefined) return 0
      const before = held.get(network) ?? 0
      held.set(network, before + 1)
      return before
    }
    for (const [connection, owner] of this.#owners) {
      if (name !== ALL && owner?.network !== name && owner?.wideNetwork !== name) continue
      const since = connection.idleSince
      const network = owner?.network
      if (since === undefined) count(network)
      else idle.push({ connection, network, since, rank: 0 })
    }
    // The clock is coarse. The sort is stable: on equal times the connection that was accepted first is closed first.
    idle.sort((a, b) => a.since - b.since)
    for (const each of idle.toReversed()) each.rank = count(each.network)
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
