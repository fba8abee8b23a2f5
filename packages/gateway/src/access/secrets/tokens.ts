// Random secrets that browsers present: of sessions and of links. The store keeps their SHA-256 only.
import { randomBytes } from 'node:crypto'
import type { LinkPurpose } from '../../storage/people/sign-ins.ts'
import type { SignIns } from '../../storage/storage.ts'

const TOKEN_BYTES = 32
const HOUR_MS = 3_600_000
const LIFE_MS: Readonly<Record<LinkPurpose, number>> = { reset: HOUR_MS, verify: 72 * HOUR_MS, setup: 24 * HOUR_MS }

/** 43 characters. Without `sk-`, by which people and programs find the API key in what the first start prints. */
export function newToken(): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return token.includes('sk-') ? newToken() : token
}

export const hashToken = (token: string): Buffer => new Bun.CryptoHasher('sha256').update(token).digest()

/**
 * A new link, which works once. Earlier links for the same purpose stop working. `madeByKey`: the admin key that makes it; `isMade`: it was
 * not deleted meanwhile.
 */
export async function createLink(
  purpose: LinkPurpose,
  person: bigint,
  signIns: Pick<SignIns, 'createLink'>,
  now: number,
  madeByKey?: bigint,
): Promise<{ token: string; expiresAt: number; isMade: boolean }> {
  const token = newToken()
  const expiresAt = now + LIFE_MS[purpose]
  const isMade = await signIns.createLink({ hash: hashToken(token), purpose, person, expiresAt, madeByKey })
  return { token, expiresAt, isMade }
}
