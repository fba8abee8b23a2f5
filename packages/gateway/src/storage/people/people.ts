// People: they sign in, and may have a role in the gateway. What they own belongs to accounts, which they are members of.
import type { Nanos } from '../../money/amount.ts'

/** In the gateway, from the highest rank; finance and support have the same. */
export const GATEWAY_ROLES = ['owner', 'admin', 'finance', 'support', 'viewer'] as const
export type GatewayRole = (typeof GATEWAY_ROLES)[number]

/** The address of the person that the first start makes. Who opens the link to the console owns the gateway. */
export const FIRST_PERSON = 'newcomer@trivium.local'

export type Person = {
  id: bigint
  email: string
  /** undefined: none, as for most people. */
  role: GatewayRole | undefined
  /** Cannot sign in. */
  disabled: boolean
  createdAt: number
  /** When the last session in the console began; undefined: none has. */
  signedInAt: number | undefined
  /** The address is known to be the person's: a link that was sent there was opened, or the operator entered it. */
  isProved: boolean
}

/** What the person has chosen in the console. */
export type Preferences = {
  /** A notice is shown below this balance; undefined: none. */
  lowBalance: Nanos | undefined
  /** A language tag, for emails. */
  language: string | undefined
}
