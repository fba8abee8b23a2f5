// The credential of an upstream is the health of its key: renewed before requests need it, and not used while it cannot be had.
import type { Upstream } from '../../config/types.ts'
import type { Credentials } from '../credentials/index.ts'
import type { Health } from './health.ts'
import type { Verdict } from './key-health.ts'

const NO_CREDENTIAL = 'no credential: '

/** `problem`: what its source says. */
export const withoutCredential = (problem: string): Verdict => ({ is: 'rejected', reason: NO_CREDENTIAL + problem })

/** `now`: of the health of keys. */
export async function followCredentials(
  credentials: Credentials,
  health: Pick<Health, 'keysOf'>,
  upstreams: Iterable<Upstream>,
  now: () => number,
): Promise<void> {
  const all = [...upstreams]
  await credentials.keepFor(all)
  for (const upstream of all.filter(({ auth }) => auth)) {
    const { problem } = credentials.of(upstream).state()
    for (const key of health.keysOf(upstream)) {
      if (problem !== undefined) key.health.record('', withoutCredential(problem), now())
      else if (key.health.report(now()).reason?.startsWith(NO_CREDENTIAL)) key.health.readmit()
    }
  }
}
