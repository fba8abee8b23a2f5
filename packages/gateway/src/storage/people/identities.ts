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

export interface Identities {
  find(name: IdentityName): Promise<Identity | undefined>
  /** false: the person's address is not proved, or somebody has this identity. */
  bind(name: IdentityName, person: bigint): Promise<boolean>
  /** Whether an owner of the gateway who is not disabled has an identity at one of these providers. */
  hasOwner(issuers: readonly string[]): Promise<boolean>
  /** All of it at once. false: the person is the last owner, and would not be one any more. */
  refresh(identity: Identity, given: GivenBySignIn): Promise<boolean>
}
