// The same random verbs go to the engine and to the rules over plain Maps: same answers, same rows, or the engine is
// wrong. A failing seed is in the test's name.
import { expect, test } from 'bun:test'
import {
  emptyRows,
  type MemoryRows,
  memoryBook,
  newAccountRow,
  newKeyRow,
  type SpendingRow,
  setAccountTerms,
  setKeyTerms,
} from '../../../../tools/simulation/memory-book.ts'
import { UNLIMITED_CREDIT } from '../../src/money/amount.ts'
import { type AccountRow, apply, HELD, type KeyRow, type Result, TASK_NODE, type Verb } from '../../src/money/ledger.ts'
import { endOf, type Limits, NO_LIMITS, PERIODS } from '../../src/money/limits.ts'
import { integer } from '../../src/storage/sql/rows.ts'
import {
  attributedSums,
  changeBudgets,
  counted,
  expectedAttributed,
  expectedShared,
  sharedSums,
} from './budgets/random.ts'
import { type KeyFields, newWallet, type Opened, type Use, type Wallet } from './harness.ts'
import {
  type Randomness,
  randomLossVerb,
  randomness,
  randomRepetitionVerb,
  randomTaskVerb,
  randomVerb,
  STEP_MS,
} from './random-verbs.ts'

/** How a task's hold ends: settled by its owner, voided by the reaper at its deadline, voided by its owner. */
const TASK_OUTCOMES = ['done', 'expired', 'failed']
const SEEDS = [1, 2, 3, 4, 5, 11, 13, 102]
const VERBS = 500
/** Far ahead and fixed: a seed takes the same course on every day. Two days before the end of a month, on a Monday. */
const START = Date.UTC(2040, 0, 30, 12)

function randomLimits({ below, pick }: Randomness): Limits {
  return {
    requestsPerMinute: pick([undefined, 1 + below(4)]),
    tokensPerMinute: pick([undefined, 50 + below(250)]),
    concurrent: pick([undefined, 1 + below(3)]),
  }
}

async function startingRows(opened: Opened, random: Randomness): Promise<{ rows: MemoryRows; wallets: Wallet[] }> {
  const rows = emptyRows()
  const wallets: Wallet[] = []
  const capPeriod = random.pick(PERIODS)
  const kinds: KeyFields[] = [
    {},
    { cap: 300n },
    { expiresAt: 1 },
    { limits: randomLimits(random) },
    { cap: 500n, capPeriod, limits: random.pick([NO_LIMITS, randomLimits(random)]) },
  ]
  for (const [index, kind] of kinds.entries()) {
    const balance = BigInt(index * 200 + 200)
    const wallet = await newWallet(opened.storage, balance, kind)
    wallets.push(wallet)
    rows.accounts.set(wallet.account, { ...newAccountRow(wallet.account), balance })
    rows.keys.set(wallet.key, { ...newKeyRow(wallet.key, wallet.account), ...kind })
    rows.transfers.push({ request: undefined, debit: -3n, credit: wallet.account, amount: balance })
  }
  await joinKeys(opened, rows, wallets)
  return { rows, wallets }
}

/** The last two keys belong to a member of one account, who may have a cap. */
async function joinKeys({ storage, raw }: Opened, rows: MemoryRows, wallets: Wallet[]): Promise<void> {
  const [one, other] = wallets.slice(-2)
  const member = await storage.people.find(wallets[0]?.email ?? '')
  if (!one || !other || !member) throw new Error('there are fewer wallets')
  await storage.members.set(one.account, member.id, 'member')
  await raw(`UPDATE api_key SET person = ${member.id}, account = ${one.account} WHERE id IN (${one.key}, ${other.key})`)
  wallets.splice(-1, 1, { ...other, account: one.account })
  for (const { key } of [one, other])
    Object.assign(rows.keys.get(key) ?? {}, { account: one.account, person: member.id })
}

const numbers = (rows: Record<string, unknown>[]): (bigint | string | undefined)[][] =>
  rows.map((row) =>
    Object.values(row).map((value) =>
      value === null ? undefined : typeof value === 'string' ? value : integer(value),
    ),
  )

const METERED =
  'open_requests, spent_at, spent_day, week_before, month_before, requests_window, tokens_window, requests_per_minute'
const metered = ({ limits, meter }: AccountRow | KeyRow) => [
  BigInt(meter.open),
  BigInt(meter.spentAt),
  meter.spentDay,
  meter.weekBefore,
  meter.monthBefore,
  meter.requests.join(),
  meter.tokens.join(),
  limits.requestsPerMinute === undefined ? undefined : BigInt(limits.requestsPerMinute),
]

