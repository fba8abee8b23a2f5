// New secrets, of which the store gets only the hash.
import { createHash, randomInt } from 'node:crypto'

/** Crockford's base 32: no I, L, O or U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 20

/** A redemption code: five groups of four characters, 100 random bits. Letters that look like digits are read as those digits. */
export function newCode(): string {
  const characters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)])
  return (characters.join('').match(/.{4}/g) ?? []).join('-')
}

/** SHA-256 of the code, in whatever case and grouping it is written. undefined: cannot be a code. */
export function hashCode(written: string): Uint8Array | undefined {
  if (written.length > 100) return undefined
  const code = written.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  if (code.length !== LENGTH || [...code].some((character) => !ALPHABET.includes(character))) return undefined
  return createHash('sha256').update(code).digest()
}

/** 256 random bits. */
export const newApiKey = (): string => `sk-${randomText()}`

/** A new key for the admin API. */
export const newAdminKey = (): string => `ak-${randomText()}`

const randomText = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
