// Balances and limits as the API, the console and the commands show them.

import { formatCredit, formatUsd, type Nanos } from './amount.ts'
import { endOf, type Limits, type Period } from './limits.ts'

type Balances = { balance: Nanos; creditLine: Nanos; held: Nanos }
/** With an unlimited credit line, that and what is available are the word `unlimited`. */
export const balancesJson = ({ balance, creditLine, held }: Balances) => ({
  balance_usd: formatUsd(balance),
  credit_line_usd: formatCredit(creditLine),
  held_usd: formatUsd(held),
  available_usd: formatCredit(atLeastZero(balance + creditLine - held), creditLine),
})

type Capped = { cap: Nanos | undefined; capPeriod: Period | undefined; spentUnderCap: Nanos; held: Nanos }
/** The cap of a key or an account, as the APIs show it. */
export const capJson = ({ cap, capPeriod, spentUnderCap, held }: Capped, now: number) => ({
  cap_usd: cap === undefined ? null : formatUsd(cap),
  cap_period: capPeriod ?? null,
  cap_resets_at: capPeriod === undefined ? null : new Date(endOf(capPeriod, now)).toISOString(),
  cap_left_usd: cap === undefined ? null : formatUsd(atLeastZero(cap - spentUnderCap - held)),
})

export const limitsJson = ({ requestsPerMinute, tokensPerMinute, concurrent }: Limits) => ({
  rpm: requestsPerMinute ?? null,
  tpm: tokensPerMinute ?? null,
  concurrent: concurrent ?? null,
})

/** What is left of an amount; never below zero. */
export const atLeastZero = (amount: Nanos): Nanos => (amount > 0n ? amount : 0n)