async function compareRows({ raw }: Opened, rows: MemoryRows): Promise<void> {
  expect(numbers(await raw(`SELECT id, balance, spent, held, ${METERED} FROM account ORDER BY id`))).toEqual(
    [...rows.accounts.values()].map((row) => [row.id, row.balance, row.spent, row.held, ...metered(row)]),
  )
  expect(numbers(await raw(`SELECT id, spent, held, revision, ${METERED} FROM api_key ORDER BY id`))).toEqual(
    [...rows.keys.values()].map((row) => [row.id, row.spent, row.held, BigInt(row.revision), ...metered(row)]),
  )
  expect(numbers(await raw('SELECT node_id, epoch, renewals, config FROM node ORDER BY node_id'))).toEqual(
    [...rows.nodes.values()]
      .sort((a, b) => a.nodeId - b.nodeId)
      .map(({ nodeId, epoch, renewals, config }) => [BigInt(nodeId), BigInt(epoch), BigInt(renewals), config]),
  )
  expect(numbers(await raw('SELECT name, epoch, holder, expires_at FROM lease ORDER BY name'))).toEqual(
    [...rows.leases.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, epoch, holder, expiresAt }) => [name, BigInt(epoch), holder, BigInt(expiresAt)]),
  )
  expect(numbers(await raw('SELECT request, first, at FROM repetition ORDER BY request'))).toEqual(
    [...rows.repetitions.values()]
      .sort((a, b) => (a.request < b.request ? -1 : 1))
      .map(({ request, first, at }) => [request, first, BigInt(at)]),
  )
  expect(numbers(await raw('SELECT id, spent, held, window_start, window_spent FROM budget ORDER BY id'))).toEqual(
    [...rows.budgets.values()].map((row) => [row.id, row.spent, row.held, BigInt(row.windowStart), row.windowSpent]),
  )
  expect(await sharedSums(raw)).toEqual(expectedShared(rows))
  expect(await attributedSums(raw)).toEqual(expectedAttributed(rows.spending))
  const columns =
    'id, account, key, node_id, epoch, deadline, state, held, held_at, tokens, progress, cost, shortfall, outcome, receipt, model, upstream, upstream_cost, budgets, tags, end_user, session'
  expect(numbers(await raw(`SELECT ${columns} FROM request ORDER BY id`))).toEqual(
    [...rows.requests.values()]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((row) => [
        row.id,
        row.account,
        row.key,
        BigInt(row.nodeId),
        BigInt(row.epoch),
        row.deadline === undefined ? undefined : BigInt(row.deadline),
        BigInt(row.state),
        row.held,
        BigInt(row.heldAt),
        BigInt(row.tokens),
        row.progress,
        row.cost,
        row.shortfall,
        row.outcome,
        row.receipt,
        row.model,
        row.upstream,
        row.upstreamCost,
        row.budgets.join(),
        row.attribution?.tags.join() ?? '',
        row.attribution?.endUser ?? '',
        row.attribution?.session ?? '',
      ]),
  )
  expect(
    numbers(await raw('SELECT * FROM hourly_spending ORDER BY account, hour, key, model, upstream, outcome')),
  ).toEqual(sumsOf(rows.spending))
  expect(numbers(await raw('SELECT request, debit, credit, amount FROM transfer ORDER BY id'))).toEqual(
    rows.transfers.map(({ request, debit, credit, amount }) => [request, debit, credit, amount]),
  )
}

const HOUR_MS = 3_600_000

/** As the table has them: by account, hour, key, model, upstream and outcome. */
function sumsOf(spending: readonly SpendingRow[]): (bigint | string)[][] {
  const groups = Map.groupBy(spending, ({ at, account, key, model, upstream, outcome }) =>
    [account, BigInt(at - (at % HOUR_MS)), key]
      .map((part) => String(part).padStart(16, '0'))
      .concat(model, upstream, outcome)
      .join(),
  )
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([group, each]) => {
      const [account, hour, key, ...names] = group.split(',')
      const sum = (field: 'requests' | 'tokens' | 'cost' | 'upstreamCost' | 'unknownCosts') =>
        each.reduce((total, row) => total + BigInt(row[field]), 0n)
      const lastAt = BigInt(Math.max(...each.map(({ at }) => at)))
      const ids = [account, hour, key].map((part) => BigInt(part ?? 0))
      const amounts = [sum('requests'), sum('tokens'), sum('cost'), sum('upstreamCost'), sum('unknownCosts')]
      return [...ids, ...names, ...amounts, lastAt]
    })
}

/** A little, a part of a minute, all of it, or over the end of a day, a week, a month. */
function randomTime({ below, pick }: Randomness, now: number): number {
  const least = below(3) * 500
  return pick([
    STEP_MS,
    STEP_MS,
    STEP_MS,
    20_000,
    60_000,
    61_000,
    ...PERIODS.map((period) => endOf(period, now) - now - 1_000 + least),
  ])
}

/** Often below what is spent and held already. */
function randomCap({ below, pick }: Randomness) {
  const cap = pick([undefined, BigInt(below(900))])
  return { cap, capPeriod: cap === undefined ? undefined : pick([undefined, ...PERIODS]) }
}

