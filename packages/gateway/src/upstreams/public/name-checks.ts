// What the names in callers' URLs resolve to, for upstreams inside the operator's network, which would fetch them. Lookups are
// bounded per account and in all: a slow name server must not slow other callers down.

import { kindOf, parseIp } from '@trivium/http/addresses/ip-address.ts'
import { type Ticker, withTimeout } from '@trivium/http/ticker.ts'
import { type Resolve, resolveBySystem } from './guard-public.ts'

/** Replaced by tests. */
export const NAME_RESOLVER: { resolve: Resolve } = { resolve: resolveBySystem }

/** A name that takes longer is not known to be private. */
const RESOLVE_WITHIN_MS = 1_000
/** Lookups that have not ended, also those that have timed out. */
const [MOST_PER_ACCOUNT, MOST_IN_ALL] = [16, 64]
const [MOST_KEPT, KEPT_MS] = [1_024, 30_000]

export type NameChecks = {
  /** Which of the names lead to an address that is not public. `busy`: too many lookups of this account are still running. */
  privateAmong(names: readonly string[], account: bigint): Promise<ReadonlySet<string> | 'busy'>
  /** Whether the operator's own name leads into a private network. */
  isPrivate(name: string): Promise<boolean>
}

type Known = { isPrivate: boolean; until: number }
type Running = { promise: Promise<boolean>; account: bigint | undefined }

export function createNameChecks(ticker: Ticker): NameChecks {
  const known = new Map<string, Known>()
  const running = new Map<string, Running>()

  function keep(name: string, isPrivate: boolean): boolean {
    known.delete(name)
    const [oldest] = known.keys()
    if (known.size >= MOST_KEPT && oldest !== undefined) known.delete(oldest)
    known.set(name, { isPrivate, until: ticker.now() + KEPT_MS })
    return isPrivate
  }

  /** undefined: as many lookups as may run at once are running. */
  function look(name: string, account: bigint | undefined): Promise<boolean> | undefined {
    const found = known.get(name)
    if (found && found.until > ticker.now()) return Promise.resolve(found.isPrivate)
    const begun = running.get(name)
    if (begun) return begun.promise
    if (running.size >= MOST_IN_ALL) return undefined
    const promise = leadsInside(name)
      .then((isPrivate) => keep(name, isPrivate))
      .finally(() => running.delete(name))
    running.set(name, { promise, account })
    return promise
  }

  const isFull = (account: bigint, more: number): boolean => {
    const own = [...running.values()].filter((each) => each.account === account)
    return own.length > 0 && own.length + more > MOST_PER_ACCOUNT
  }

  const within = (promise: Promise<boolean> | undefined): Promise<boolean> =>
    promise ? withTimeout(ticker, RESOLVE_WITHIN_MS, promise).then((isPrivate) => isPrivate === true) : NOT_KNOWN

  return {
    async privateAmong(names, account) {
      const unknown = names.filter((name) => !known.has(name) && !running.has(name))
      if (isFull(account, unknown.length)) return 'busy'
      const answers = await Promise.all(names.map((name) => within(look(name, account))))
      return new Set(names.filter((_, index) => answers[index]))
    },
    isPrivate: (name) => within(look(name, undefined)),
  }
}

const NOT_KNOWN = Promise.resolve(false)

/** One private address among public ones is no accident. A name that does not resolve leads nowhere. */
async function leadsInside(name: string): Promise<boolean> {
  const answers = await NAME_RESOLVER.resolve(name).catch(() => [])
  return answers.some((answer) => {
    const ip = parseIp(answer)
    const kind = ip && kindOf(ip)
    return kind !== 'public' && kind !== 'translated'
  })
}
