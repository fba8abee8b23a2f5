// The rate at which trial credit is granted. Anyone can register, so a day's budget is released gradually and no network gets
// all of it: draining it takes the whole day and many networks. Pure.
import type { Nanos } from '../../money/amount.ts'

const DAY_MS = 86_400_000
/** Trials that are available from midnight on, whatever the budget: a small site may have only one busy hour a day. */
const TRIALS_AT_ONCE = 3n

/** The budget released by now: half of it at midnight (UTC), the other half evenly through the day. */
export function releasedBudget(budgetPerDay: Nanos | undefined, trialCredit: Nanos, now: number): Nanos | undefined {
  if (budgetPerDay === undefined) return undefined
  const half = budgetPerDay / 2n
  const released = half + ((budgetPerDay - half) * BigInt(now % DAY_MS)) / BigInt(DAY_MS)
  const least = TRIALS_AT_ONCE * trialCredit
  return atMost(budgetPerDay, released > least ? released : least)
}

const LARGEST_COUNT = 1_000_000n

/** How many of a day's trials one /24 (IPv4) or /48 (IPv6) may get: a quarter of them. */
export function trialsPerNetwork(budgetPerDay: Nanos | undefined, trialCredit: Nanos): number {
  if (budgetPerDay === undefined) return Number(LARGEST_COUNT)
  if (trialCredit === 0n) return Number(TRIALS_AT_ONCE)
  const quarter = budgetPerDay / trialCredit / 4n
  return Number(atMost(LARGEST_COUNT, quarter > TRIALS_AT_ONCE ? quarter : TRIALS_AT_ONCE))
}

const atMost = (most: bigint, value: bigint): bigint => (value > most ? most : value)
