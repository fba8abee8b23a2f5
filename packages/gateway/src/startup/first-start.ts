// The first start with a new store creates a person, an account and a link to the console: who opens it owns the gateway. With embedded
// models there is an API key, too, and trial credit for it. Key and link are shown only once.

import { hashSecret } from '../access/authenticate.ts'
import { newApiKey } from '../access/secrets/new-secrets.ts'
import { isEmbeddedOnly, SANDBOX_GROUP, trialSource } from '../config/sandbox.ts'
import type { FileConfig } from '../config/types.ts'
import { formatUsd } from '../money/amount.ts'
import { NO_LIMITS } from '../money/limits.ts'
import { auditEntry, fingerprint } from '../operate/operation.ts'
import { FIRST_PERSON, NO_RESTRICTIONS, type Storage } from '../storage/storage.ts'

/** `secret`: of the first key; undefined if there is no embedded model. */
export type FirstStart = { email: string; setupToken: string; secret: string | undefined }

/** Undefined on every later start. `createSetupLink` returns the token of a link that signs in to the console, once. */
export async function firstStart(
  storage: Storage,
  config: FileConfig,
  createSetupLink: (person: bigint) => Promise<string>,
): Promise<FirstStart | undefined> {
  const token = crypto.randomUUID()
  if ((await storage.meta.setOnce('first_start', token)) !== token) return undefined
  // Credit beyond the embedded models would be the operator's money.
  const isFree = isFreeOfCharge(config)
  const credit = isFree ? config.registration.trialCredit : 0n
  const after = { email: FIRST_PERSON, credit_usd: formatUsd(credit) }
  const { accounts } = audited(storage, 'account create', { object: { account: FIRST_PERSON }, after })
  const account = await accounts.create(FIRST_PERSON, credit, trialSource(config))
  const person = await storage.people.find(FIRST_PERSON)
  if (!account || !person) return undefined
  const secret = isFree ? await createFirstKey(storage, account.id) : undefined
  return { email: FIRST_PERSON, setupToken: await createSetupLink(person.id), secret }
}

const audited = (storage: Storage, action: string, change: Parameters<typeof auditEntry>[2]) =>
  storage.audited(auditEntry({ actor: { type: 'job', name: 'first start' } }, action, change))

async function createFirstKey(storage: Storage, account: bigint): Promise<string> {
  const secret = newApiKey()
  const known = {
    account,
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
  const after = { name: key.name, group: key.group, secret: fingerprint(key.hash) }
  const { keys } = audited(storage, 'key create', { object: { key: key.hash }, after })
  await keys.create({ ...key, ...unlimited })
  return secret
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
