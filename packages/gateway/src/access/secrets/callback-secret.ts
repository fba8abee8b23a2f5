// The secret that callbacks of an account are signed with, by the rules of Standard Webhooks: derived from the master secret, so that
// it is the same on every node and is stored nowhere.
import { createHmac } from 'node:crypto'
import type { AccountCipher } from './account-cipher.ts'

type Secrets = Pick<AccountCipher, 'pseudonym'>

const keyOf = (account: bigint, secrets: Secrets): Buffer =>
  Buffer.from(secrets.pseudonym(account, 'callbacks', 'signing secret'), 'base64url')

/** As account holders get it. */
export const callbackSecret = (account: bigint, secrets: Secrets): string =>
  `whsec_${keyOf(account, secrets).toString('base64')}`

export type SignedMessage = {
  /** The same for every try to deliver a message. */
  id: string
  /** Seconds since 1970. */
  timestamp: number
  body: string
}

/** The headers that tell a receiver who sent a message, and when. */
export function signatureHeaders(message: SignedMessage, account: bigint, secrets: Secrets): Record<string, string> {
  const { id, timestamp, body } = message
  const signature = createHmac('sha256', keyOf(account, secrets)).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` }
}
