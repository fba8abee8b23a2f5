// The PostgreSQL engine: all state is in the database, and any number of nodes share it.
//
// Verbs on requests are queued in lanes by account, each with one connection and one batch at a time. Batches of other nodes lock
// the same accounts, and a lane waits for them. Verbs on an account that stays locked move to the blocking lane, which has one
// account per batch.
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { joinTags } from '../../money/budgets/attribution.ts'
import type {
  Begin,
  Collect,
  Join,
  LeaseVerb,
  Leave,
  Reap,
  Renew,
  RequestVerb,
  Restore,
  Result,
  TakeOver,
  Verb,
} from '../../money/ledger.ts'
import { openArchive } from '../archive/archive.ts'
import { ledgerReportsOver } from '../archive/lists.ts'
import { leasesOver } from '../leases.ts'
import { migrate, tableDifferences } from '../migrations/migrate-postgres.ts'
import type { Upgrade } from '../migrations/migrations.ts'
import { joinIds } from '../sql/budgets/rows.ts'
import { checkVerb } from '../sql/guard.ts'
import { nounsOver } from '../sql/nouns.ts'
import { postgresSizes, toSizes } from '../sql/sizes.ts'
import type { ReceiptIds } from '../sql/statements.ts'
import type { Schema } from '../sql/tables.ts'
import { type Completion, type Storage, StoreDown } from '../storage.ts'
import {
  type Connections,
  GRACE_MS,
  type OneConnection,
  openConnection,
  type Timeouts,
} from './connections/connections.ts'
import { openWorkPool } from './connections/work-pool.ts'
import { postgresContents, postgresTasks } from './contents.ts'
import { type Decision, decodeBatch, encodeBatch, isCounted, toResult } from './encode.ts'
import { isLockTimeout, retryOrDown } from './faults.ts'
import { openLane } from './lane.ts'
import { rememberAccounts } from './remember-accounts.ts'
import { postgresRequirements } from './requirements.ts'
import { openRunner } from './runner.ts'

export type PostgresOptions = {
  /** A transaction costs as much as twenty verbs: two lanes halve the batches, and so do two nodes. */
  lanes: number
  /** For everything but the lanes and the lease of the node. */
  connections: number
  /** How long a verb waits, at each of a few attempts, for a locked account. */
  lockTimeoutMs: number
  /** How long a batch waits for one before it leaves that account's verbs out. Batches of other nodes take far less. */
  patienceMs: number
  statementTimeoutMs: number
  /** This node's own, milliseconds since 1970. Only its difference from the database's is used. */
  clock: () => number
  /** How often that difference is measured: either clock may be set. */
  clockEveryMs: number
  /** false: rejects with NoDatabase where the database has no tables of ours, and changes nothing. */
  mayCreate: boolean
  /** Called if this process upgraded the tables of an earlier version. */
  onUpgrade: ((upgrade: Upgrade) => void) | undefined
}

const DEFAULTS: PostgresOptions = {
  lanes: 1,
  connections: 4,
  lockTimeoutMs: 2_000,
  patienceMs: 300,
  statementTimeoutMs: 10_000,
  clock: Date.now,
  clockEveryMs: 30_000,
  mayCreate: true,
  onUpgrade: undefined,
}
/** How many locked accounts are waited for at once. */
const BLOCKING = 2

