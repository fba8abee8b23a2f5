// The secrets that credentials of upstreams have now: vendors repeat them in the text of errors, as AWS does with session tokens.
import { secretsOfAuth } from '../../config/secret-paths.ts'
import type { UpstreamAuth } from '../../config/types.ts'

const inUse = new WeakMap<UpstreamAuth, () => readonly unknown[]>()

/** `current`: tokens, or keys of AWS. */
export function noteSecrets(auth: UpstreamAuth, current: () => readonly unknown[]): void {
  inUse.set(auth, current)
}

/** What is written in the configuration, and what it was exchanged for. */
export function secretsInUse(auth: UpstreamAuth): string[] {
  const current = inUse.get(auth)?.() ?? []
  const texts = current.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : value))
  return [...secretsOfAuth(auth), ...texts].filter((text): text is string => typeof text === 'string' && text !== '')
}
