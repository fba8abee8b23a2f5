// The person of a token, the account, and the key that the requests count under: one for each person and account, which lists show as any
// other key. It has no secret; whoever deletes it stops the tokens of that person in that account.

import { DEFAULT_GROUP } from '../../config/sections/groups.ts'
import { NO_LIMITS } from '../../money/limits.ts'
import type { Log } from '../../observe/log.ts'
import { Failure } from '../../request/failure.ts'
import { isId } from '../../request/schema/schema.ts'
import { type AuditEntry, type Caller, type Member, NO_RESTRICTIONS, type Storage } from '../../storage/storage.ts'
import type { Bearer } from './bearer.ts'
import { wrong } from './read-token.ts'

export type FindCallerOptions = {
  store: Pick<Storage, 'accounts' | 'audited' | 'identities' | 'keys' | 'members' | 'people'>
  /** The ledger account of credit that is given away. */
  source(): bigint
  log: Pick<Log, 'warn'>
}

/** In one day (UTC), and for each provider. */
const MOST_NEW_ACCOUNTS = 1_000

/** No API key has this hash: all of them begin with sk-. */
const hashOf = (account: bigint, person: bigint): Uint8Array =>
  new Bun.CryptoHasher('sha256').update(`company tokens of person ${person} in account ${account}`).digest()

/** Throws Failure. */
export async function findCaller(bearer: Bearer, deps: FindCallerOptions): Promise<Caller> {
  const { keys } = deps.store
  const person = await personOf(bearer, deps)
  const account = await accountOf(bearer, person, deps)
  const hash = hashOf(account, person)
  const present = await keys.findCaller(hash)
  if (!present) await enter({ bearer, person, account, hash }, deps)
  const caller = present ?? (await keys.findCaller(hash))
  if (!caller || caller.deleted) throw await stopped(account, person, deps)
  return { ...caller, ...givenBy(bearer, caller), tokenKey: hash }
}

/** What the claims say holds, whatever the key has and the request says. */
function givenBy({ group, tags }: Bearer, { tags: ofKey, ...caller }: Caller): Pick<Caller, 'group' | 'tags'> {
  if (tags.length === 0) return { group: group ?? caller.group, tags: ofKey }
  const names = new Set(tags.map(nameOf))
  const others = ofKey?.tags.filter((tag) => !names.has(nameOf(tag))) ?? []
  return { group: group ?? caller.group, tags: { ...ofKey, tags: [...others, ...tags].sort(), areLocked: true } }
}
const nameOf = (tag: string): string => tag.split('=', 1)[0] ?? ''

/** By the identity, or a proved address, which then becomes one. */
async function personOf(bearer: Bearer, deps: FindCallerOptions): Promise<bigint> {
  const { identities, people } = deps.store
  const { provider, sub: subject, email, mapping } = bearer
  const name = { issuer: provider.issuer, subject }
  const identity = await identities.find(name)
  if (identity) return identity.person
  if (email === undefined)
    throw wrong(
      'The person of this token is unknown here, and the token has no proved email address. Sign in to the console once, then send the token again.',
    )
  const { domains } = provider
  if (domains.length > 0 && !domains.includes(email.slice(email.lastIndexOf('@') + 1)))
    throw wrong("The email address of the token is in none of the provider's domains at this gateway.")
  let known = await people.find(email)
  if (!known && !mapping.creates)
    throw wrong('The person of this token is unknown here. Ask the operator of this gateway for an account.')
  if (!known && bearer.account === undefined) {
    await signUp(bearer, email, deps)
    const made = await identities.find(name)
    if (made) return made.person
  } else if (!known) {
    await addMember(await namedAccount(bearer.account ?? '', deps), { email }, bearer, deps)
  }
  known ??= await people.find(email)
  // Anyone may have signed up with the address.
  if (!known?.isProved)
    throw wrong(
      'The email address of this token is not verified here. Ask the operator of this gateway for a sign-in link.',
    )
  if (known.disabled) throw disabled()
  const after = { provider: provider.id, subject }
  const entry = entryOf({ type: 'person', id: String(known.id) }, 'identity bind', `person/${known.id}`, after)
  if (await deps.store.audited(entry).identities.bind(name, known.id)) return known.id
  // Another request did at the same time, or the person's address is another's now.
  const bound = await identities.find(name)
  if (bound) return bound.person
  throw disabled()
}

export const disabled = () =>
  new Failure('account_disabled', 'The person of this token is disabled here. Ask the operator of this gateway.')

