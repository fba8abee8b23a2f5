// What a newcomer sees: where it listens, and a call to paste. The ready-made key is shown once and never again.
import { newSecret } from './cli/operations.ts'
import type { FileConfig } from './config/types.ts'
import { hashSecret } from './journey/authenticate.ts'
import { TRIAL } from './money/ledger.ts'
import { NO_LIMITS } from './money/limits.ts'
import { NO_RESTRICTIONS, type Storage } from './storage/storage.ts'

const EMAIL = 'newcomer@trivium.local'
const GROUP = 'sandbox'

/** `secret`: of the ready-made key; undefined where there is no embedded model. */
export type FirstStart = { secret: string | undefined }

/** Undefined at every start but the first. */
export async function firstStart(storage: Storage, config: FileConfig): Promise<FirstStart | undefined> {
  // Also where no key is made: that a later start prints one would surprise whoever reads its output.
  const token = crypto.randomUUID()
  if ((await storage.setMetaOnce('first_start', token)) !== token) return undefined
  return { secret: onlyEmbedded(config) ? await readyMadeKey(storage, config) : undefined }
}

async function readyMadeKey(storage: Storage, config: FileConfig): Promise<string | undefined> {
  const account = await storage.createAccount(EMAIL, config.registration.trialCredit, TRIAL)
  if (!account) return undefined
  const secret = newSecret()
  const key = { account: account.id, hash: hashSecret(secret), name: 'first key', group: GROUP }
  const free = {
    expiresAt: undefined,
    cap: undefined,
    capPeriod: undefined,
    limits: NO_LIMITS,
    restrictions: NO_RESTRICTIONS,
  }
  await storage.createKey({ ...key, ...free })
  return secret
}

/** Somebody may have given the group's name to one of his own; the key that everybody gets must cost the operator nothing. */
function onlyEmbedded({ sandbox, groups, models, upstreams }: FileConfig): boolean {
  const group = groups.get(GROUP)
  if (!sandbox.on || !group) return false
  const allowed = group.models.includes('*') ? [...models.keys()] : group.models
  return allowed.every((id) =>
    models.get(id)?.routes.every(({ upstream }) => upstreams.get(upstream)?.kind === 'sandbox'),
  )
}

/** What a key can be used for costs money here, so nobody gets one without being given it. */
const NEXT_STEPS = [
  'Make an account and a key for it:',
  '',
  '  npm run -s trivium -- account create --email you@example.com',
  '  npm run -s trivium -- key create --account you@example.com --name laptop',
]

export type Addresses = { listening: string; publicUrl: string | undefined }

export function greeting(version: string, { listening, publicUrl }: Addresses, first: FirstStart | undefined): string {
  const lines = [`Trivium ${version}`, `  address  ${listening}`]
  if (publicUrl) lines.push(`  public   ${publicUrl}`)
  lines.push(`  console  ${publicUrl ?? listening}/console (comes with a later version)`)
  if (first && first.secret === undefined) lines.push('', ...NEXT_STEPS, '')
  if (first?.secret) {
    // A certificate is made out to the public name; a proxy in front may not be running yet.
    const url = publicUrl && listening.startsWith('https:') ? publicUrl : listening
    lines.push(
      '',
      'Try it (this key is shown once; it belongs to an account with the trial credit):',
      '',
      `  curl ${url}/v1/chat/completions \\`,
      `    -H 'Authorization: Bearer ${first.secret}' -H 'Content-Type: application/json' \\`,
      `    -d '{"model":"sandbox-text","messages":[{"role":"user","content":"Hello"}]}'`,
      '',
    )
  }
  return `${lines.join('\n')}\n`
}
