// What was used when, as the reference model has it: requests, tokens and money in a row with their times, and limits
// checked by adding them up again. The ledger keeps sums instead, and must never find more room than there is here.
import { type Nanos, UNLIMITED_CREDIT } from '../../packages/gateway/src/money/amount.ts'
import {
  type Capped,
  HELD,
  type RequestRow,
  type Result,
  TASK_NODE,
  type Verb,
  VOIDED,
} from '../../packages/gateway/src/money/ledger.ts'
import { type Limits, NO_LIMITS, PERIODS, type Period } from '../../packages/gateway/src/money/limits.ts'
import { checkBudgetCharge, checkBudgetGrant, isBudgetReached } from './budgets.ts'
import type { Begun, Reserved } from './happened.ts'
import type { MemoryRows } from './memory-book.ts'
import { type Model, must } from './model.ts'
import type { Random } from './random.ts'

const MINUTE_MS = 60_000
/** A window counts whole seconds, so it may still count what is up to a second older than a minute. */
const LONGEST_MS = MINUTE_MS + 1_000

/** Called after each verb with the rows it changed: `before` of a request is as it was. */
export function noteUsage(
  model: Model,
  verb: Verb,
  before: RequestRow | undefined,
  after: RequestRow,
  now: number,
): void {
  const owners = [after.key, after.account]
  const { begun, reserved, paid } = model.committed.happened
  const next = { begun: [...begun], reserved: [...reserved], paid: [...paid] }
  if (!before) next.begun.push(...owners.map((owner) => ({ owner, at: now, counted: true })))
  const more = after.tokens - (before?.tokens ?? 0)
  const { id: request } = after
  if (more > 0) next.reserved.push(...owners.map((owner) => ({ owner, request, at: now, tokens: more })))
  if (more < 0) next.reserved = givenBack(next.reserved, request, -more)
  const amount = after.cost - (before?.cost ?? 0n)
  must(after.heldAt === (before?.heldAt ?? now), 'a hold keeps its time')
  if (amount !== 0n)
    next.paid.push(...[...owners, ...after.budgets].map((owner) => ({ owner, at: countedAt(after, now), amount })))
  model.committed.happened = next
  if (verb.verb !== 'settle' || after.state === HELD) return
  // The tokens of a request that was taken over are the operator's, too.
  const isLoss = before?.state === VOIDED
  must(after.tokens === (isLoss ? before.tokens : verb.tokens), 'settled at its tokens')
}

/** A cap counts a charge when it is made; that of a task, which may run for days, in the period of its submit. */
const countedAt = ({ nodeId, heldAt }: RequestRow, now: number): number => (nodeId === TASK_NODE ? heldAt : now)

/** The latest reservations first: any order would do, as the sum is what counts until the minute is over. */
function givenBack(reserved: Reserved[], request: bigint, tokens: number): Reserved[] {
  const left = new Map<bigint, number>()
  return reserved
    .toReversed()
    .map((one) => {
      if (one.request !== request) return one
      const rest = left.get(one.owner) ?? tokens
      const taken = Math.min(rest, one.tokens)
      left.set(one.owner, rest - taken)
      return { ...one, tokens: one.tokens - taken }
    })
    .toReversed()
}

/** A limit counts from when it is set; one of tokens also what is open then. */
export function noteLimits(model: Model, rows: MemoryRows, owner: bigint, limits: Limits): void {
  const { happened } = model.committed
  const had = model.limits.get(owner)
  const isOpen = (request: bigint) => rows.requests.get(request)?.state === HELD
  const begun =
    had?.requestsPerMinute === undefined
      ? happened.begun.map((one) => (one.owner === owner ? { ...one, counted: false } : one))
      : happened.begun
  const reserved =
    had?.tokensPerMinute === undefined
      ? happened.reserved.filter((one) => one.owner !== owner || isOpen(one.request))
      : happened.reserved
  model.committed.happened = { ...happened, begun, reserved }
  model.limits.set(owner, limits)
}

