// Budgets and attribution in the differential contract: random budgets, holds that name them, and what the tables have to say afterwards.
import type { MemoryRows, SpendingRow } from '../../../../../tools/simulation/memory-book.ts'
import type { Attribution } from '../../../src/money/budgets/attribution.ts'
import { BUDGET_PERIODS, type BudgetTerms, periodStart } from '../../../src/money/budgets/budget.ts'
import type { Verb } from '../../../src/money/ledger.ts'
import { integer } from '../../../src/storage/sql/rows.ts'
import type { BudgetSettings, NewBudget } from '../../../src/storage/storage.ts'
import type { Opened, Wallet } from '../harness.ts'
import type { Randomness } from '../random-verbs.ts'

const DAY_MS = 86_400_000

function randomTerms({ below, pick }: Randomness): BudgetTerms {
  const period = pick([undefined, ...BUDGET_PERIODS])
  const hours = period === 'hours' ? { everyHours: 1 + below(40), startsAt: below(DAY_MS) } : {}
  return { amount: BigInt(below(200)), period, everyHours: undefined, startsAt: undefined, ...hours }
}

const randomSettings = (random: Randomness): BudgetSettings => ({
  ...randomTerms(random),
  hard: random.below(4) > 0,
  alerts: [],
  text: '',
})

/** A few for each account, and some across accounts. */
export async function changeBudgets(
  { storage }: Opened,
  rows: MemoryRows,
  random: Randomness,
  { account }: Wallet,
): Promise<void> {
  const { below, pick } = random
  const own = [...rows.budgets.values()].filter((row) => row.account === account)
  const one = own.length < 3 || below(4) === 0 ? undefined : pick(own)
  if (!one) {
    const isShared = below(4) === 0
    const subject = { key: undefined, person: undefined, model: undefined, value: undefined }
    const whose = isShared ? ({ kind: 'all', account: undefined } as const) : ({ kind: 'account', account } as const)
    const budget: NewBudget = { ...subject, ...whose, ...randomSettings(random), setBy: 'operator' }
    const made = await storage.budgets.create(budget)
    if (!made) throw new Error('the budget was not made')
    const { id, amount, period, everyHours, startsAt, hard } = made
    const meter = { spent: 0n, held: 0n, windowStart: 0, windowSpent: 0n }
    rows.budgets.set(id, {
      id,
      account: whose.account,
      amount,
      period,
      everyHours,
      startsAt,
      hard,
      deleted: false,
      ...meter,
    })
    if (!isShared) renewKeys(rows, account)
    return
  }
  if (one.deleted) return
  renewKeys(rows, account)
  if (below(5) === 0) {
    await storage.budgets.delete(one.id)
    one.deleted = true
    return
  }
  const settings = randomSettings(random)
  const changes = pick([settings, { amount: settings.amount }, { hard: settings.hard }])
  await storage.budgets.change(one.id, changes)
  const { period, everyHours, startsAt } = { ...one, ...changes }
  if (period !== one.period || everyHours !== one.everyHours || startsAt !== one.startsAt)
    Object.assign(one, { windowStart: 0, windowSpent: 0n })
  const { alerts: _, text: __, ...terms } = { alerts: [], text: '', ...changes }
  Object.assign(one, terms)
}

const renewKeys = (rows: MemoryRows, account: bigint): void => {
  for (const key of rows.keys.values()) if (key.account === account) key.revision += 1
}

/** Holds, and what is restored, with some of the budgets there are: also deleted ones, of others, and unknown ones. */
export function counted(verb: Verb, rows: MemoryRows, random: Randomness): Verb {
  if (verb.verb !== 'hold' && verb.verb !== 'restore') return verb
  const { below, pick } = random
  const known = [...rows.budgets.values()].filter(
    ({ account }) => account === undefined || account === verb.account || below(10) === 0,
  )
  const ids = new Set(Array.from({ length: below(4) }, () => (below(12) === 0 ? 9_999n : (pick(known)?.id ?? 9_999n))))
  const attribution = pick([undefined, undefined, randomAttribution(random)])
  return {
    ...verb,
    ...(ids.size > 0 && { budgets: [...ids] }),
    ...(attribution && { attribution }),
  }
}

const randomAttribution = ({ below, pick }: Randomness): Attribution => ({
  tags: pick([['team=a'], ['env=prod', 'team=b'], ['a', 'b', 'c']]),
  endUser: pick(['', `u_${below(3)}`]),
  session: pick(['', 'session-1']),
})

type Sums = Record<string, bigint>

/** In the last period of each. */
export async function sharedSums(raw: Opened['raw']): Promise<Sums> {
  const found = await raw('SELECT budget, node_id, window_start, window_spent, spent FROM budget_sum')
  return Object.fromEntries(
    found.map((row) => [
      [row.budget, row.node_id, row.window_start, integer(row.spent)].join(' '),
      integer(row.window_spent),
    ]),
  )
}

export function expectedShared({ shared }: MemoryRows): Sums {
  const byOwner = Map.groupBy(shared, ([place]) => place.split(',').slice(0, 2).join(' '))
  return Object.fromEntries(
    [...byOwner].map(([owner, sums]) => {
      const last = Math.max(...sums.map(([place]) => Number(place.split(',')[2])))
      const spent = sums.reduce((total, [, amount]) => total + amount, 0n)
      const present = sums.find(([place]) => Number(place.split(',')[2]) === last)?.[1] ?? 0n
      return [`${owner} ${last} ${spent}`, present]
    }),
  )
}

const AMOUNTS = ['requests', 'tokens', 'cost', 'upstream_cost', 'unknown_costs'] as const

export async function attributedSums(raw: Opened['raw']): Promise<Record<string, bigint[]>> {
  const found = await raw('SELECT * FROM daily_attribution_spending')
  return Object.fromEntries(
    found.map((row) => [
      ['account', 'dimension', 'day', 'value', 'key', 'model', 'upstream', 'outcome'].map((name) => row[name]).join(),
      [...AMOUNTS, 'last_at'].map((name) => integer(row[name])),
    ]),
  )
}

export function expectedAttributed(spending: readonly SpendingRow[]): Record<string, bigint[]> {
  const sums: Record<string, bigint[]> = {}
  for (const row of spending) {
    const { account, at, key, model, upstream, outcome, attribution } = row
    const values = [
      ...(attribution?.tags ?? []).map((tag) => ['tag', tag] as const),
      ...(attribution?.endUser ? [['end_user', attribution.endUser] as const] : []),
    ]
    for (const [dimension, value] of values) {
      const day = periodStart({ period: 'day', everyHours: undefined, startsAt: undefined }, at)
      const place = [account, dimension, day, value, key, model, upstream, outcome].join()
      const known = sums[place] ?? [0n, 0n, 0n, 0n, 0n, 0n]
      const amounts = [row.requests, row.tokens, row.cost, row.upstreamCost, row.unknownCosts].map(BigInt)
      sums[place] = [...amounts.map((amount, index) => (known[index] ?? 0n) + amount), max(known[5] ?? 0n, BigInt(at))]
    }
  }
  return sums
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)
