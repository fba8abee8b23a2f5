// The first start of a store: an account with the trial credit and a key to try things with, shown once and never again.

import { hashSecret } from '../access/authenticate.ts'
import { newApiKey } from '../cli/commands/operations.ts'
import { isEmbeddedOnly, SANDBOX_GROUP } from '../config/sandbox.ts'
import type { FileConfig } from '../config/types.ts'
import { TRIAL } from '../money/ledger.ts'
import { NO_LIMITS } from '../money/limits.ts'
import { NO_RESTRICTIONS, type Storage } from '../storage/storage.ts'

const EMAIL = 'newcomer@trivium.local'

/** `key`: the ready-made one with its account; undefined where there is no embedded model. */
export type FirstStart = { key: { email: string; secret: string } | undefined }

/** Undefined at every start but the first. */
export async function firstStart(storage: Storage, config: FileConfig): Promise<FirstStart | undefined> {
  // Also where no key is made: that a later start prints one would surprise whoever reads its output.
  const token = crypto.randomUUID()
  if ((await storage.meta.setOnce('first_start', token)) !== token) return undefined
  return { key: onlyEmbedded(config) ? await readyMadeKey(storage, config) : undefined }
}

async function readyMadeKey(storage: Storage, config: FileConfig): Promise<FirstStart['key']> {
  const account = await storage.accounts.create(EMAIL, config.registration.trialCredit, TRIAL)
  if (!account) return undefined
  const secret = newApiKey()
  const key = { account: account.id, hash: hashSecret(secret), name: 'first key', group: SANDBOX_GROUP }
  const free = {
    expiresAt: undefined,
    cap: undefined,
    capPeriod: undefined,
    limits: NO_LIMITS,
    restrictions: NO_RESTRICTIONS,
  }
  await storage.keys.create({ ...key, ...free })
  return { email: EMAIL, secret }
}

/** Somebody may have given the group's name to one of his own; the key that everybody gets must cost the operator nothing. */
function onlyEmbedded({ sandbox, groups, models, upstreams }: FileConfig): boolean {
  const group = groups.get(SANDBOX_GROUP)
  if (!sandbox.on || !group) return false
  const allowed = group.models.includes('*') ? [...models.keys()] : group.models
  return allowed.every((id) => {
    const model = models.get(id)
    return model !== undefined && isEmbeddedOnly(model, upstreams)
  })
}