/** Rejects with StoreDown when the database does not answer, with WrongSchema when another version wrote it. */
export async function openPostgres(url: string, options: Partial<PostgresOptions> = {}): Promise<Storage> {
  const {
    lanes,
    connections,
    patienceMs,
    clock: ownClock,
    clockEveryMs,
    mayCreate,
    onUpgrade,
    ...timeouts
  } = {
    ...DEFAULTS,
    ...options,
  }
  const opened: OneConnection[] = []
  const connect = (name: string, limits: Timeouts = timeouts): OneConnection => {
    const made = openConnection(url, { name, ...limits })
    opened.push(made)
    return made
  }
  const work = Array.from({ length: connections }, () => connect('work'))
  const pool = openWorkPool(work, timeouts.statementTimeoutMs + GRACE_MS)
  const closeAll = async () => {
    await pool.close()
    await Promise.all(opened.map((each) => each.close()))
  }

  const [queries, changes, reports, reaper] = [
    pool.of('query'),
    pool.of('change'),
    pool.of('report'),
    pool.of('reaping'),
  ]
  let clock: StoreClock
  try {
    const upgrade = await migrate(reports, mayCreate)
    if (upgrade) onUpgrade?.(upgrade)
    clock = await storeClock(queries, ownClock, clockEveryMs)
  } catch (error) {
    await closeAll()
    throw error
  }

  const blocking = openLane({ send: sender(pool.of('blocking')), width: BLOCKING, oneAccount: true })
  /** Accounts that stayed locked: their verbs go to the blocking lane at once, until one of them is decided. */
  const locked = new Set<bigint>()
  const patience = { ...timeouts, lockTimeoutMs: Math.min(patienceMs, timeouts.lockTimeoutMs) }
  const byAccount = Array.from({ length: lanes }, (_, index) =>
    openLane({
      send: patientSender(connect(`lane ${index + 1}`, patience)),
      onBusy(queued) {
        if (queued.account !== undefined) locked.add(queued.account)
        blocking.push(queued)
      },
      width: 1,
      oneAccount: false,
    }),
  )
  // Its own: a renewal that waits could make the node's lease expire.
  const lease = connect('lease')
  const accounts = rememberAccounts()
  const underWay = new Set<Promise<unknown>>()
  let closed = false

  function onRequest(verb: RequestVerb): Promise<Result> {
    const account = accounts.of(verb)
    const isLocked = account !== undefined && locked.has(account)
    const lane = isLocked ? blocking : byAccount[Number((account ?? verb.id) % BigInt(lanes))]
    return new Promise((resolve, reject) => {
      lane?.push({
        verb,
        account,
        resolve(result) {
          if (account !== undefined) locked.delete(account)
          accounts.seen(verb, result)
          resolve(result)
        },
        reject,
      })
    })
  }

  async function apply(verb: Verb): Promise<Result> {
    if (closed) throw new StoreDown('the database is closed')
    checkVerb(verb)
    if (isBatched(verb)) return onRequest(verb)
    const applied = applyAlone(verb)
    underWay.add(applied)
    return applied.finally(() => underWay.delete(applied))
  }

  function submit(verb: Verb, waiter: Completion<Result>): void {
    apply(verb).then(
      (result) => waiter.resolve(result),
      (error) => waiter.reject(error),
    )
  }

  function applyAlone(verb: Exclude<Verb, RequestVerb>): Promise<Result> {
    switch (verb.verb) {
      case 'begin':
        return begin(changes, verb)
      case 'restore':
        return restore(changes, verb)
      case 'take_over':
        return takeOver(changes, verb)
      case 'reap':
        return reap(reaper, REAP, verb)
      case 'collect':
        return reap(reaper, COLLECT, verb)
      case 'join':
      case 'renew':
      case 'leave':
        return onNode(lease, verb)
      case 'acquire_lease':
      case 'renew_lease':
      case 'release_lease':
        return onLease(changes, verb)
    }
  }

  const runner = openRunner(pool.of)
  const tables = {
    db: compileOnly(),
    runner,
    clock: clock.now,
    receiptError: RECEIPT_ERROR,
    receiptIds: RECEIPT_IDS,
    monthOf: MONTH_OF,
  }
  const connection = { ...tables, archive: openArchive(tables) }
  const tasks = postgresTasks(queries)
  return {
    ...nounsOver(connection),
    ledger: { apply, submit, ...ledgerReportsOver(connection, tasks) },
    leases: leasesOver({ apply }),
    ...postgresContents(pool.of('content')),
    tasks,
    sizes: async () => toSizes(await connection.runner.readPage(postgresSizes(connection.db))),
    tableDifferences: () => tableDifferences(reports),
    requirements: postgresRequirements({ queries, changes, isPooled: () => work[0]?.isPooled() }),
    async ping() {
      await queries.query('SELECT 1', [])
    },
    async close() {
      closed = true
      clock.stop()
      // Lanes first: they move verbs to the blocking lane.
      await Promise.all(byAccount.map((lane) => lane.drained()))
      await Promise.all([blocking.drained(), Promise.allSettled(underWay)])
      await closeAll()
    },
  }
}

/** `::text::json`, because the client would write a string meant for a json parameter as a JSON string. */
const APPLY =
  'SELECT place, verdict, amount, tokens, change, reached, lefts FROM ledger_apply_2($1::text::json, $2, $3)'
/** The inside of a JSON string, without its quotes. */
const IN_QUOTES = String.raw`(?:[^"\\]|\\.)*`
const RECEIPT_IDS: ReceiptIds = {
  client: String.raw`substring(receipt from '^\{"ids":\{"client":"(${IN_QUOTES})"')`,
  upstream: String.raw`substring(receipt from '^\{"ids":\{(?:"client":"${IN_QUOTES}",)?"upstream":"(${IN_QUOTES})"')`,
  written: (id) => JSON.stringify(id).slice(1, -1),
}
const MONTH_OF = (time: string): string =>
  `(extract(epoch FROM date_trunc('month', to_timestamp(${time} / 1000) AT TIME ZONE 'UTC')) * 1000)::bigint`
/** Not by a cast, which would fail for a receipt that is no JSON. Quotes inside of a text are escaped, so that none looks like this. */
const RECEIPT_ERROR = `substring(receipt from '"error":\\{"code":"([^"\\\\]+)"')`
const NODE = 'SELECT verdict, amount FROM ledger_node_2($1, $2, $3, $4, $5, $6, $7)'
/** Nodes of earlier versions do not say so: holds name budgets once there are none. */
const KNOWS_BUDGETS = 'UPDATE node SET budgets_epoch = epoch WHERE node_id = $1 AND epoch = $2'
const LEASE = 'SELECT verdict, amount FROM ledger_lease($1, $2, $3, $4, $5, $6)'

