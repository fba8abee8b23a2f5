// What a newcomer sees: where it listens, and a call to paste. The ready-made key is shown once and never again.
import { newSecret } from './cli/operations.ts'
import type { FileConfig } from './config/types.ts'
import { hashSecret } from './journey/authenticate.ts'
import { TRIAL } from './money/ledger.ts'
import type { Storage } from './storage/storage.ts'

const EMAIL = 'newcomer@trivium.local'
const GROUP = 'sandbox'

/** The secret of the ready-made key; undefined at every start but the first, and where there is no embedded model. */
export async function readyMadeKey(storage: Storage, config: FileConfig): Promise<string | undefined> {
  if (!config.sandbox.on || !config.groups.has(GROUP)) return undefined
  const token = crypto.randomUUID()
  if ((await storage.setMetaOnce('first_start', token)) !== token) return undefined
  const account = await storage.createAccount(EMAIL, config.registration.trialCredit, TRIAL)
  if (!account) return undefined
  const secret = newSecret()
  const key = { account: account.id, hash: hashSecret(secret), name: 'first key', group: GROUP }
  await storage.createKey({ ...key, expiresAt: undefined, cap: undefined })
  return secret
}

export function greeting(version: string, url: string, secret: string | undefined): string {
  const lines = [`Trivium ${version}`, `  address  ${url}`, `  console  ${url}/console (comes with a later version)`]
  if (secret) {
    lines.push(
      '',
      'Try it (this key is shown once; it belongs to an account with the trial credit):',
      '',
      `  curl ${url}/v1/chat/completions \\`,
      `    -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' \\`,
      `    -d '{"model":"sandbox-text","messages":[{"role":"user","content":"Hello"}]}'`,
      '',
    )
  }
  return `${lines.join('\n')}\n`
}
