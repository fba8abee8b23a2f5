// Fills a store with an account that has been in use for weeks, by the store's own verbs at the times when they would have
// happened: an audit finds no error. No gateway may run on it meanwhile.
import { SQL } from 'bun'
import { hashCode, newCode } from '../../packages/gateway/src/access/secrets/new-secrets.ts'
import { NANOS_PER_USD, type Nanos } from '../../packages/gateway/src/money/amount.ts'
import {
  CREDIT,
  type Hold,
  isDone,
  type Owned,
  taskLease,
  taskOwner,
  type Verb,
} from '../../packages/gateway/src/money/ledger.ts'
import { NO_LIMITS } from '../../packages/gateway/src/money/limits.ts'
import { createLatencies, type LatencyCount } from '../../packages/gateway/src/observe/latency-buckets.ts'
import { createIds } from '../../packages/gateway/src/request/ids.ts'
import { hashPassword } from '../../packages/gateway/src/storage/password.ts'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { type NewKey, NO_RESTRICTIONS, type Storage } from '../../packages/gateway/src/storage/storage.ts'
import type { Home } from '../../test/support/gateway/home.ts'
import { ownClock } from '../../test/support/postgres/schemas.ts'
import { FILLED_UPSTREAM, type FilledModel, type MadeRequest, makeRequests } from './requests.ts'

export type FilledKey = Partial<Omit<NewKey, 'account' | 'hash'>> & { name: string; deleted?: true }

export type FillPlan = {
  email: string
  password: string
  keys: readonly FilledKey[]
  models: readonly FilledModel[]
  /** Ended ones. Two open ones of tasks are added. */
  requests: number
  days: number
  /** Requests within this time are booked together. */
  stepMs: number
  /** Credits after the first one. */
  topUps: number
  /** What groups pay whose multiplier is not 1. */
  multiplierMillionths?: Readonly<Record<string, bigint>>
}

type ClockedStore = { storage: Storage; setTime(now: number): Promise<void>; close(): Promise<void> }

const DAY_MS = 86_400_000
const NODE_ID = 900
const ONE = 1_000_000n
const DEFAULT_GROUP = 'default'
const CODES = 3
const CODE_AMOUNT = 25n * NANOS_PER_USD
const OPEN_REQUESTS = 2
/** When a gateway first asks about the open tasks: long after a test has ended. */
const NOT_BEFORE_MS = 10 * 60_000

export async function fillStore(home: Home, plan: FillPlan): Promise<void> {
  const until = Date.now() - 60_000
  const from = until - plan.days * DAY_MS
  const { requests, models, multiplierMillionths = {} } = plan
  const groups = plan.keys.map(({ group = DEFAULT_GROUP }) => group)
  const keyGroups = groups.map((id) => ({ id, multiplierMillionths: multiplierMillionths[id] ?? ONE }))
  const made = makeRequests({ from, until, requests, keys: keyGroups, models })
  const steps = [...stepsOf(made, plan.stepMs)]
  const store = await openAt(home, from)
  try {
    const { storage } = store
    const topUp = topUpFor(steps, plan.topUps)
    const account = await storage.accounts.create(plan.email, topUp, CREDIT, await hashPassword(plan.password))
    if (!account) throw new Error(`${plan.email} has an account`)
    const keys: bigint[] = []
    for (const key of plan.keys) keys.push(await createKey(storage, account.id, key))
    const booker = createBooker(store, account.id, keys)
    const payments = paymentsOf(storage, account.id, { from, until, topUp, topUps: plan.topUps })
    for (const step of steps) {
      const at = step.at(-1)?.at ?? until
      for (; payments[0] && payments[0].at <= at; payments.shift()) {
        await store.setTime(payments[0].at)
        await payments[0].pay()
      }
      await booker.book(step, at)
    }
    await booker.end(until, made.slice(-OPEN_REQUESTS))
    await storage.spending.addLatencies(latenciesOf(made, until))
    for (const [place, { deleted }] of plan.keys.entries()) if (deleted) await storage.keys.delete(keys[place] ?? 0n)
  } finally {
    await store.close()
  }
}

/** On PostgreSQL, whose functions read the database's clock, a function of that name stands before it meanwhile. */
async function openAt({ dataDir, databaseUrl }: Home, start: number): Promise<ClockedStore> {
  let now = start
  const clock = () => now
  if (databaseUrl === undefined) {
    const storage = await openSqlite(dataDir, { clock })
    const setTime = async (time: number) => {
      now = time
    }
    return { storage, setTime, close: () => storage.close() }
  }
  const address = `${databaseUrl}?search_path=public`
  const { url, set, close: closeClock } = await ownClock(address, start)
  const storage = await openPostgres(url, { clock })
  return {
    storage,
    async setTime(time) {
      now = time
      await set(time)
    },
    async close() {
      await storage.close()
      await closeClock()
      const shell = new SQL(address, { max: 1 })
      await shell.unsafe('DROP FUNCTION public.clock_timestamp(); DROP TABLE test_clock')
      await shell.unsafe('ANALYZE')
      await shell.close()
    },
  }
}

async function createKey(storage: Storage, account: bigint, key: FilledKey): Promise<bigint> {
  const { deleted: _, ...fields } = key
  const hash = crypto.getRandomValues(new Uint8Array(32))
  const created = await storage.keys.create({
    account,
    hash,
    lastFour: Buffer.from(hash).toString('base64url').slice(0, 4),
    group: DEFAULT_GROUP,
    expiresAt: undefined,
    cap: undefined,
    capPeriod: undefined,
    limits: NO_LIMITS,
    restrictions: NO_RESTRICTIONS,
    madeBy: 'console' as const,
    ...fields,
  })
  return created.id
}

