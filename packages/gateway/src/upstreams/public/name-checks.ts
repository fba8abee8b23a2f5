// What the names in callers' URLs resolve to, for upstreams inside the operator's network, which would fetch them. Lookups are
// bounded per account and in all: a slow name server must not slow other callers down.

import { kindOf, parseIp } from '@trivium/http/addresses/ip-address.ts'
import { type Ticker, withTimeout } from '@trivium/http/ticker.ts'
import { type Resolve, resolveBySystem } from './guard-public.ts'

/** Replaced by tests. */
export const NAME_RESOLVER: { resolve: Resolve } = { resolve: resolveBySystem }

/** A name that takes longer is not known to lead anywhere else. */
const RESOLVE_WITHIN_MS = 1_000
/** Lookups that have not ended, also those that have timed out. */
const [MOST_PER_ACCOUNT, MOST_IN_ALL] = [16, 64]
const [MOST_KEPT, KEPT_MS] = [1_024, 30_000]

export type NameChecks = {
  /** Which of the names are not known to lead to public addresses alone. `busy`: too many lookups are still running. */
  privateAmong(names: readonly string[], account: bigint): Promise<ReadonlySet<string> | 'busy'>
  /** Whether the operator's own name leads into a private network, or did when it last led anywhere, or might: it takes too long to tell. */
  isPrivate(name: string): Promise<boolean>
}

type Leads = 'inside' | 'outside' | 'nowhere'
type Known = { leads: Leads; until: number }
type Running = { promise: Promise<Leads>; account: bigint | undefined }

export function createNameChecks(ticker: Ticker): NameChecks {
  const known = new Map<string, Known>()
  const running = new Map<string, Running>()
  /** The operator's own names: connections there outlive a name server that fails. */
  const inside = new Set<string>()

  function keep(name: string, leads: Leads): Leads {
    known.delete(name)
    const [oldest] = known.keys()
    if (known.size >= MOST_KEPT && oldest !== undefined) known.delete(oldest)
    known.set(name, { leads, until: ticker.now() + KEPT_MS })
    return leads
  }

  /** undefined: as many lookups as may run at once are running. */
  function look(name: string, account: bigint | undefined): Promise<Leads> | undefined {
    const found = known.get(name)
    if (found && found.until > ticker.now()) return Promise.resolve(found.leads)
    const begun = running.get(name)
    if (begun) return begun.promise
    // Names of the operator are few, and callers must not keep them from being looked up.
    if (account !== undefined && running.size >= MOST_IN_ALL) return undefined
    const promise = placeOf(name)
      .then((leads) => keep(name, leads))
      .finally(() => running.delete(name))
    running.set(name, { promise, account })
    return promise
  }

  const isFull = (account: bigint, more: number): boolean => {
    const own = [...running.values()].filter((each) => each.account === account)
    return own.length > 0 && own.length + more > MOST_PER_ACCOUNT
  }

  const within = (promise: Promise<Leads>): Promise<Leads | undefined> =>
    withTimeout(ticker, RESOLVE_WITHIN_MS, promise)

  return {
    async privateAmong(names, account) {
      const unknown = names.filter((name) => !known.has(name) && !running.has(name))
      if (isFull(account, unknown.length)) return 'busy'
      const begun = names.flatMap((name) => look(name, account) ?? [])
      if (begun.length < names.length) return 'busy'
      const places = await Promise.all(begun.map(within))
      return new Set(names.filter((_, index) => places[index] !== 'outside'))
    },
    isPrivate: async (name) => {
      const begun = look(name, undefined)
      const leads = begun && (await within(begun))
      if (leads === 'inside') inside.add(name)
      if (leads === 'outside') inside.delete(name)
      return leads === undefined || inside.has(name)
    },
  }
}

/** One private address among public ones is no accident. */
async function placeOf(name: string): Promise<Leads> {
  const answers = await NAME_RESOLVER.resolve(name).catch(() => [])
  if (answers.length === 0) return 'nowhere'
  const isInside = answers.some((answer) => {
    const ip = parseIp(answer)
    const kind = ip && kindOf(ip)
    return kind !== 'public' && kind !== 'translated'
  })
  return isInside ? 'inside' : 'outside'
}
