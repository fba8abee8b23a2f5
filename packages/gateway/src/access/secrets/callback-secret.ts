// The secret that callbacks of an account are signed with, by the rules of Standard Webhooks: derived from the master secret, so that
// it is the same on every node and is stored nowhere.
import { createHmac } from 'node:crypto'
import type { AccountCipher } from './account-cipher.ts'

const PREFIX = 'whsec_'

type Secrets = Pick<AccountCipher, 'pseudonym' | 'pseudonyms'>

const VALUE = 'signing secret'

/** As account holders get it. */
export const callbackSecret = (account: bigint, secrets: Pick<Secrets, 'pseudonym'>): string =>
  `${PREFIX}${Buffer.from(secrets.pseudonym(account, 'callbacks', VALUE), 'base64url').toString('base64')}`

export type SignedMessage = {
  /** The same for every try to deliver a message. */
  id: string
  /** Seconds since 1970. */
  timestamp: number
  body: string
}

/**
 * The headers that tell a receiver who sent a message, and when. While two master secrets are accepted, it has a signature by each: a
 * receiver may have the secret of either.
 */
export const signatureHeaders = (message: SignedMessage, account: bigint, secrets: Secrets): Record<string, string> =>
  signedHeaders(
    message,
    secrets.pseudonyms(account, 'callbacks', VALUE).map((key) => Buffer.from(key, 'base64url')),
  )

/** For targets that no account has. */
export const newSigningSecret = (): string =>
  `${PREFIX}${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`

/** `secret`: as receivers have it, `whsec_...`. */
export const signedBy = (message: SignedMessage, secret: string): Record<string, string> =>
  signedHeaders(message, [Buffer.from(secret.slice(PREFIX.length), 'base64')])

function signedHeaders({ id, timestamp, body }: SignedMessage, keys: readonly Buffer[]): Record<string, string> {
  const signatures = keys.map((key) => {
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`)
    return `v1,${hmac.digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
