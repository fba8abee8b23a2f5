// Keeps this process a node of the store: claims a node id, renews its lease, and resolves what dead nodes left open.
import { mayDispatch } from '../../money/settlement.ts'
import type { Ledger } from '../storage.ts'
import { type After, answerWithin } from './deadlines.ts'
import type { Journal } from './journal.ts'
import { recover } from './settler.ts'
import type { Report } from './store-call.ts'

const RENEW_EVERY_MS = 1_000
const CLEAN_EVERY_MS = 5_000
const ANSWER_WITHIN_MS = 2_000
/** A start rejects no requests meanwhile, and ends the process if the store does not respond. */
const FIRST_ANSWER_WITHIN_MS = 10_000
const REAP_PAGE = 100

export type NodeOptions = {
  /** 1 on SQLite, 1024 on PostgreSQL. */
  maxNodes: number
  /** This process owns the database file, so the node id's former process is known to be dead. */
  takeover: boolean
  /** The hash of the configuration in force, published with every renewal. */
  config: () => string
  monotonic: () => number
  after: After
  report: Report
  /** Told when the database lacks what it had confirmed, as after a failover to a standby that was behind. */
  commitsLost: () => void
}
export type Identity = { nodeId: number; epoch: number }
export type Node = {
  /** Changes if the store declared this node dead and it joined again; requests keep the identity they started with. */
  identity(): Identity
  /** False once the lease may expire before a request sent now is answered: stop calling upstreams. */
  mayDispatch(): boolean
  /** An outcome could not be kept anywhere: no more requests until the store has confirmed the lease again. */
  suspend(): void
  /** The database has confirmed the end of a request of this node. */
  noteEnded(id: bigint): void
  /** Monotonic: when the database was last found to lack what it had confirmed. */
  commitsLostAt(): number | undefined
  /** Graceful stop, after the last request has ended: releases the lease. */
  leave(): Promise<void>
}

type Store = Pick<Ledger, 'apply'>

/** Rejects when the store is down or all node ids are taken. */
export async function joinNode(store: Store, journal: Pick<Journal, 'replay'>, options: NodeOptions): Promise<Node> {
  const { monotonic, after, report } = options
  const storeWithin = (ms: number): Store => ({ apply: (verb) => answerWithin(ms, after, store.apply(verb)) })
  let storage = storeWithin(FIRST_ANSWER_WITHIN_MS)
  // Monotonic, from before the verb was sent: the store's lease began then at the earliest.
  let renewedFrom = 0
  let renewals = 0
  let identity = await claim()
  await clean(true)
  storage = storeWithin(ANSWER_WITHIN_MS)
  let silent = false
  let left = false
  let ended: bigint | undefined
  let commitsLostAt: number | undefined
  let cancelRenewal = after(RENEW_EVERY_MS, renewal)
  let cancelCleaning = after(CLEAN_EVERY_MS, cleaning)

  async function claim(): Promise<Identity> {
    for (let nodeId = 0; nodeId < options.maxNodes; nodeId += 1) {
      const sentAt = monotonic()
      const takeover = options.takeover ? { takeover: true } : {}
      const result = await storage.apply({ verb: 'join', nodeId, config: options.config(), ...takeover })
      if (result.verdict === 'done') {
        renewedFrom = sentAt
        renewals = 0
        return { nodeId, epoch: Number(result.amount) }
      }
    }
    throw new Error(`all ${options.maxNodes} node ids are taken`)
  }

  /** Journals before the reaper: what former processes finished is then settled at its cost, not at its progress. */
  async function clean(reap: boolean): Promise<void> {
    const { torn, damaged } = await recover(storage, journal, report)
    if (torn > 0) report('a journal ended in the middle of a line; that response had not been completed')
    for (const { file, line, reason } of damaged) report(`journal ${file}, line ${line} is damaged (${reason}); kept`)
    while (reap && (await storage.apply({ verb: 'reap', limit: REAP_PAGE })).amount > 0n);
    while (reap && (await storage.apply({ verb: 'collect', limit: REAP_PAGE })).amount > 0n);
  }

  async function renew(): Promise<void> {
    const { nodeId, epoch } = identity
    const sentAt = monotonic()
    const latest = ended
    // Who owns the file is gone before its commits are.
    const witness = options.takeover ? {} : { witness: { renewals, ended: latest } }
    const result = await storage.apply({ verb: 'renew', nodeId, epoch, config: options.config(), ...witness })
    if (left) return
    if (result.verdict === 'done') {
      renewedFrom = sentAt
      renewals = Number(result.amount)
      if (ended === latest) ended = undefined
    } else if (result.verdict === 'commits_lost') await beginAnew()
    else {
      report(`the database considers this node dead (${result.verdict}); joining again`)
      renewedFrom = Number.NEGATIVE_INFINITY
      identity = await claim()
    }
    if (silent) report('the database responds again')
    if (silent) cleaning()
    silent = false
  }

  /** What was settled in commits that are lost is held again, for a request that nobody runs any more: under a new epoch it is reaped. */
  async function beginAnew(): Promise<void> {
    options.commitsLost()
    commitsLostAt = monotonic()
    renewedFrom = Number.NEGATIVE_INFINITY
    ended = undefined
    await storage.apply({ verb: 'leave', ...identity })
    identity = await claim()
    cleaning()
  }

  /**
   * No other process can take the owner of the file for dead: after a pause, of a laptop or of a machine without a free CPU, it goes on at
   * once. While the database is silent it does not, since each request would wait for it in vain.
   */
  const ownsItAlone = () => options.takeover && !silent && renewedFrom !== Number.NEGATIVE_INFINITY

  function renewal(): void {
    renew()
      .catch((error) => {
        if (!silent) report('the lease was not renewed', error)
        silent = true
      })
      .finally(() => {
        if (!left) cancelRenewal = after(RENEW_EVERY_MS, renewal)
      })
  }

  function cleaning(): void {
    cancelCleaning()
    clean(true)
      // A store that is down is reported by the renewal, once; the next run tries again.
      .catch((error) => silent || report('cleaning up after dead nodes failed', error))
      .finally(() => {
        cancelCleaning()
        if (!left) cancelCleaning = after(CLEAN_EVERY_MS, cleaning)
      })
  }

  return {
    identity: () => identity,
    mayDispatch: () => !left && (mayDispatch(renewedFrom, monotonic()) || ownsItAlone()),
    suspend() {
      renewedFrom = Number.NEGATIVE_INFINITY
    },
    noteEnded(id) {
      ended = id
    },
    commitsLostAt: () => commitsLostAt,
    async leave() {
      left = true
      cancelRenewal()
      cancelCleaning()
      // If this fails too, the journal stays on disk and the lease expires by itself.
      await clean(false).catch((error) =>
        report('the journal could not be applied and is kept for the next start', error),
      )
      await storage
        .apply({ verb: 'leave', ...identity })
        .catch((error) => report('the lease could not be released and will expire', error))
    },
  }
}
