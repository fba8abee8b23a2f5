// Secrets of stored entries: sealed with the master secret, each in a row of its own, which the value of the entry names.
import type { AccountCipher } from '../../access/secrets/account-cipher.ts'
import { mapSecrets, markOf } from '../../config/secret-paths.ts'
import type {
  EntryKind,
  NewStoredSecret,
  SealedEntry,
  Storage,
  StoredConfiguration,
  StoredSecret,
} from '../../storage/storage.ts'

import type { Stored } from './parts.ts'

/** The secrets belong to no account. */
export const GATEWAY = 0n
const PURPOSE = 'configuration'

export const contextOfSecret = (id: string): Uint8Array => Buffer.from(id)

/** `by` and `note`: who stored it, and what for. Versions before 0.3.0 wrote neither, and ignore them. */
type Named = { $secret: string } & AboutSecret
export type AboutSecret = { by?: string; note?: string }
export const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && '$secret' in value && typeof value.$secret === 'string'

/** The value with a name in place of each secret that is written; the secrets go to `made`. */
export function sealValue(
  entry: { kind: EntryKind; id: string; value: unknown },
  cipher: AccountCipher,
  made: NewStoredSecret[],
  about: AboutSecret = {},
): unknown {
  return mapSecrets(entry, (written, path) => {
    // A list or an object is a mistake, which the assembly reports.
    if (typeof written === 'object') return written
    const secret = String(written)
    const id = `sec_${Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('hex')}`
    made.push({
      id,
      owner: `${entry.kind}/${entry.id}`,
      sealed: cipher.encrypt(GATEWAY, PURPOSE, Buffer.from(secret), contextOfSecret(id)),
      fingerprint: secretFingerprint(secret, cipher),
      lastFour: markOf(secret, path),
    })
    return { $secret: id, ...about } satisfies Named
  })
}

/** Keyed, so that even a short secret cannot be guessed from it. */
export const secretFingerprint = (secret: string, cipher: AccountCipher): string =>
  `hmac:${cipher.pseudonym(GATEWAY, PURPOSE, secret).slice(0, 16)}`

/** What is stored now, with its secrets in clear. */
export async function readStored(
  { configuration }: Pick<Storage, 'configuration'>,
  cipher: AccountCipher,
): Promise<Stored> {
  const stored = await configuration.read()
  return { revision: stored.revision, entries: unsealEntries(stored, cipher) }
}

/** The entries with their secrets in clear. One that cannot be decrypted is null, which makes its entry invalid. */
export function unsealEntries(
  { entries, secrets }: Pick<StoredConfiguration, 'entries' | 'secrets'>,
  cipher: AccountCipher,
): SealedEntry[] {
  const known = new Map(secrets.map((secret) => [secret.id, secret]))
  const inClear = (secret: unknown) => (isNamed(secret) ? opened(known.get(secret.$secret), cipher) : secret)
  return entries.map((entry) => ({ ...entry, value: mapSecrets(entry, inClear) }))
}

function opened(secret: StoredSecret | undefined, cipher: AccountCipher): string | null {
  const plain = secret?.sealed && openSecret(secret.id, secret.sealed, cipher)
  return plain ? Buffer.from(plain).toString() : null
}

const openSecret = (id: string, sealed: Uint8Array, cipher: AccountCipher): Uint8Array | undefined =>
  cipher.decrypt(GATEWAY, PURPOSE, sealed, contextOfSecret(id))

/** Whether it can be decrypted. */
export const opensSecret = (id: string, sealed: Uint8Array, cipher: AccountCipher): boolean =>
  openSecret(id, sealed, cipher) !== undefined

/** The ids of the secrets that a value names. */
export function secretsIn(entry: { kind: EntryKind; id: string; value: unknown }): string[] {
  const ids: string[] = []
  mapSecrets(entry, (secret) => {
    if (isNamed(secret)) ids.push(secret.$secret)
    return secret
  })
  return ids
}