const BEGIN = 'SELECT verdict, amount, tokens FROM ledger_begin($1, $2, $3, $4)'
const TAKE_OVER = 'SELECT verdict, amount FROM ledger_take_over($1, $2)'
const REAP = 'SELECT $2 AS verdict, amount, change FROM ledger_reap($1)'
const COLLECT = 'SELECT $2 AS verdict, amount, change FROM ledger_collect($1)'
const RESTORE = 'SELECT verdict, amount FROM ledger_restore_2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)'

const BATCHED: readonly string[] = ['hold', 'extend', 'settle', 'void'] satisfies RequestVerb['verb'][]
const isBatched = (verb: Verb): verb is RequestVerb => BATCHED.includes(verb.verb)

type Send = (verbs: readonly RequestVerb[], waitForLocks?: boolean) => Promise<Decision[]>

function sender(connections: Connections): Send {
  return async (verbs, waitForLocks = true) =>
    decodeBatch(await connections.query(APPLY, [encodeBatch(verbs), waitForLocks, verbs.some(isCounted)]), verbs.length)
}

/** Decides the verbs of locked accounts as `busy` if their locks are not released within the connection's timeout. */
function patientSender(connections: Connections): Send {
  const send = sender(connections)
  return (verbs) =>
    send(verbs).catch((error) => {
      if (!isLockTimeout(error)) throw error
      return send(verbs, false)
    })
}

async function onNode(connections: Connections, verb: Join | Renew | Leave): Promise<Result> {
  const config = verb.verb === 'leave' ? '' : verb.config
  const epoch = verb.verb === 'join' ? 0 : verb.epoch
  const takeover = verb.verb === 'join' && verb.takeover === true
  const { renewals = null, ended = null } = (verb.verb === 'renew' && verb.witness) || {}
  const values = [verb.verb, verb.nodeId, epoch, config, takeover, renewals, ended]
  const [row] = await retryOrDown(() => connections.query(NODE, values))
  const result = toResult(row ?? {})
  if (verb.verb === 'join' && result.verdict === 'done')
    await retryOrDown(() => connections.query(KNOWS_BUDGETS, [verb.nodeId, result.amount]))
  return result
}

async function onLease(connections: Connections, verb: LeaseVerb): Promise<Result> {
  const epoch = verb.verb === 'acquire_lease' ? 0 : verb.epoch
  const holder = verb.verb === 'acquire_lease' ? verb.holder : ''
  const ttlMs = verb.verb === 'release_lease' ? 0 : verb.ttlMs
  const longestMs = verb.verb === 'acquire_lease' ? (verb.longestMs ?? null) : null
  const values = [verb.verb, verb.lease, holder, epoch, ttlMs, longestMs]
  const [row] = await retryOrDown(() => connections.query(LEASE, values))
  return toResult(row ?? {})
}

async function begin(connections: Connections, { id, lease, nodeId, epoch }: Begin): Promise<Result> {
  const [row] = await retryOrDown(() => connections.query(BEGIN, [id, lease, nodeId, epoch]))
  return toResult(row ?? {})
}

async function restore(connections: Connections, verb: Restore): Promise<Result> {
  const { id, account, key, nodeId, epoch, model, upstream, budgets = [], attribution } = verb
  const { tags = [], endUser = '', session = '' } = attribution ?? {}
  const values = [id, account, key, nodeId, epoch, model, upstream, joinIds(budgets), joinTags(tags), endUser, session]
  const [row] = await retryOrDown(() => connections.query(RESTORE, values))
  return toResult(row ?? {})
}

async function takeOver(connections: Connections, { id, by }: TakeOver): Promise<Result> {
  const [row] = await retryOrDown(() => connections.query(TAKE_OVER, [id, by]))
  return toResult(row ?? {})
}

async function reap(
  connections: Connections,
  query: typeof REAP | typeof COLLECT,
  { limit }: Reap | Collect,
): Promise<Result> {
  const [row] = await retryOrDown(() => connections.query(query, [limit, 'done']))
  return toResult(row ?? {})
}

type StoreClock = { now(): number; stop(): void }

/** The clocks of nodes differ, so stored times are the store's. A difference that cannot be measured stays as it was. */
async function storeClock(connections: Connections, ownClock: () => number, everyMs: number): Promise<StoreClock> {
  async function measure(): Promise<number> {
    const [row] = await connections.query(
      'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
      [],
    )
    return Number(row?.now) - ownClock()
  }
  let ahead = await measure()
  const timer = setInterval(() => {
    measure().then(
      (measured) => (ahead = measured),
      () => undefined,
    )
  }, everyMs)
  timer.unref()
  return { now: () => ownClock() + ahead, stop: () => clearInterval(timer) }
}

const compileOnly = (): Kysely<Schema> =>
  new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
