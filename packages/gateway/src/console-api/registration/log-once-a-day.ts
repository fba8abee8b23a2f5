// Limits log lines to one per day and name, so that an attack does not flood the log.

const DAY_MS = 86_400_000

/** True the first time a name is used on a day (UTC), for at most `most` names a day. */
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
