// The person that a provider's claims are about: known by the identity, or by a verified address, or new.

import { isStrictAddress } from '../../access/email-address.ts'
import { trialSource } from '../../config/sandbox.ts'
import type { SignInProvider } from '../../config/sections/sign-in.ts'
import { raises } from '../../operate/permissions.ts'
import { GATEWAY_ROLES, type GatewayRole, type Identity, type Person } from '../../storage/storage.ts'
import { type Call, personEntry, signUpEntry } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { releasedBudget, trialsPerNetwork } from '../registration/trial-credit.ts'
import type { Claims } from './providers.ts'
import { SignInRefused } from './refused.ts'

/** From one network and day: a company has many people behind one address. */
const MOST_SIGN_UPS = 1_000
/** Longer lists of a provider's groups are cut. */
const MOST_GROUPS = 1_000

/** With what the provider's groups give now. Throws SignInRefused. */
export async function findPerson(
  call: Call,
  provider: SignInProvider,
  claims: Claims,
  deps: ConsoleDependencies,
): Promise<Person> {
  const { identities, people } = deps.store
  const name = { issuer: provider.issuer, subject: claims.sub }
  let identity = await identities.find(name)
  if (!identity) {
    await newIdentity(call, provider, name, claims, deps)
    identity = await identities.find(name)
  }
  const person = identity && (await people.findById(identity.person))
  if (!identity || !person || person.disabled) throw new SignInRefused('disabled')
  await refresh(call, provider, { identity, person, claims }, deps)
  return person
}

async function newIdentity(
  call: Call,
  provider: SignInProvider,
  identity: { issuer: string; subject: string },
  claims: Claims,
  deps: ConsoleDependencies,
): Promise<void> {
  const { store } = deps
  const email = verifiedAddress(claims)
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const { domains } = provider
  // A provider speaks for its domains only, also for people who are here already.
  if (domains.length > 0 && !domains.includes(domain)) throw new SignInRefused('foreign_domain')
  const known = await store.people.find(email)
  if (!known) {
    if (domains.length === 0 && !(await store.invitations.isInvited(email))) throw new SignInRefused('not_invited')
    return await signUp(call, provider, identity, email, deps)
  }
  if (known.disabled) throw new SignInRefused('disabled')
  // Anyone may have signed up with the address: whoever did keeps their password, and would share what is the other's.
  if (!known.isProved) throw new SignInRefused('unproved_address')
  const entry = personEntry(call, known.id, 'identity bind', {
    after: { provider: provider.id, subject: identity.subject },
  })
  await store.audited(entry).identities.bind(identity, known.id)
}

function verifiedAddress({ email, email_verified: isVerified }: Claims): string {
  // Some providers send text.
  if (typeof email !== 'string' || String(isVerified) !== 'true') throw new SignInRefused('unverified_address')
  const address = email.trim().toLowerCase()
  if (!isStrictAddress(address)) throw new SignInRefused('unverified_address')
  return address
}

/** Trial credit is for those who could have signed up by themselves. */
async function signUp(
  call: Call,
  provider: SignInProvider,
  identity: { issuer: string; subject: string },
  email: string,
  deps: ConsoleDependencies,
): Promise<void> {
  const { registration } = deps.config()
  const trialCredit = registration.open ? registration.trialCredit : 0n
  const { network, wideNetwork } = call.origin
  const entry = signUpEntry(call, { email, provider: provider.id, subject: identity.subject })
  const made = await deps.store.audited(entry).accounts.signUp({
    email,
    password: undefined,
    identity,
    network,
    wideNetwork,
    mostPerNetwork: Math.max(MOST_SIGN_UPS, registration.accountsPerNetworkPerDay),
    wideTrials: trialsPerNetwork(registration.trialBudgetPerDay, trialCredit),
    trialCredit,
    budget: releasedBudget(registration.trialBudgetPerDay, trialCredit, deps.clock()),
    source: trialSource(deps.config()),
    onProof: false,
  })
  if (made === 'taken') throw new SignInRefused('taken_address')
  if (made === 'too_many') throw new SignInRefused('busy')
}

type Found = { identity: Identity; person: Person; claims: Claims }

/** Also leaves the row of the sign-in in the audit log. */
async function refresh(
  call: Call,
  provider: SignInProvider,
  { identity, person, claims }: Found,
  { store, log }: ConsoleDependencies,
): Promise<void> {
  const given = groupsIn(claims, provider)
  const groups = [...new Set(given.flatMap((each) => provider.priceGroups.get(each) ?? []))]
  const mapped = given.map((each) => provider.roles.get(each)).reduce(higherRole, undefined)
  const roles = mergeRoles(identity, person.role, mapped)
  const { groupsClaim } = provider
  const isMissing = groupsClaim !== undefined && claims[groupsClaim] === undefined
  if (isMissing) log.warn('sign-in: a provider sent no groups', { provider: provider.id, groups_claim: groupsClaim })
  const missing = isMissing ? { missing_groups_claim: groupsClaim } : {}
  const after = { provider: provider.id, role: roles.next ?? null, price_groups: groups, ...missing }
  const entry = personEntry(call, person.id, 'sign-in', { before: { role: person.role ?? null }, after })
  const { role, keptRole } = roles
  const changed =
    roles.next === person.role ? {} : { person: { role: roles.next, endsAccess: raises(person.role, roles.next) } }
  if (await store.audited(entry).identities.refresh(identity, { role, keptRole, groups, ...changed })) return
  // The last owner stays one.
  const unchanged = { ...entry, after: { ...after, role: person.role ?? null } }
  await store.audited(unchanged).identities.refresh(identity, {
    role: identity.role,
    keptRole: identity.keptRole,
    groups,
  })
}

const rankOf = (role: GatewayRole | undefined): number =>
  // Finance and support have the same rank.
  role === undefined ? GATEWAY_ROLES.length : GATEWAY_ROLES.indexOf(role === 'support' ? 'finance' : role)

const higherRole = (one: GatewayRole | undefined, other: GatewayRole | undefined): GatewayRole | undefined =>
  rankOf(other) < rankOf(one) ? other : one

/** A role by hand is never lowered; one that the provider's groups gave goes with them. `next`: the role from now on. */
export function mergeRoles(
  before: Pick<Identity, 'role' | 'keptRole'>,
  present: GatewayRole | undefined,
  mapped: GatewayRole | undefined,
): Pick<Identity, 'role' | 'keptRole'> & { next: GatewayRole | undefined } {
  const isMapped = before.role !== undefined && before.role === present
  const byHand = isMapped ? before.keptRole : present
  const next = higherRole(byHand, mapped)
  return next === byHand ? { next, role: undefined, keptRole: undefined } : { next, role: next, keptRole: byHand }
}

function groupsIn(claims: Claims, { groupsClaim }: SignInProvider): string[] {
  const value = groupsClaim === undefined ? undefined : claims[groupsClaim]
  const list = Array.isArray(value) ? value : [value]
  return list.slice(0, MOST_GROUPS).filter((each): each is string => typeof each === 'string')
}
