// The secret that callbacks of an account are signed with, by the rules of Standard Webhooks: derived from the master secret, so that
// it is the same on every node and is stored nowhere.
import { createHmac } from 'node:crypto'
import type { AccountCipher } from './account-cipher.ts'

const PREFIX = 'whsec_'

type Secrets = Pick<AccountCipher, 'pseudonym'>

const keyOf = (account: bigint, secrets: Secrets): Buffer =>
  Buffer.from(secrets.pseudonym(account, 'callbacks', 'signing secret'), 'base64url')

/** As account holders get it. */
export const callbackSecret = (account: bigint, secrets: Secrets): string =>
  `${PREFIX}${keyOf(account, secrets).toString('base64')}`

export type SignedMessage = {
  /** The same for every try to deliver a message. */
  id: string
  /** Seconds since 1970. */
  timestamp: number
  body: string
}

/** The headers that tell a receiver who sent a message, and when. */
export const signatureHeaders = (message: SignedMessage, account: bigint, secrets: Secrets): Record<string, string> =>
  signedHeaders(message, keyOf(account, secrets))

/** `secret`: as receivers have it, `whsec_...`. */
export const signedBy = (message: SignedMessage, secret: string): Record<string, string> =>
  signedHeaders(message, Buffer.from(secret.slice(PREFIX.length), 'base64'))

function signedHeaders({ id, timestamp, body }: SignedMessage, key: Buffer): Record<string, string> {
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` }
}
