// Random secrets that browsers present: of sessions and of links. The store keeps their SHA-256 only.
import { randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32

/** 43 characters. Without `sk-`, by which people and programs find the API key in what the first start prints. */
export function newToken(): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return token.includes('sk-') ? newToken() : token
}

export const hashToken = (token: string): Buffer => new Bun.CryptoHasher('sha256').update(token).digest()
