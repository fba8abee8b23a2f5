// Callers whose funds did not suffice a moment ago. Requests that cannot be paid for either are rejected from here: that costs
// neither a question to the store nor, where even the cheapest request is too expensive, the parsing of a body.

import { Failure } from '../access/failure.ts'
import { formatUsd, type Nanos } from '../money/amount.ts'
import type { Caller } from '../storage/storage.ts'

/** Why a request cannot be paid for. */
export type LowFunds = {
  code: 'insufficient_balance' | 'key_cap_reached'
  available: Nanos
  /** What is said before and after the amounts. */
  before: string
  after: string
}

export type LowFundsCache = {
  /** Whether anything is remembered of the caller. */
  knows(caller: Who): boolean
  /** Why a request that needs at least `minimum` at this model would be rejected again. */
  find(caller: Who, model: string, minimum: Nanos): LowFunds | undefined
  note(caller: Who, model: string, funds: LowFunds): void
  /** A request of the caller is over: what it did not use is available again. */
  ended(caller: Who): void
  clear(): void
}

type Who = Pick<Caller, 'key' | 'account'>
type ByModel = Map<string, { funds: LowFunds; until: number }>

/** Deposits and requests on other nodes are not announced: the store is asked again after this time, sooner than a person notices. */
const REMEMBERED_MS = 500
/** Of one account or key. */
const MOST_MODELS = 100

export function createLowFundsCache(clock: () => number, limit = 10_000): LowFundsCache {
  const accounts = new Map<bigint, ByModel>()
  const keys = new Map<bigint, ByModel>()

  function look(models: ByModel | undefined, model: string, minimum: Nanos): LowFunds | undefined {
    const memory = models?.get(model)
    return memory && clock() < memory.until && minimum > memory.funds.available ? memory.funds : undefined
  }

  return {
    knows: ({ account, key }) => (accounts.size > 0 && accounts.has(account)) || (keys.size > 0 && keys.has(key)),
    find({ account, key }, model, minimum) {
      if (accounts.size === 0 && keys.size === 0) return undefined
      return look(accounts.get(account), model, minimum) ?? look(keys.get(key), model, minimum)
    },
    note({ account, key }, model, funds) {
      const [map, id] = funds.code === 'key_cap_reached' ? [keys, key] : [accounts, account]
      const models: ByModel = map.get(id) ?? new Map()
      if (models.size >= MOST_MODELS) models.clear()
      models.set(model, { funds, until: clock() + REMEMBERED_MS })
      // The newest last: the oldest is the one to be forgotten.
      map.delete(id)
      map.set(id, models)
      if (map.size > limit) map.delete(map.keys().next().value ?? id)
    },
    ended({ account, key }) {
      if (accounts.size > 0) accounts.delete(account)
      if (keys.size > 0) keys.delete(key)
    },
    clear() {
      accounts.clear()
      keys.clear()
    },
  }
}

export function lowFundsFailure({ code, available, before, after }: LowFunds, minimum: Nanos): Failure {
  const amounts = `Available: ${formatUsd(available)} USD; this request needs at least ${formatUsd(minimum)} USD.`
  return new Failure(code, `${before} ${amounts}${after}`)
}
