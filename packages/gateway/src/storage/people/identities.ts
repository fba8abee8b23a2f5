// Who people are at providers of sign-ins (OpenID Connect): a provider names a person by a subject, which never changes.
import type { GatewayRole } from './people.ts'

/** `issuer`: the URL of the provider. */
export type IdentityName = { issuer: string; subject: string }

export type Identity = IdentityName & {
  person: bigint
  /** The role that the provider's groups gave at the last sign-in; undefined: the person has none, or one by hand. */
  role: GatewayRole | undefined
  /** The role by hand that it replaced. */
  keptRole: GatewayRole | undefined
  /** The groups of prices that they gave. */
  groups: readonly string[]
}

/** What a sign-in gives. `person`: absent, the person's role in the gateway stays as it is; `endsAccess` as in People.setRole. */
export type GivenBySignIn = Pick<Identity, 'role' | 'keptRole' | 'groups'> & {
  person?: { role: GatewayRole | undefined; endsAccess: boolean }
}