async function changeMemberCap({ storage }: Opened, rows: MemoryRows, random: Randomness): Promise<void> {
  const { account, person } = [...rows.keys.values()].at(-1) ?? {}
  if (account === undefined || person === undefined) throw new Error('no key has a person')
  const cap = random.pick([undefined, { cap: BigInt(random.below(400)), capPeriod: random.pick(PERIODS) }])
  await storage.members.setCap(account, person, cap)
  if (cap) rows.memberCaps.set(`${account}/${person}`, cap)
  else rows.memberCaps.delete(`${account}/${person}`)
}

async function changeLimits(opened: Opened, rows: MemoryRows, random: Randomness, wallet: Wallet): Promise<void> {
  const limits = random.pick([NO_LIMITS, randomLimits(random)])
  if (random.pick([true, false])) {
    const creditLine = random.pick([0n, BigInt(random.below(400)), UNLIMITED_CREDIT])
    const money = random.pick([{ creditLine }, randomCap(random)])
    await opened.storage.accounts.setTerms(wallet.account, { ...money, ...limits })
    setAccountTerms(rows, wallet.account, { ...money, limits }, opened.now())
    return
  }
  const terms = randomCap(random)
  await opened.storage.keys.setTerms(wallet.key, { ...terms, ...limits })
  setKeyTerms(rows, wallet.key, { ...terms, limits }, opened.now())
}

export function differentialContract(use: Use): void {
  for (const seed of SEEDS)
    test(`random verbs give the answers and the rows of the rules: seed ${seed}`, async () => {
      const opened = use()
      const [random, forTasks, forMembers] = [randomness(seed), randomness(-seed), randomness(1_000 + seed)]
      const [forLost, forRepeats] = [randomness(2_000 + seed), randomness(3_000 + seed)]
      const forBudgets = randomness(4_000 + seed)
      await opened.elapse(START - opened.now())
      const { rows, wallets } = await startingRows(opened, random)
      const verdicts = new Set<Result['verdict']>()
      let takenOver = 0
      for (let step = 0; step < VERBS; ) {
        const isLater = random.below(6) === 0
        if (isLater) await opened.elapse(randomTime(random, opened.now()))
        if (random.below(10) === 0) await changeLimits(opened, rows, random, random.pick(wallets))
        if (forMembers.below(4) === 0) await changeMemberCap(opened, rows, forMembers)
        if (forBudgets.below(3) === 0) await changeBudgets(opened, rows, forBudgets, forBudgets.pick(wallets))
        const now = opened.now()
        const together = opened.keepsOrder ? 1 + random.below(25) : 1
        step += together
        const verbs: Verb[] = []
        const expected: Result[] = []
        const take = (plain: Verb): void => {
          const verb = counted(plain, rows, forBudgets)
          verbs.push(verb)
          const result = apply(memoryBook(rows, now), verb)
          expected.push(result)
          if (verb.verb === 'take_over' && result.verdict === 'done' && result.amount > 0n) takenOver += 1
        }
        // Its nodes may be dead now, and without them nothing happens.
        if (isLater)
          for (const nodeId of [1, 2]) take({ verb: 'join', nodeId, config: '', takeover: random.below(2) === 0 })
        for (let index = 0; index < together; index++) {
          take(randomVerb(random, wallets, rows))
          take(randomTaskVerb(forTasks, forTasks.pick(wallets), rows, now))
          if (forLost.below(8) === 0) take(randomLossVerb(forLost, forLost.pick(wallets), rows))
          if (forRepeats.below(5) === 0) take(randomRepetitionVerb(forRepeats, rows))
        }
        for (const { verdict } of expected) verdicts.add(verdict)
        expect(await Promise.all(verbs.map((verb) => opened.storage.ledger.apply(verb)))).toEqual(expected)
      }
      await compareRows(opened, rows)
      const openHolds = [...rows.requests.values()].filter(({ state }) => state === HELD).length
      expect(await opened.storage.ledger.audit()).toMatchObject({ ok: true, requests: rows.requests.size, openHolds })
      // The mix must be worth something: most verdicts have to occur in it.
      for (const verdict of ['done', 'repeated', 'node_lost', 'not_open', 'unknown_request'] as const)
        expect([...verdicts]).toContain(verdict)
      for (const verdict of ['lease_taken', 'lease_lost', 'commits_lost'] as const)
        expect([...verdicts]).toContain(verdict)
      const tasks = [...rows.requests.values()].filter(({ nodeId, state }) => nodeId === TASK_NODE && state !== HELD)
      expect([...new Set(tasks.map(({ outcome }) => outcome))].sort()).toEqual(TASK_OUTCOMES)
      const begun = [...rows.requests.values()].filter(
        ({ id, nodeId }) => id >= 500n && id < 1_000n && nodeId !== TASK_NODE,
      )
      expect(begun.length).toBeGreaterThan(0)
      expect([...verdicts]).toContain('member_cap_reached')
      expect([...verdicts]).toContain('budget_reached')
      expect(takenOver).toBeGreaterThan(0)
      for (const kind of [/^(no_balance|key_cap_reached|account_cap_reached)$/, /_(requests|tokens|concurrent)$/])
        expect([...verdicts].filter((verdict) => kind.test(verdict))).not.toEqual([])
    })
}
