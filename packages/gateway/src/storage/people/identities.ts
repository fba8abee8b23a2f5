// Who people are at providers of sign-ins (OpenID Connect): a provider names a person by a subject, which never changes.
import { fieldsOf, from, integer, list, maybe, text, word } from '../fields.ts'
import type { GatewayRole } from './people.ts'

export const toIdentity = fieldsOf({
  /** The URL of the provider. */
  issuer: text,
  subject: text,
  person: integer,
  /** The role that the provider's groups gave at the last sign-in; undefined: the person has none, or one by hand. */
  role: maybe(word<GatewayRole>()),
  /** The role by hand that it replaced. */
  keptRole: maybe(word<GatewayRole>()),
  /** The groups of prices that they gave. */
  groups: from('price_groups', list),
})
export type Identity = ReturnType<typeof toIdentity>
export type IdentityName = Pick<Identity, 'issuer' | 'subject'>

/** What a sign-in gives. `person`: absent, the person's role in the gateway stays as it is; `endsAccess` as in People.setRole. */
export type GivenBySignIn = Pick<Identity, 'role' | 'keptRole' | 'groups'> & {
  person?: { role: GatewayRole | undefined; endsAccess: boolean }
}
