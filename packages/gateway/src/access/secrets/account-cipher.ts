// Secrets per account, derived from the master secret: what is stored or sent for one account cannot be
// read, compared or replayed for another, even by someone who holds the database.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { bySecret, type MasterSecret } from './master-secrets.ts'

/** Each purpose has keys of its own: data encrypted for one purpose cannot be decrypted with the key of another. */
export type Purpose =
  | 'end users'
  | 'attribution'
  | 'idempotent answers'
  | 'media addresses'
  | 'conversations'
  | 'playground'
  | 'second factors'
  | 'known browsers'
  | 'sign-ins'
  | 'reasoning'
  | 'callbacks'
  | 'configuration'

export type AccountCipher = {
  /** HMAC-SHA-256 of the value, as 43 characters: the same for the same account and value, different for other accounts. */
  pseudonym(account: bigint, purpose: Purpose, value: string): string
  /** The same, and then those by other accepted master secrets: what was named by one of them is still found. */
  pseudonyms(account: bigint, purpose: Purpose, value: string): readonly string[]
  /** AES-256-GCM. `context` is not stored: decryption requires the same context. */
  encrypt(account: bigint, purpose: Purpose, plain: Uint8Array, context: Uint8Array): Uint8Array
  /** By any accepted master secret. undefined if the data is damaged or was encrypted for another account, purpose or context. */
  decrypt(account: bigint, purpose: Purpose, sealed: Uint8Array, context: Uint8Array): Uint8Array | undefined
}

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'
/** Derived keys are cached: deriving one costs more than using it. */
const MAX_CACHED_KEYS = 10_000

export function createAccountCipher(masterSecret: MasterSecret): AccountCipher {
  const { current, all } = bySecret(masterSecret, cipherOf)
  return {
    pseudonym: (account, purpose, value) => current().pseudonym(account, purpose, value),
    pseudonyms: (account, purpose, value) => all().map((each) => each.pseudonym(account, purpose, value)),
    encrypt: (account, purpose, plain, context) => current().encrypt(account, purpose, plain, context),
    decrypt(account, purpose, sealed, context) {
      for (const each of all()) {
        const plain = each.decrypt(account, purpose, sealed, context)
        if (plain) return plain
      }
      return undefined
    },
  }
}

function cipherOf(masterSecret: string): Omit<AccountCipher, 'pseudonyms'> {
  const keys = new Map<string, Buffer>()

  function keyFor(account: bigint, purpose: Purpose): Buffer {
    const info = `trivium ${purpose} of account ${account}`
    const known = keys.get(info)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', masterSecret, '', info, KEY_BYTES))
    if (keys.size >= MAX_CACHED_KEYS) keys.clear()
    keys.set(info, key)
    return key
  }

  return {
    pseudonym(account, purpose, value) {
      return new Bun.CryptoHasher('sha256', keyFor(account, purpose)).update(value).digest('base64url')
    },

    encrypt(account, purpose, plain, context) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, keyFor(account, purpose), iv).setAAD(context)
      return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },

    decrypt(account, purpose, sealed, context) {
      if (sealed.length < IV_BYTES + TAG_BYTES) return undefined
      const iv = sealed.subarray(0, IV_BYTES)
      const decipher = createDecipheriv(CIPHER, keyFor(account, purpose), iv).setAAD(context)
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}
