// A seeded source of choices (mulberry32): the same seed takes the same decisions on every machine.
export type Random = {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number
  between(least: number, most: number): number
  chance(probability: number): boolean
  pick<Item>(list: readonly Item[]): Item | undefined
  /** Removes one item of the list and gives it. */
  take<Item>(list: Item[]): Item | undefined
}

export function seeded(seed: number): Random {
  let state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)],
    take: (list) => list.splice(below(list.length), 1)[0],
  }
}
