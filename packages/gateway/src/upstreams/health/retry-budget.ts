// Attempts beyond the first may be at most a fifth of all traffic: when everything fails, asking everywhere twice is what
// keeps it failing. A few are always allowed, or a quiet gateway could never try again. Where the next upstream is known to
// be well, the budget may be overdrawn: that is no storm, and what is overdrawn is paid back before anything else, within
// reason: one model that is tried twice every time must not keep all others from being tried again.

export type RetryBudget = {
  /** A request begins. */
  addRequest(): void
  /** Whether one more attempt may be made; if so it counts. */
  take(isTrusted: boolean): boolean
}

/** With what is saved up, this stays below a fifth from a hundred requests on. */
const SHARE = 0.15
/** So many retries may be saved up, and are there at the beginning. */
const MOST_SAVED = 5
/** Of what was overdrawn, so much has to be paid back. */
const MOST_OWED = 60

export function createRetryBudget(share = SHARE, mostSaved = MOST_SAVED): RetryBudget {
  let saved = mostSaved
  return {
    addRequest() {
      saved = Math.min(mostSaved, saved + share)
    },
    take(isTrusted) {
      if (saved < 1 && !isTrusted) return false
      saved = Math.max(-MOST_OWED, saved - 1)
      return true
    },
  }
}
