// How many connections clients may have at once, and which idle ones are closed to make room for new ones.

/** A connection, as far as the limit is concerned. */
export type LimitedConnection = {
  /** When the last request ended; undefined: one is being read, queued or answered, and the connection is not touched. */
  readonly idleSince: number | undefined
  /** Closes it and frees its descriptor at once. */
  evict(): void
}

export type ConnectionLimitOptions = {
  most: number
  /** Whose connections are counted together: an address or a network. undefined: nobody's, since many clients come from there. */
  ownerOf(address: string): string | undefined
  now(): number
  /** Told at most once a minute, what has happened since the last time. */
  report(counts: { closed: number; refused: number }): void
}

/** Looking for idle connections means looking at all of them: then so many are closed that the next look is not soon. */
const CLOSED_AT_ONCE = 1 / 32
/** Where all are busy, so long nobody looks again. */
const LOOK_AGAIN_MS = 250
const REPORT_EVERY_MS = 60_000

export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions
  readonly #owners = new Map<LimitedConnection, string | undefined>()
  #allBusySince = Number.NEGATIVE_INFINITY
  #reportedAt = Number.NEGATIVE_INFINITY
  #closed = 0
  #refused = 0

  constructor(options: ConnectionLimitOptions) {
    this.#options = options
  }

  /** false: there is no room, and none can be made. */
  add(connection: LimitedConnection, address: string): boolean {
    const { most, ownerOf } = this.#options
    if (this.#owners.size >= most && !this.#makeRoom()) {
      this.#refused++
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
    if (now() - this.#allBusySince < LOOK_AGAIN_MS) return false
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
   * In the order in which they are closed. Each is ranked by how many connections its owner has beside it that are busy or were
   * used later: so an owner of many loses them one by one, the oldest first, before an owner of few loses any.
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
    // The clock is coarse: of those with the same time, the one that was accepted first stays first.
    idle.sort((a, b) => a.since - b.since)
    for (const each of idle.toReversed()) each.rank = count(each.owner)
    idle.sort((a, b) => b.rank - a.rank)
    return idle.map(({ connection }) => connection)
  }

  #report(): void {
    const now = this.#options.now()
    if (now - this.#reportedAt < REPORT_EVERY_MS) return
    this.#options.report({ closed: this.#closed, refused: this.#refused })
    this.#reportedAt = now
    this.#closed = 0
    this.#refused = 0
  }
}
