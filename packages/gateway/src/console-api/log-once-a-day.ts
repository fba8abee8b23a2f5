// Log lines that an operator wants to see once and not for every registration of an attack.

const DAY_MS = 86_400_000

/** true the first time something is named on a day (UTC). Beyond `most` names a day nothing more is said. */
export function createOncePerDay(clock: () => number, most = 100): (name: string) => boolean {
  let day = -1
  let named = new Set<string>()
  return (name) => {
    const today = Math.floor(clock() / DAY_MS)
    if (today !== day) {
      day = today
      named = new Set()
    }
    if (named.has(name) || named.size >= most) return false
    named.add(name)
    return true
  }
}
