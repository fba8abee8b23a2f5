// The account of each open request: a settlement names only its request, and belongs in the lane of its account. This is only
// a hint: the database looks up requests that are not listed here.
import { isDone, type RequestVerb, type Result } from '../../money/ledger.ts'

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
    seen(verb: RequestVerb, result: Result): void {
      const isOpen = verb.verb === 'extend' || (verb.verb === 'hold' && isDone(result))
      if (!isOpen) accounts.delete(verb.id)
    },
  }
}
