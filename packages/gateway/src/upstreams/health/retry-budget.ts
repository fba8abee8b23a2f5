// Retry budget: retries are at most a fifth of all attempts, because retrying everything keeps an overloaded upstream
// overloaded. A few retries are always available, so that a quiet gateway can retry at all. Retries at a healthy upstream may
// overdraw the budget. The debt is paid back first, but is bounded: one model that needs a retry every time must not
// prevent retries of all others.

export type RetryBudget = {
  /** Called for every request. */
  addRequest(): void
  /** Whether a retry is allowed; if so, it is counted. `isHealthy`: the upstream that would be tried. */
  take(isHealthy: boolean): boolean
}

/** Together with the saved retries this stays below a fifth from a hundred requests on. */
const SHARE = 0.15
/** Retries that may be saved up, and the initial number. */
const MAX_SAVED = 5
/** The largest debt. */
const MAX_OWED = 60

export function createRetryBudget(share = SHARE, maxSaved = MAX_SAVED): RetryBudget {
  let saved = maxSaved
  return {
    addRequest() {
      saved = Math.min(maxSaved, saved + share)
    },
    take(isHealthy) {
      if (saved < 1 && !isHealthy) return false
      saved = Math.max(-MAX_OWED, saved - 1)
      return true
    },
  }
}
