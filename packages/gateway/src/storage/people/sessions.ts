// Browsers that are signed in to the console. Their cookie holds a random token; the store keeps its SHA-256.
import type { Account } from '../accounts.ts'
import { fieldsOf, integer, maybe, small, text } from '../fields.ts'
import type { MemberRole } from './members.ts'
import type { Person } from './people.ts'

export const toSession = fieldsOf({
  id: integer,
  person: integer,
  /** The account that the browser shows. */
  account: integer,
  createdAt: small,
  /** The last request, to the minute. */
  seenAt: small,
  expiresAt: small,
  /** However often it is used; undefined: after the usual time. */
  endsAt: maybe(small),
  userAgent: text,
  address: text,
  /** When a code of the second factor was last given in it. */
  provedAt: maybe(small),
})
export type Session = ReturnType<typeof toSession>

/** `role`: of the person in the account. `isByOperator`: an operator made the person a member, and no owner of the account. */
export type SignedIn = { session: Session; person: Person; account: Account; role: MemberRole; isByOperator: boolean }

export type NewSession = {
  person: bigint
  hash: Uint8Array
  expiresAt: number
  endsAt?: number
  userAgent: string
  address: string
  /** The hash that the password was compared with: the session does not begin if it has been changed since. */
  password?: string | undefined
  /** The session begins with a password, and no second factor was asked for: it does not begin if there is one by now. */
  withoutSecondFactor?: boolean
  /** The session begins with a code of the second factor. */
  withCode?: boolean
}
