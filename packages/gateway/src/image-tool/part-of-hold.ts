// A step of a request that has spent something already: a part of the request's hold, which is settled as a whole at the end.

import type { Nanos } from '../money/amount.ts'
import type { EndObserver, HeldFunds, Settled } from '../storage/node/settler.ts'

/** `spent`: by earlier steps. The end of a step changes nothing in the ledger. */
export function partOfHold(hold: HeldFunds, spent: Nanos, spentTokens: number): HeldFunds {
  const nothing = async (observer: EndObserver | undefined): Promise<Settled> => {
    const settled = { charged: 0n, spooled: false }
    observer?.(settled)
    return settled
  }
  const most = (one: Nanos, other: Nanos): Nanos => (one > other ? one : other)
  return {
    get granted() {
      return this.held
    },
    get grantedTokens() {
      return this.heldTokens
    },
    get held() {
      return most(hold.held - spent, 0n)
    },
    get heldTokens() {
      return Math.max(0, hold.heldTokens - spentTokens)
    },
    output: (cost, more, tokens) =>
      hold.output(spent + cost, more, tokens && { ...tokens, used: spentTokens + tokens.used }),
    raise: (amount, least) => hold.raise(spent + amount, spent + least),
    settle: (_cost, _tokens, _outcome, _receipt, _by, observer) => nothing(observer),
    void: (_outcome, _receipt, observer) => nothing(observer),
  }
}

/** What is spent is recorded in the ledger at once: after a crash it is charged. */
export async function recordSpent(hold: HeldFunds, spent: Nanos): Promise<void> {
  await hold.output(spent, 0n)
  // Progress travels with extensions. One that is rejected still records it.
  await hold.raise(hold.held + 1n, hold.held)
}