export function checkGrant(verb: Verb, result: Result, rows: MemoryRows, model: Model, now: number): void {
  checkBudgetGrant(verb, result, rows, model, now)
  if (verb.verb !== 'hold' && verb.verb !== 'extend') return
  const request = rows.requests.get(verb.id)
  const [key, account] = verb.verb === 'hold' ? [verb.key, verb.account] : [request?.key ?? 0n, request?.account ?? 0n]
  if (result.verdict !== 'done') {
    checkRejection(verb, result, rows, model, { key, account, now })
    return
  }
  must(result.amount <= verb.amount && result.amount >= 0n, 'granted within what was asked')
  must(result.amount >= verb.minimum, 'granted at least the minimum')
  must(result.tokens <= verb.tokens, 'tokens within what was asked')
  if (verb.verb === 'hold') must(result.tokens >= verb.minimumTokens, 'tokens at least the minimum')
  else {
    const asFarAs = BigInt(result.tokens) * verb.amount >= BigInt(verb.tokens) * result.amount
    must(asFarAs, 'of the tokens of an extension goes as much as of its money')
  }
  for (const owner of [key, account]) checkCap(rows, model, owner, now)
  const { balance, held } = rows.accounts.get(account) ?? { balance: 0n, held: 0n }
  const { line = 0n } = model.lines.get(account) ?? {}
  if (result.amount > 0n)
    must(held <= balance + line, 'granted within balance and credit line', () => `account ${account}`)
  for (const owner of [key, account])
    checkLimits(rows, model, owner, { isNew: verb.verb === 'hold', isTask: verb.nodeId === TASK_NODE, now })
}

function checkCap(rows: MemoryRows, model: Model, id: bigint, now: number): void {
  const row = rows.keys.get(id) ?? rows.accounts.get(id)
  const { cap, capPeriod } = model.caps.get(id) ?? {}
  if (!row || cap === undefined) return
  const spent = spentUnderCap(model, id, now)
  must(spent + row.held <= cap, 'what is spent and held stays under the cap', () => `of ${id}, ${capPeriod}`)
}

function spentUnderCap(model: Model, owner: bigint, now: number): Nanos {
  const { capPeriod } = model.caps.get(owner) ?? {}
  return model.committed.happened.paid
    .filter((one) => one.owner === owner)
    .filter((one) => capPeriod === undefined || periodOf(capPeriod, one.at) === periodOf(capPeriod, now))
    .reduce((sum, { amount }) => sum + amount, 0n)
}

/**
 * The charge of a request, once it is noted. Up to its hold it is paid whatever was changed since then; beyond it only
 * within the cap, and a shortfall is what neither the wallet nor the cap has room for. A task is charged its hold at most:
 * the cap of its submit was checked with the hold, and not with more.
 */
export function checkCharge(rows: MemoryRows, model: Model, before: RequestRow, after: RequestRow, now: number): void {
  const paid = after.cost - before.cost
  const promised = before.state === HELD && after.state !== HELD ? before.held : 0n
  if (paid > promised) {
    for (const owner of [after.key, after.account]) checkCap(rows, model, owner, now)
    checkBudgetCharge(rows, model, after, now)
  }
  if (after.nodeId === TASK_NODE) must(paid <= promised, 'a task is charged its hold at most', () => `task ${after.id}`)
  // A request that was taken over is the operator's loss, whatever its wallet has.
  if (after.shortfall <= before.shortfall || before.state === VOIDED) return
  const [account, key] = [rows.accounts.get(after.account), rows.keys.get(after.key)]
  const isCapReached = [key, account].some((row) => {
    const { cap } = model.caps.get(row?.id ?? 0n) ?? {}
    if (!row || cap === undefined) return false
    // What was given back for an earlier period makes no room in this one.
    return positive(spentUnderCap(model, row.id, now) - paid) + paid + row.held >= cap
  })
  // Below nothing after the credit line was lowered.
  const isEmpty = account !== undefined && account.balance + account.creditLine <= account.held
  must(paid >= promised, 'what was held is paid', () => `request ${after.id}`)
  must(
    isEmpty || isCapReached || isBudgetReached(rows, model, after, paid, now) || after.nodeId === TASK_NODE,
    'a shortfall only of an empty wallet, or a reached cap or budget',
    () => `request ${after.id}`,
  )
}

const positive = (amount: Nanos): Nanos => (amount > 0n ? amount : 0n)

type Beginning = { isNew: boolean; isTask: boolean; now: number }
function checkLimits(rows: MemoryRows, model: Model, owner: bigint, { isNew, isTask, now }: Beginning): void {
  const { requestsPerMinute, tokensPerMinute, concurrent } = model.limits.get(owner) ?? {}
  const named = () => `of ${owner}`
  if (isNew && !isTask && concurrent !== undefined)
    must(openOf(rows, owner) <= concurrent, 'no more at once than the limit allows', named)
  if (isNew && requestsPerMinute !== undefined)
    must(countedSince(model, owner, now - MINUTE_MS) <= requestsPerMinute, 'no more in a minute than the limit', named)
  if (tokensPerMinute !== undefined)
    must(reservedSince(model, owner, now - MINUTE_MS) <= tokensPerMinute, 'no more tokens in a minute', named)
}

