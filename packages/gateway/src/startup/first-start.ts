// The first start with a new store creates an account with the trial credit, an API key and a link to the console. Key and link are
// shown only once.

import { hashSecret } from '../access/authenticate.ts'
import { newApiKey } from '../access/secrets/new-api-key.ts'
import { isEmbeddedOnly, SANDBOX_GROUP, trialSource } from '../config/sandbox.ts'
import type { FileConfig } from '../config/types.ts'
import { NO_LIMITS } from '../money/limits.ts'
import { NO_RESTRICTIONS, type Storage } from '../storage/storage.ts'

const EMAIL = 'newcomer@trivium.local'

/** `key`: undefined if there is no embedded model. */
export type FirstStart = { key: { email: string; secret: string; setupToken: string } | undefined }

/** Undefined on every later start. `createSetupLink` returns the token of a link that signs in to the console, once. */
export async function firstStart(
  storage: Storage,
  config: FileConfig,
  createSetupLink: (person: bigint) => Promise<string>,
): Promise<FirstStart | undefined> {
  // Recorded even if no key is created, so that no later start prints one unexpectedly.
  const token = crypto.randomUUID()
  if ((await storage.meta.setOnce('first_start', token)) !== token) return undefined
  return { key: isFreeOfCharge(config) ? await createFirstKey(storage, config, createSetupLink) : undefined }
}

async function createFirstKey(
  storage: Storage,
  config: FileConfig,
  createSetupLink: (person: bigint) => Promise<string>,
): Promise<FirstStart['key']> {
  const account = await storage.accounts.create(EMAIL, config.registration.trialCredit, trialSource(config))
  const person = await storage.people.find(EMAIL)
  if (!account || !person) return undefined
  await storage.people.setRole(person.id, 'owner')
  const secret = newApiKey()
  const known = {
    account: account.id,
    hash: hashSecret(secret),
    lastFour: secret.slice(-4),
    madeBy: 'first-start' as const,
  }
  const key = { ...known, name: 'first key', group: SANDBOX_GROUP }
  const unlimited = {
    expiresAt: undefined,
    cap: undefined,
    capPeriod: undefined,
    limits: NO_LIMITS,
    restrictions: NO_RESTRICTIONS,
  }
  await storage.keys.create({ ...key, ...unlimited })
  return { email: EMAIL, secret, setupToken: await createSetupLink(person.id) }
}

/** The operator may have configured a group with this name. The first key must not cost the operator anything. */
function isFreeOfCharge({ sandbox, groups, models, upstreams }: FileConfig): boolean {
  const group = groups.get(SANDBOX_GROUP)
  if (!sandbox.on || !group) return false
  const allowed = group.models.includes('*') ? [...models.keys()] : group.models
  return allowed.every((id) => {
    const model = models.get(id)
    return model !== undefined && isEmbeddedOnly(model, upstreams)
  })
}
