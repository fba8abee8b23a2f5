// Weighted random choice among candidates: the less loaded of two draws ("power of two choices"), or one sticky draw. The cost
// does not depend on the number of candidates, unless a drawn one is not usable.
import type { KeyHealth } from './key-health.ts'

export type Choosable = { health: KeyHealth; weight: number; priority: number }

/** Candidates of equal priority. `sums` are the running sums of their weights, so that a draw is a binary search. */
export type Tier<T> = { members: readonly T[]; sums: readonly number[] }

/** Lowest priority number first. */
export function tiersOf<T extends Choosable>(all: readonly T[]): Tier<T>[] {
  const priorities = [...new Set(all.map(({ priority }) => priority))].sort((a, b) => a - b)
  return priorities.map((priority) => tierOf(all.filter((member) => member.priority === priority)))
}

function tierOf<T extends Choosable>(members: readonly T[]): Tier<T> {
  let sum = 0
  return { members, sums: members.map(({ weight }) => (sum += weight)) }
}

export type ChooseOptions<T> = {
  isUsable(member: T): boolean
  random(): number
  /** Requests with the same number get the same candidate while it is usable. Called only if there is a choice. */
  sticky(): number | undefined
}

export function choose<T extends Choosable>(tiers: readonly Tier<T>[], wanted: ChooseOptions<T>): T | undefined {
  for (const tier of tiers) {
    const chosen = chooseIn(tier, wanted)
    if (chosen) return chosen
  }
  return undefined
}

function chooseIn<T extends Choosable>(tier: Tier<T>, wanted: ChooseOptions<T>): T | undefined {
  const { isUsable, random } = wanted
  const [only] = tier.members
  if (tier.members.length === 1) return only && isUsable(only) ? only : undefined
  const sticky = wanted.sticky()
  const one = memberAt(tier, sticky === undefined ? random() : fraction(sticky))
  const isOneUsable = one !== undefined && isUsable(one)
  if (sticky !== undefined) return isOneUsable ? one : chooseAmongUsable(tier, isUsable, fraction(sticky + 1))
  const other = memberAt(tier, random())
  if (!isOneUsable || other === undefined || !isUsable(other)) {
    return isOneUsable ? one : chooseAmongUsable(tier, isUsable, random())
  }
  // A candidate with three times the weight has three times as many requests in flight without being busier.
  const meanWeight = (tier.sums.at(-1) ?? 0) / tier.members.length
  const loadOf = ({ health, weight }: T): number => health.loadFor(weight / meanWeight)
  return loadOf(other) * NOTICEABLE < loadOf(one) ? other : one
}

/** Smaller differences in load are ignored: candidates of about the same latency share by weight. */
const NOTICEABLE = 1.5

/** The member at a point from 0 to 1 of the summed weights. */
function memberAt<T>({ members, sums }: Tier<T>, at: number): T | undefined {
  const sought = at * (sums.at(-1) ?? 0)
  let [low, high] = [0, members.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sought < (sums[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return members[low]
}

/** Used if the drawn member is not usable: the usable ones share its requests by weight. */
function chooseAmongUsable<T extends Choosable>(
  { members }: Tier<T>,
  isUsable: (member: T) => boolean,
  at: number,
): T | undefined {
  return memberAt(tierOf(members.filter(isUsable)), at)
}

/** Spreads whole numbers over 0 to 1, neighbours far apart. */
function fraction(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x45d9f3b)
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b)
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32
}
