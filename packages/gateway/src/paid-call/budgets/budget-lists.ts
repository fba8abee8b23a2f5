// The budgets in force, as this process knows them. Those of an account are read when a request needs them, and again once its version has
// grown: a change also changes its keys, so a hold by an older list is rejected and prepared again. Those across accounts are read every 2 s,
// with what is spent under them.
import type { Attribution } from '../../money/budgets/attribution.ts'
import type { Log } from '../../observe/log.ts'
import type { Metrics } from '../../observe/metrics/names.ts'
import type { Budget, BudgetNoun, Caller } from '../../storage/storage.ts'
import { applyingTo, BudgetIndex } from './applying.ts'

/** A request that is about to be held. */
export type Requested = { caller: Caller; model: string; attribution: Attribution | undefined }
type Applying = readonly Budget[] | undefined

export type BudgetLists = {
  /** The budgets that a request counts against; undefined: none. Waits only where those of its account are not known yet. */
  applying(requested: Requested): Applying | Promise<Applying>
  /** The first of `budgets` across accounts that has not got `minimum` left. */
  reached(budgets: readonly Budget[], minimum: bigint): Budget | undefined
  /** A request was rejected by a budget of this kind. */
  noteRejection(kind: Budget['kind']): void
  /** Reads those across accounts. */
  refresh(): Promise<void>
}

type Parts = {
  budgets: Pick<BudgetNoun, 'inForce' | 'isKnownToAll'>
  log: Pick<Log, 'info'>
  metrics: Pick<Metrics, 'budgetRejections'>
  /** Milliseconds since 1970. */
  clock(): number
}

type Known = { version: number; index: BudgetIndex }

/** For all accounts together: about 100 MB. */
const MOST_KEPT = 200_000
const NONE = new BudgetIndex([])

export function createBudgetLists(parts: Parts, mostKept = MOST_KEPT): BudgetLists {
  const { budgets, log, metrics, clock } = parts
  // In the order in which they were read.
  const accounts = new Map<bigint, Known>()
  const readings = new Map<bigint, { version: number; index: Promise<BudgetIndex> }>()
  let kept = 0
  let shared = NONE
  let sharedById: ReadonlyMap<bigint, Budget> = new Map()
  /** No process is alive that would place holds without budgets. */
  let isInForce = false
  let isTold = false
  let refreshing: Promise<void> | undefined
  let isOutdated = false

  function remember(account: bigint, known: Known): void {
    kept += known.index.size - (accounts.get(account)?.index.size ?? 0)
    accounts.delete(account)
    accounts.set(account, known)
    for (const [oldest, { index }] of accounts) {
      if (kept <= mostKept || oldest === account) break
      accounts.delete(oldest)
      kept -= index.size
    }
  }

  async function read(account: bigint, version: number): Promise<BudgetIndex> {
    try {
      const index = new BudgetIndex(await budgets.inForce(account))
      remember(account, { version, index })
      return index
    } finally {
      if (readings.get(account)?.version === version) readings.delete(account)
    }
  }

  function ofAccount({ account, budgetsVersion: version }: Caller): BudgetIndex | Promise<BudgetIndex> {
    if (version === undefined) return NONE
    const known = accounts.get(account)
    if (known && known.version >= version) return known.index
    const reading = readings.get(account)
    if (reading && reading.version >= version) return reading.index
    const index = read(account, version)
    readings.set(account, { version, index })
    return index
  }

  async function readShared(): Promise<void> {
    if (!isInForce) await begin()
    const all = await budgets.inForce(undefined)
    shared = all.length === 0 ? NONE : new BudgetIndex(all)
    sharedById = new Map(all.map((budget) => [budget.id, budget]))
  }

  async function begin(): Promise<void> {
    isInForce = await budgets.isKnownToAll()
    if (isInForce && isTold) log.info('budgets are in force: every process knows them')
    if (!isInForce && !isTold) log.info('budgets are not in force while a process of an earlier version runs')
    isTold = true
  }

  return {
    applying({ caller, model, attribution }) {
      if (!isInForce || (caller.budgetsVersion === undefined && shared.size === 0)) return undefined
      const { key, person, group } = caller
      const counted = { key, person, group, model, attribution }
      const own = ofAccount(caller)
      return own instanceof Promise
        ? own.then((index) => applyingTo(counted, [index, shared]))
        : applyingTo(counted, [own, shared])
    },
    reached(applying, minimum) {
      if (shared.size === 0) return undefined
      return applying.find(({ id, account }) => {
        const budget = account === undefined ? sharedById.get(id) : undefined
        return budget?.hard === true && leftNow(budget, clock()) < minimum
      })
    },
    noteRejection: (kind) => metrics.budgetRejections.add(1, kind),
    async refresh() {
      // What changes while it is read is read again, once.
      isOutdated = true
      refreshing ??= (async () => {
        try {
          while (isOutdated) {
            isOutdated = false
            await readShared()
          }
        } finally {
          refreshing = undefined
        }
      })()
      await refreshing
    },
  }
}

/** What was left when it was read, unless another period has begun since. */
const leftNow = (budget: Budget, now: number): bigint =>
  budget.periodEndsAt !== undefined && now >= budget.periodEndsAt ? budget.amount : budget.left
