// People: they sign in, and may have a role in the gateway. What they own belongs to accounts, which they are members of.
import type { Nanos } from '../../money/amount.ts'
import type { NoticeKind } from '../console/notices.ts'
import { fieldsOf, flag, from, integer, isThere, maybe, small, text, word } from '../fields.ts'

/** In the gateway, from the highest rank; finance and support have the same. */
export const GATEWAY_ROLES = ['owner', 'admin', 'finance', 'support', 'viewer'] as const
export type GatewayRole = (typeof GATEWAY_ROLES)[number]

/** The address of the person that the first start makes. Who opens the link to the console owns the gateway. */
export const FIRST_PERSON = 'newcomer@trivium.local'

export const toPerson = fieldsOf({
  id: integer,
  email: text,
  /** undefined: none, as for most people. */
  role: maybe(word<GatewayRole>()),
  /** Cannot sign in. */
  disabled: flag,
  createdAt: small,
  /** When the last session in the console began; undefined: none has. */
  signedInAt: maybe(small),
  /** The address is known to be the person's: a link that was sent there was opened, or the operator entered it. */
  isProved: from('proved_at', isThere),
})
export type Person = ReturnType<typeof toPerson>

/** What the person has chosen in the console. */
export type Preferences = {
  /** A notice is shown below this balance; undefined: none. */
  lowBalance: Nanos | undefined
  /** A language tag, for emails. */
  language: string | undefined
  /** The kinds of notices that come by email; undefined: those that the operator has set. */
  notices: readonly NoticeKind[] | undefined
}
