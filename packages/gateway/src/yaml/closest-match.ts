// "Did you mean": finds the known name that is closest to a misspelt one.

/** `baseUrl`, `base-url` and `Base_URL` all become `base_url`. */
function plain(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-\s.]+/g, '_')
    .toLowerCase()
}

/** The number of edits (insert, delete, replace, swap of neighbours) that turn one text into the other. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (swapped) best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1)
      current.push(best)
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}

/** Undefined if nothing is close enough: a wrong suggestion is worse than none. */
export function closestMatch(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name.slice(0, 100))
  let best: { name: string; edits: number } | undefined
  for (const candidate of known) {
    const edits = editDistance(wanted, plain(candidate))
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3))
    if (edits <= allowed && (best === undefined || edits < best.edits)) best = { name: candidate, edits }
  }
  return best?.name
}
