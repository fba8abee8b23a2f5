// Signed, expiring URLs of stored objects. A client that has one can read the object, without a key.
//
// The signature has two parts. The tag binds the owner to the object; the second part covers the object, the expiry and the tag. So a
// forged or altered URL is rejected before the database is queried, and the owner's number does not appear in the URL.
import { hkdfSync, timingSafeEqual } from 'node:crypto'
import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import { bySecret, type MasterSecret } from '../access/secrets/master-secrets.ts'
import type { MediaRecord } from '../storage/media.ts'

type Owned = Pick<MediaRecord, 'id' | 'account'>

export type SignedUrls = {
  /** An absolute URL that is valid for `ttlMs`, but not longer than the object. Absent: as long as the object. */
  sign(object: Owned & Pick<MediaRecord, 'expiresAt'>, ttlMs?: number): string
  /** Whether the URL is genuine; before the object is looked up. */
  verify(id: string, query: URLSearchParams): 'valid' | 'invalid' | 'expired'
  /** Whether the URL, which is genuine, was made for the object's owner. */
  isFor(object: Owned, query: URLSearchParams): boolean
}

export type SignedUrlOptions = {
  masterSecret: MasterSecret
  accountCipher: Pick<AccountCipher, 'pseudonym' | 'pseudonyms'>
  /** The URL that clients reach the gateway at, without a slash at its end. */
  baseUrl(): string
  /** Milliseconds since 1970. */
  clock(): number
}

const TAG_LENGTH = 22
const KEY_BYTES = 32

export function createSignedUrls({ masterSecret, accountCipher, baseUrl, clock }: SignedUrlOptions): SignedUrls {
  const keys = bySecret(masterSecret, (secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'trivium media addresses', KEY_BYTES)),
  )
  const macOf = (key: Buffer, id: string, exp: string, tag: string): string =>
    new Bun.CryptoHasher('sha256', key).update(`${id}\n${exp}\n${tag}`).digest('base64url')

  return {
    sign(object, ttlMs = Number.POSITIVE_INFINITY) {
      // Whole seconds, never beyond the object's life.
      const exp = String(Math.floor(Math.min(clock() + ttlMs, object.expiresAt) / 1_000))
      const tag = accountCipher.pseudonym(object.account, 'media addresses', object.id).slice(0, TAG_LENGTH)
      return `${baseUrl()}/media/${object.id}?exp=${exp}&sig=${tag}${macOf(keys.current(), object.id, exp, tag)}`
    },
    verify(id, query) {
      const [exp, sig] = [query.get('exp') ?? '', query.get('sig') ?? '']
      const isBy = (key: Buffer) => isEqual(sig.slice(TAG_LENGTH), macOf(key, id, exp, sig.slice(0, TAG_LENGTH)))
      if (!keys.all().some(isBy)) return 'invalid'
      return Number(exp) * 1_000 > clock() ? 'valid' : 'expired'
    },
    isFor({ account, id }, query) {
      const tag = (query.get('sig') ?? '').slice(0, TAG_LENGTH)
      const tags = accountCipher.pseudonyms(account, 'media addresses', id)
      return tags.some((each) => isEqual(tag, each.slice(0, TAG_LENGTH)))
    },
  }
}

/** In constant time: the time must not tell how much of a guess is right. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
