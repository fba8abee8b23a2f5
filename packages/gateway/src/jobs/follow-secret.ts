// During a rotation of the master secret, `trivium secret rotate` decides when the new one is in force: all nodes follow within a second.
import { FINGERPRINT, fingerprintOf } from '../access/secrets/fingerprint.ts'
import type { MasterSecrets } from '../access/secrets/master-secrets.ts'
import type { Meta } from '../storage/meta.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 1_000

export function followSecret(every: Every, meta: Pick<Meta, 'get'>, secrets: MasterSecrets): void {
  if (secrets.accepted.length === 1) return
  every(INTERVAL_MS, {
    name: 'follow the master secret',
    scope: 'node',
    async run() {
      const known = await meta.get(FINGERPRINT)
      secrets.current = secrets.accepted.find((each) => fingerprintOf(each) === known) ?? secrets.current
      return undefined
    },
  })
}
