// Which of many equal ways gets the next request: one draw, or two of which the less loaded wins. No work that grows
// with the number of ways, except when what was drawn cannot be asked.
import type { KeyHealth } from './key-health.ts'

/** Anything with a health and a weight can be chosen. */
export type Choosable = { health: KeyHealth; weight: number; priority: number }

/** Ways of equal priority. Weights add up from left to right, so that a draw is a search in the sums. */
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
  /** Requests with the same number go the same way while they can. Asked for only where there is something to choose. */
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
  const oneIsUsable = one !== undefined && isUsable(one)
  if (sticky !== undefined) return oneIsUsable ? one : chooseAmongUsable(tier, isUsable, fraction(sticky + 1))
  const other = memberAt(tier, random())
  if (!oneIsUsable || other === undefined || !isUsable(other)) {
    return oneIsUsable ? one : chooseAmongUsable(tier, isUsable, random())
  }
  // Who is to have three times as much has three times as many calls under way and is no busier for it.
  const equalPart = (tier.sums.at(-1) ?? 0) / tier.members.length
  const loadOf = ({ health, weight }: T): number => health.loadFor(weight / equalPart)
  return loadOf(other) * NOTICEABLE < loadOf(one) ? other : one
}

/** Those who do about as well share by weight: latencies are never quite the same. */
const NOTICEABLE = 1.5

/** The member whose part of the weights the number from 0 to 1 falls into. */
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

/** What was drawn cannot be asked: those that can share by their weights what would have been its part. */
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
