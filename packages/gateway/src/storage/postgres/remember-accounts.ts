// Which account a request belongs to: a settlement names only its request, and should travel in its account's lane.
// Only a hint. What is forgotten, or was held by an earlier process, is looked up by the database.
import type { Result } from '../../money/ledger.ts'
import type { RequestVerb } from './encode.ts'

const MOST = 100_000

export function rememberAccounts(most = MOST) {
  const accounts = new Map<bigint, bigint>()
  return {
    of(verb: RequestVerb): bigint | undefined {
      if (verb.verb !== 'hold') return accounts.get(verb.id)
      accounts.set(verb.id, verb.account)
      // A hold whose settlement never comes would stay forever: the oldest is dropped.
      const oldest = accounts.size > most ? accounts.keys().next().value : undefined
      if (oldest !== undefined) accounts.delete(oldest)
      return verb.account
    },
    seen(verb: RequestVerb, { outcome }: Result): void {
      const isOpen = verb.verb === 'extend' || (verb.verb === 'hold' && (outcome === 'done' || outcome === 'repeated'))
      if (!isOpen) accounts.delete(verb.id)
    },
  }
}
