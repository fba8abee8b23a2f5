// Browsers that are signed in to the console. Their cookie holds a random token; the store keeps its SHA-256.
import type { Account } from '../accounts.ts'

export type Session = {
  id: bigint
  account: bigint
  createdAt: number
  /** The last request, to the minute. */
  seenAt: number
  expiresAt: number
  userAgent: string
  address: string
}

export type NewSession = {
  account: bigint
  hash: Uint8Array
  expiresAt: number
  userAgent: string
  address: string
  /** The hash that the password was compared with: the session does not begin if it has been changed since. */
  password?: string | undefined
  /** Of a session with a password, in which no second factor was asked for: it does not begin if there is one by now. */
  withoutSecondFactor?: boolean
}

export interface Sessions {
  /** Ends the account's oldest session if it has too many. undefined: the account does not exist, is disabled, or has another password. */
  create(session: NewSession): Promise<Session | undefined>
  /** undefined: no such session, or it has ended or expired, or its account is disabled. */
  find(hash: Uint8Array): Promise<{ session: Session; account: Account } | undefined>
  /** Records a request and extends the session. */
  touch(session: bigint, expiresAt: number): Promise<void>
  /** Newest first, without those that have expired. */
  list(account: bigint): Promise<Session[]>
  /** false: the account has no such session. */
  end(account: bigint, session: bigint): Promise<boolean>
  /** Resolves with the number of sessions that ended. */
  endAll(account: bigint, except?: bigint): Promise<number>
  /** Removes at most `limit` expired sessions; resolves with their number. */
  sweep(limit: number): Promise<number>
}