/** Whole dollars: each pays for its part of the time, with all requests of a step held at once. */
function topUpFor(steps: readonly (readonly MadeRequest[])[], topUps: number): Nanos {
  const sum = (requests: readonly MadeRequest[], field: 'cost' | 'held') =>
    requests.reduce((total, request) => total + request[field], 0n)
  const spent = steps.reduce((total, step) => total + sum(step, 'cost'), 0n)
  const held = steps.reduce((most, step) => (sum(step, 'held') > most ? sum(step, 'held') : most), 0n)
  return ((spent / BigInt(topUps) + held) / NANOS_PER_USD + 5n) * NANOS_PER_USD
}

/** Those of the last day, as the console shows them. */
function latenciesOf(made: readonly MadeRequest[], until: number): LatencyCount[] {
  const latencies = createLatencies()
  for (const { at, model, firstTokenMs } of made)
    if (at > until - DAY_MS && firstTokenMs !== undefined) latencies.note(model, firstTokenMs)
  return latencies.take()
}

type Payment = { at: number; pay(): Promise<unknown> }

/** Credits and redeemed codes, oldest first. */
function paymentsOf(
  storage: Storage,
  account: bigint,
  { from, until, topUp, topUps }: { from: number; until: number; topUp: Nanos; topUps: number },
): Payment[] {
  const evenly = (count: number, pay: () => Promise<unknown>): Payment[] =>
    Array.from({ length: count }, (_, place) => ({
      at: from + Math.floor(((place + 0.5) * (until - from)) / count),
      pay,
    }))
  const credits = evenly(topUps, () => storage.accounts.credit(account, topUp, 'bank transfer'))
  const codes = evenly(CODES, async () => {
    const hash = hashCode(newCode())
    if (!hash) throw new Error('not a code')
    await storage.codes.create([{ hash, amount: CODE_AMOUNT, expiresAt: undefined }])
    await storage.codes.redeem(account, hash)
  })
  return [...credits, ...codes].sort((one, two) => one.at - two.at)
}

function* stepsOf(made: readonly MadeRequest[], stepMs: number): Iterable<readonly MadeRequest[]> {
  let step: MadeRequest[] = []
  for (const request of made) {
    const [first] = step
    if (first && Math.floor(request.at / stepMs) !== Math.floor(first.at / stepMs)) {
      yield step
      step = []
    }
    step.push(request)
  }
  if (step.length > 0) yield step
}

/** Books steps as a node would that starts anew for each: what it leaves open is then reaped. */
function createBooker({ storage: { ledger, tasks }, setTime }: ClockedStore, account: bigint, keys: readonly bigint[]) {
  let idTime = 0
  const ids = createIds(
    () => NODE_ID,
    () => idTime,
  )
  let isReapDue = false

  async function mustDo(verb: Verb): Promise<bigint> {
    const result = await ledger.apply(verb)
    if (!isDone(result)) throw new Error(`${verb.verb}: ${result.verdict}`)
    return result.amount
  }
  const idAt = (at: number): bigint => {
    idTime = at
    return ids.next()
  }
  const holdOf = (request: MadeRequest, owner: Owned): Hold => ({
    verb: 'hold',
    ...owner,
    account,
    key: keys[request.key] ?? 0n,
    revision: 0,
    extensible: false,
    amount: request.held,
    minimum: request.held,
    tokens: 0,
    minimumTokens: 0,
    model: request.model,
    upstream: FILLED_UPSTREAM,
  })
  const endOf = ({ end, cost, tokens, outcome, receipt }: MadeRequest, owner: Owned): Verb =>
    end === 'settle'
      ? { verb: 'settle', ...owner, cost, tokens, outcome, receipt }
      : { verb: 'void', ...owner, outcome, receipt }

  async function join(): Promise<number> {
    const epoch = Number(await mustDo({ verb: 'join', nodeId: NODE_ID, config: 'filled', takeover: true }))
    if (isReapDue) await mustDo({ verb: 'reap', limit: 1_000 })
    isReapDue = false
    return epoch
  }

  return {
    async book(step: readonly MadeRequest[], at: number): Promise<void> {
      await setTime(at)
      const epoch = await join()
      const owned = step.map((request) => ({ request, owner: { id: idAt(request.at), nodeId: NODE_ID, epoch } }))
      await Promise.all(owned.map(({ request, owner }) => mustDo(holdOf(request, owner))))
      const ended = owned.filter(({ request }) => request.end !== 'reap')
      await Promise.all(ended.map(({ request, owner }) => mustDo(endOf(request, owner))))
      isReapDue ||= ended.length < owned.length
    },
    /** Leaves requests open that no restart ends: those of tasks. */
    async end(at: number, open: readonly MadeRequest[]): Promise<void> {
      await setTime(at)
      const epoch = await join()
      await mustDo({ verb: 'leave', nodeId: NODE_ID, epoch })
      for (const request of open) {
        const id = idAt(at)
        // Its row comes first, as that of a real task: a hold without one is voided at the next start.
        await tasks.insert({
          id,
          account,
          key: keys[request.key] ?? 0n,
          type: 'video',
          model: request.model,
          serviceTier: undefined,
          state: 'running',
          status: 'running',
          upstream: FILLED_UPSTREAM,
          upstreamKey: '',
          upstreamTask: `filled-${id}`,
          data: '{}',
          deadlineInMs: DAY_MS,
          dueInMs: NOT_BEFORE_MS,
        })
        const lease = await mustDo({ verb: 'acquire_lease', lease: taskLease(id), holder: 'filled', ttlMs: 1_000 })
        await mustDo({ ...holdOf(request, taskOwner(id, Number(lease))), deadline: at + DAY_MS })
      }
    },
  }
}