async function accountOf({ account }: Bearer, person: bigint, deps: FindCallerOptions): Promise<bigint> {
  if (account !== undefined) return await namedAccount(account, deps)
  const memberships = await deps.store.members.accountsOf(person)
  const own = memberships.find(({ role }) => role === 'owner') ?? memberships[0]
  if (own) return own.account.id
  throw wrong('The person of this token has no account here. Ask the operator of this gateway.')
}

async function namedAccount(named: string, { store, log }: FindCallerOptions): Promise<bigint> {
  if (isId(named)) return BigInt(named)
  const found = await store.accounts.findNamed(named)
  const [account] = found
  if (account && found.length === 1) return account.id
  log.warn('company tokens: no account, or several, have the name in sign_in.api_tokens', { account: named })
  throw noAccount()
}

const noAccount = () =>
  new Failure('account_disabled', 'The account of this token does not exist. Ask the operator of this gateway.')

type Entering = { bearer: Bearer; person: bigint; account: bigint; hash: Uint8Array }

/** At the first request. */
async function enter({ bearer, person, account, hash }: Entering, deps: FindCallerOptions): Promise<void> {
  const { store } = deps
  const known = await store.people.findById(person)
  if (!known || known.disabled) throw disabled()
  if (!(await isMember(account, person, store))) {
    if (!bearer.mapping.creates)
      throw wrong('The person of this token is no member of the account. Ask an owner of the account to add them.')
    await addMember(account, person, bearer, deps)
  }
  const name = `Company token of ${known.email}`
  const group = bearer.group ?? DEFAULT_GROUP
  const after = { name, group, provider: bearer.provider.id }
  const entry = entryOf({ type: 'person', id: String(person) }, 'key create', { key: hash }, after)
  await store.audited(entry).keys.create({
    account,
    person,
    hash,
    name,
    group,
    purpose: 'token',
    // By the operator's mapping, who may choose any group.
    madeBy: 'command-line',
    expiresAt: undefined,
    cap: undefined,
    capPeriod: undefined,
    limits: NO_LIMITS,
    restrictions: NO_RESTRICTIONS,
  })
}

const isMember = async (account: bigint, person: bigint, { members }: Pick<Storage, 'members'>): Promise<boolean> =>
  (await members.accountsOf(person)).some((each) => each.account.id === account)

async function stopped(account: bigint, person: bigint, { store }: FindCallerOptions): Promise<Failure> {
  return (await isMember(account, person, store))
    ? wrong(
        'The tokens of this person are stopped: the key that they count under is deleted. Ask the operator of this gateway.',
      )
    : wrong('The person of this token was removed from the account. Ask an owner of the account to add them again.')
}

async function addMember(
  account: bigint,
  person: bigint | { email: string },
  bearer: Bearer,
  { store, log }: Pick<FindCallerOptions, 'store' | 'log'>,
): Promise<void> {
  const { provider } = bearer
  const isNew = typeof person === 'object'
  const actor: AuditEntry['actor'] = isNew ? { email: person.email } : { type: 'person', id: String(person) }
  const after = { role: 'member' satisfies Member['role'], provider: provider.id, ...(isNew ? person : {}) }
  const entry = entryOf(actor, 'account member', `account/${account}`, after)
  const done = await store.audited(entry).members.set(account, person, 'member')
  if (done === 'done') return
  // Another request may have entered the person at the same time.
  const entered = isNew ? await store.people.find(person.email) : undefined
  if (entered) return await addMember(account, entered.id, bearer, { store, log })
  log.warn('company tokens: a member could not be added', {
    account: String(account),
    provider: provider.id,
    reason: done,
  })
  throw noAccount()
}

/** Without trial credit, which is for people who sign up. */
async function signUp({ provider, sub: subject }: Bearer, email: string, deps: FindCallerOptions): Promise<void> {
  const after = { email, provider: provider.id, subject }
  const made = await deps.store.audited(entryOf({ email }, 'sign-up', { account: email }, after)).accounts.signUp({
    email,
    password: undefined,
    identity: { issuer: provider.issuer, subject },
    network: `tokens of ${provider.id}`,
    wideNetwork: `tokens of ${provider.id} in all`,
    mostPerNetwork: MOST_NEW_ACCOUNTS,
    wideTrials: 0,
    trialCredit: 0n,
    budget: undefined,
    source: deps.source(),
    onProof: false,
  })
  if (made === 'too_many')
    throw new Failure('rate_limit_exceeded', 'Too many accounts were created today by tokens of this provider.', {
      retryAfter: 3_600,
    })
}

const entryOf = (
  actor: AuditEntry['actor'],
  action: string,
  object: AuditEntry['object'],
  after: AuditEntry['after'],
): AuditEntry => ({ actor, address: '', requestId: undefined, action, object, before: undefined, after, reason: '' })
