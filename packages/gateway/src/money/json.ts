// Balances and limits as the API, the console and the commands show them.

import { formatUsd, type Nanos } from './amount.ts'
import type { Limits } from './limits.ts'

export const balancesJson = ({ balance, held }: { balance: Nanos; held: Nanos }) => ({
  balance_usd: formatUsd(balance),
  held_usd: formatUsd(held),
  available_usd: formatUsd(atLeastZero(balance - held)),
})

export const limitsJson = ({ requestsPerMinute, tokensPerMinute, concurrent }: Limits) => ({
  rpm: requestsPerMinute ?? null,
  tpm: tokensPerMinute ?? null,
  concurrent: concurrent ?? null,
})

/** What is left of an amount; never below zero. */
export const atLeastZero = (amount: Nanos): Nanos => (amount > 0n ? amount : 0n)
