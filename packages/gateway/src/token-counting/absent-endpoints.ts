// Remembers upstreams without an endpoint that counts tokens, so that not every count waits for their 404.

export type AbsentEndpoints = { has(upstream: string): boolean; note(upstream: string): void }

/** After this time an upstream is asked again: it may have been updated. */
const REMEMBER_MS = 10 * 60_000

/** Its size is bounded by the configuration: there is one entry for an upstream at most. */
export function createAbsentEndpoints(clock: () => number): AbsentEndpoints {
  const until = new Map<string, number>()
  return {
    has: (upstream) => (until.get(upstream) ?? Number.NEGATIVE_INFINITY) > clock(),
    note: (upstream) => void until.set(upstream, clock() + REMEMBER_MS),
  }
}
