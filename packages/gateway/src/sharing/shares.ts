// How many steps are under way for each account, or with each upstream.

export type Shares<Name> = {
  /** Counts a step, and returns the function that ends it. */
  add(name: Name): () => void
  /** Those that have more than their share. */
  full(): Name[]
}

export function createShares<Name>(most: number): Shares<Name> {
  const counts = new Map<Name, number>()
  return {
    add(name) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return () => {
        const left = (counts.get(name) ?? 0) - 1
        if (left > 0) counts.set(name, left)
        else counts.delete(name)
      }
    },
    full: () => [...counts].flatMap(([name, count]) => (count > most ? [name] : [])),
  }
}
