// Remembers callers whose funds did not suffice a moment ago. Requests that they cannot pay for either are rejected from here,
// without querying the store or, if even the cheapest request is too expensive, parsing a body.

import { formatUsd, type Nanos } from '../money/amount.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'

/** Why a request cannot be paid for. */
export type LowFunds = {
  code: 'insufficient_balance' | 'key_quota_exceeded' | 'account_quota_exceeded'
  available: Nanos
  /** The message before and after the amounts. */
  before: string
  after: string
}

export type LowFundsCache = {
  /** Whether there is an entry for the caller. */
  knows(caller: CallerKey): boolean
  /** Why a request to this model that needs at least `minimum` would be rejected again. */
  find(caller: CallerKey, model: string, minimum: Nanos): LowFunds | undefined
  note(caller: CallerKey, model: string, funds: LowFunds): void
  /** A request of the caller has ended: what it did not use is available again. */
  ended(caller: CallerKey): void
  clear(): void
}

type CallerKey = Pick<Caller, 'key' | 'account'>
type ByModel = Map<string, { funds: LowFunds; until: number }>

/** Deposits and requests on other nodes are not announced: the store is queried again after this time, before a person notices. */
const CACHED_MS = 500
/** Per account or key. */
const MAX_MODELS = 100

export function createLowFundsCache(clock: () => number, limit = 10_000): LowFundsCache {
  const accounts = new Map<bigint, ByModel>()
  const keys = new Map<bigint, ByModel>()

  function look(models: ByModel | undefined, model: string, minimum: Nanos): LowFunds | undefined {
    const entry = models?.get(model)
    return entry && clock() < entry.until && minimum > entry.funds.available ? entry.funds : undefined
  }

  return {
    knows: ({ account, key }) => (accounts.size > 0 && accounts.has(account)) || (keys.size > 0 && keys.has(key)),
    find({ account, key }, model, minimum) {
      if (accounts.size === 0 && keys.size === 0) return undefined
      return look(accounts.get(account), model, minimum) ?? look(keys.get(key), model, minimum)
    },
    note({ account, key }, model, funds) {
      const [map, id] = funds.code === 'key_quota_exceeded' ? [keys, key] : [accounts, account]
      const models: ByModel = map.get(id) ?? new Map()
      if (models.size >= MAX_MODELS) models.clear()
      models.set(model, { funds, until: clock() + CACHED_MS })
      // Insertion order is the order of eviction.
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