type Whose = { key: bigint; account: bigint; now: number }

/** A limit rejects nothing before it is reached. */
function checkRejection(verb: Verb, { verdict }: Result, rows: MemoryRows, model: Model, whose: Whose): void {
  const [, place, what] = /^(key|account)_(concurrent|requests)$/.exec(verdict) ?? []
  const owner = place === 'key' ? whose.key : whose.account
  const { requestsPerMinute = Number.POSITIVE_INFINITY, concurrent = Number.POSITIVE_INFINITY } =
    model.limits.get(owner) ?? {}
  const named = () => `${verb.verb}, ${verdict}`
  if (what === 'concurrent') must(verb.verb === 'hold' && verb.nodeId !== TASK_NODE, 'a task is not a running request')
  if (what === 'concurrent') must(openOf(rows, owner) >= concurrent, 'rejected only at the limit', named)
  if (what === 'requests') {
    // A limit that was taken away and set again may still know what it counted before.
    const begun = begunSince(model, owner, whose.now - LONGEST_MS).length
    must(begun >= requestsPerMinute, 'rejected only at the limit', named)
  }
  if (verdict === 'no_balance' && (verb.verb === 'hold' || verb.verb === 'extend')) {
    const { balance, held } = rows.accounts.get(whose.account) ?? { balance: 0n, held: 0n }
    const { line = 0n } = model.lines.get(whose.account) ?? {}
    must(balance + line - held < verb.minimum, 'rejected only without balance and credit line', named)
  }
  if (verdict === 'key_changed' && verb.verb === 'hold')
    must(verb.revision !== model.revisions.get(verb.key), 'rejected only with an older revision of the key', named)
}

const openOf = (rows: MemoryRows, owner: bigint): number =>
  [...rows.requests.values()].filter(
    (one) => one.state === HELD && one.nodeId !== TASK_NODE && (one.key === owner || one.account === owner),
  ).length

const begunSince = (model: Model, owner: bigint, since: number): Begun[] =>
  model.committed.happened.begun.filter((one) => one.owner === owner && one.at > since)
const countedSince = (model: Model, owner: bigint, since: number): number =>
  begunSince(model, owner, since).filter(({ counted }) => counted).length

const reservedSince = (model: Model, owner: bigint, since: number): number =>
  model.committed.happened.reserved
    .filter((one) => one.owner === owner && one.at > since)
    .reduce((sum, { tokens }) => sum + tokens, 0)

/** Written differently from limits.ts on purpose: by the calendar, not by division. */
function periodOf(period: Period, time: number): string {
  const date = new Date(time)
  if (period === 'month') return date.toISOString().slice(0, 7)
  // Back to Monday; Sunday is day 0.
  if (period === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return date.toISOString().slice(0, 10)
}

export function randomLimits(random: Random): Limits {
  if (random.chance(0.5)) return NO_LIMITS
  return {
    requestsPerMinute: random.pick([undefined, random.between(1, 10)]),
    tokensPerMinute: random.pick([undefined, random.between(20, 300)]),
    concurrent: random.pick([undefined, random.between(1, 4)]),
  }
}

/** `owner`: a key or an account. */
export function randomCap(
  random: Random,
  model: Model,
  owner: bigint,
  cap: bigint | undefined,
): Pick<Capped, 'cap' | 'capPeriod'> {
  const capPeriod = cap === undefined ? undefined : random.pick([undefined, ...PERIODS])
  model.caps.set(owner, { cap, capPeriod })
  return { cap, capPeriod }
}

/** Most accounts never have a line. */
export function randomLine(random: Random, model: Model, account: bigint): { creditLine: bigint } {
  const known = model.lines.get(account)
  const lines = [0n, BigInt(random.between(1, 300)), UNLIMITED_CREDIT]
  const line = (known || random.chance(0.4) ? random.pick(lines) : undefined) ?? 0n
  const highest = known && known.highest > line ? known.highest : line
  if (known || line > 0n) model.lines.set(account, { line, highest })
  return { creditLine: line }
}
