// People: their role in the gateway, whether they may sign in, and what helps those who are locked out.
import { createLink } from '../../access/secrets/tokens.ts'
import { formatUsd } from '../../money/amount.ts'
import { capJson } from '../../money/json.ts'
import { boolean, fields, nullable, optional, text, word } from '../../request/schema/schema.ts'
import {
  GATEWAY_ROLES,
  type GatewayRole,
  type ListedPerson,
  MEMBER_ROLES,
  type MemberCap,
  type MemberRole,
  type Person,
} from '../../storage/storage.ts'
import { isoTime, readCap, type WrittenCap } from '../inputs/fields.ts'
import { findAccount, findPerson, personNamed, personWith } from '../inputs/find-account.ts'
import { readDefaultTags } from '../inputs/key-terms.ts'
import { given, pageFields, readPlace } from '../inputs/page.ts'
import { ACCOUNT, CAP, DEFAULT_TAGS, EMAIL, PERIOD } from '../inputs/schemas.ts'
import { audited, type Effects, need, type OperationContext, operation } from '../operation.ts'
import { covers, outranks, raises } from '../permissions.ts'
import { rejected } from '../rejections.ts'
import { MEMBERS_SHOWN, SECOND_FACTOR, SIGN_IN_LINK } from '../resources/accounts.ts'
import { PERSON_SHOWN } from '../resources/people.ts'
import { checkAccountRank, checkRank, isForeign } from './rank.ts'

export const OF_ACCOUNT = fields({ account: ACCOUNT })
/** By id or email address. */
const PERSON = text({ max: 320 })
const OF_PERSON = fields({ person: PERSON })
/** Null takes the role away. */
const roleIn = <Role extends string>(roles: readonly Role[]) => nullable(word(...roles))

export const listPeople = operation({
  name: 'person list',
  permission: 'people',
  route: { at: 'GET people', summary: 'Lists people, oldest first', output: PERSON_SHOWN, list: true, csv: true },
  input: fields({
    /** `any`: with a role. */
    role: optional(word(...GATEWAY_ROLES, 'any', 'none')),
    /** What the address begins with. */
    email: optional(text({ max: 320 })),
    disabled: optional(boolean()),
    ...pageFields('a person'),
  }),
  /** Oldest first. */
  async run({ storage }, { role, email, disabled, ...page }) {
    const { place, limit } = readPlace(page, BigInt)
    const filter = given({ role: role === 'none' ? null : role, email, disabled })
    const { rows, next } = await storage.lists.people(filter, place, limit)
    return { items: rows.map(listedRow), next: next === undefined ? null : String(next) }
  },
})

export const showPerson = operation({
  name: 'person show',
  permission: 'people',
  route: { at: 'GET people/{person}', summary: 'Shows a person', output: PERSON_SHOWN },
  input: OF_PERSON,
  run: async (context, { person }) => personRow(context, await personNamed(context, person)),
})

export const setPersonRole = operation({
  name: 'person role',
  permission: 'people',
  isDangerous: true,
  route: {
    at: 'PATCH people/{person}',
    summary: 'Sets the role of a person in the gateway; null removes it',
    output: PERSON_SHOWN,
    example: { body: { role: 'support' } },
  },
  input: fields({ person: PERSON, role: optional(roleIn(GATEWAY_ROLES)) }),
  async run(context, { person: named, role }) {
    const { actor } = context
    const person = await personNamed(context, named)
    if (role === undefined) return await personRow(context, person)
    checkRank(context, person.role)
    if ('role' in actor && actor.type !== 'holder' && role !== null && !outranks(actor.role, role))
      throw rejected('role_too_high', { field: 'role', role })
    const entry = {
      object: `person/${person.id}`,
      before: { role: person.role ?? null },
      after: { role },
      ...(context.dryRun ? { effects: await effectsOfRole(context, person, role) } : {}),
    }
    const { people } = audited(context, 'person role', entry)
    // Who could make a sign-in link for the person until now may be below the new role: such a link must not carry it.
    const endsAccess = raises(person.role, role ?? undefined)
    if (!(await people.setRole(person.id, role ?? undefined, { endsAccess }))) throw rejected('last_owner', {})
    return await personRow(context, await personNamed(context, String(person.id)))
  },
})

export const disablePerson = operation({
  name: 'person disable',
  permission: 'people',
  isDangerous: true,
  route: {
    at: 'POST people/{person}/disable',
    summary: 'Ends all sessions of a person, who can no longer sign in',
    output: PERSON_SHOWN,
  },
  input: OF_PERSON,
  run: (context, { person }) => setDisabled(context, person, true),
})

export const enablePerson = operation({
  name: 'person enable',
  permission: 'people',
  route: { at: 'POST people/{person}/enable', summary: 'Lets a disabled person sign in again', output: PERSON_SHOWN },
  input: OF_PERSON,
  run: (context, { person }) => setDisabled(context, person, false),
})

async function setDisabled(context: OperationContext, named: string, disabled: boolean) {
  const person = await personNamed(context, named)
  checkRank(context, person.role)
  const entry = {
    object: `person/${person.id}`,
    before: { disabled: person.disabled },
    after: { disabled },
    ...(context.dryRun && disabled ? { effects: await effectsOfDisabling(context, person) } : {}),
  }
  const { people } = audited(context, disabled ? 'person disable' : 'person enable', entry)
  if (!(await people.setDisabled(person.id, disabled))) throw rejected('last_owner', {})
  return await personRow(context, await personNamed(context, String(person.id)))
}

/** Sessions that end, and admin keys that stop working, by a role that gives more or less. Without a role nobody signs in to operate. */
async function effectsOfRole(
  { storage }: OperationContext,
  person: Person,
  role: GatewayRole | null,
): Promise<Effects> {
  const keys = await storage.adminKeys.countMadeBy(person.id)
  const stopped = [...keys].filter(([each]) => role === null || !covers(role, each))
  const endsSessions = role === null || raises(person.role, role)
  const sessions = endsSessions ? (await storage.sessions.list(person.id)).length : 0
  return { sessions_ended: sessions, admin_keys_stopped: stopped.reduce((sum, [, count]) => sum + count, 0) }
}

/** `keys_stopped`: of all accounts. Those that the person made as an operator, in accounts of others, go on: the list of keys finds them. */
async function effectsOfDisabling(context: OperationContext, person: Person): Promise<Effects> {
  const { own, asOperator } = await context.storage.keys.countMadeBy(person.id)
  return { ...(await effectsOfRole(context, person, null)), keys_stopped: own, keys_made_as_operator: asOperator }
}

/** An owner of the account sets the caps of its members; who is one, operators decide. Caps are money. */
export const setMember = operation({
  name: 'account member',
  permission: 'see',
  forHolders: true,
  route: {
    at: 'POST accounts/{account}/members',
    summary: 'Adds a person to an account, changes their role, cap or tags, or removes them',
    output: MEMBERS_SHOWN,
    example: { body: { email: 'bob@example.com', role: 'member', cap_usd: '50' } },
  },
  input: fields({
    account: ACCOUNT,
    email: EMAIL,
    /** Absent: as it is. */
    role: optional(roleIn(MEMBER_ROLES)),
    /** Whether the keys that a leaving member made go on working. */
    keep_keys: optional(boolean()),
    /** Null removes the cap. */
    cap_usd: CAP.cap_usd,
    cap_period: optional(PERIOD),
    tags: DEFAULT_TAGS,
  }),
  async run(context, { account: named, email, role, keep_keys = false, tags: written, ...cap }) {
    const isOwner = context.actor.type === 'holder' && context.actor.role === 'owner'
    // An owner may remove people; new ones are invited.
    if (role !== undefined && !(isOwner && role === null)) need(context.actor, 'accounts')
    if (!isOwner && written !== undefined) need(context.actor, 'accounts')
    const changesCap = Object.keys(cap).length > 0
    if (!isOwner && (changesCap || (role === undefined && written === undefined))) need(context.actor, 'money')
    if (role === null && changesCap) throw rejected('exclusive', { field: 'role', other: 'cap_usd' })
    if (role === null && written !== undefined) throw rejected('exclusive', { field: 'role', other: 'tags' })
    const tags = written === undefined ? undefined : readDefaultTags(written ?? [])
    if (role !== undefined) await checkMember(context, email)
    const { id, name } = await findAccount(context, named)
    if (role !== undefined || tags !== undefined) await checkAccountRank(context, id)
    if (role === null && isOwner) await checkOwnerStays(context, id, email)
    if (role === null) await removeMember(context, id, email, keep_keys)
    else await changeMember(context, id, { email, role, cap, tags })
    return { id: String(id), name, people: await memberRows(context, id) }
  },
})

export const listMembers = operation({
  name: 'account members',
  permission: 'see',
  route: {
    at: 'GET accounts/{account}/members',
    summary: 'Lists the people of an account with their caps',
    output: MEMBERS_SHOWN,
  },
  input: OF_ACCOUNT,
  async run(context, { account }) {
    const { id, name } = await findAccount(context, account)
    return { id: String(id), name, people: await memberRows(context, id) }
  },
})

/** `person`: only this one. */
export async function memberRows({ storage }: Pick<OperationContext, 'storage'>, account: bigint, person?: bigint) {
  const members = (await storage.members.list(account)).filter((each) => person === undefined || each.person === person)
  const spent = await storage.members.spent(account)
  return await Promise.all(
    members.map(async ({ email, role, cap, tags, ...member }) => {
      const standing = cap && (await storage.members.standing(account, member.person))
      const { inAll = 0n, thisMonth = 0n } = spent.get(member.person) ?? {}
      return {
        email,
        role,
        ...capJson(standing ?? NO_CAP, Date.now()),
        spent_usd: formatUsd(inAll),
        spent_this_month_usd: formatUsd(thisMonth),
        tags: [...tags],
      }
    }),
  )
}

const NO_CAP = { cap: undefined, capPeriod: undefined, spentUnderCap: 0n, held: 0n }
/** The period of a cap that is set for the first time. */
const FIRST_PERIOD = 'month'

type MemberChange = {
  email: string
  role: MemberRole | undefined
  cap: WrittenCap
  tags: readonly string[] | undefined
}

/**
 * Role, cap and tags at once: all, or none. A person who is not known yet is entered; a sign-in link lets them choose a password. Only who may
 * give the role does that.
 */
async function changeMember(context: OperationContext, account: bigint, { email, role, cap, tags }: MemberChange) {
  const person = await context.storage.people.find(email)
  const member = (await context.storage.members.list(account)).find((each) => each.person === person?.id)
  const next = role ?? member?.role
  if (next === undefined) throw person ? rejected('no_member', { email }) : rejected('unknown_person', { email })
  const isCapped = Object.keys(cap).length > 0
  const nextCap = isCapped ? capAfter(cap, member?.cap) : member?.cap
  if (next === 'owner' && isCapped) throw rejected('cap_of_owner', { email })
  const entry = {
    object: `account/${account}`,
    ...(member ? { before: shownMember(email, member.role, member.cap, member.tags) } : {}),
    after: {
      ...shownMember(email, next, next === 'owner' ? undefined : nextCap, tags ?? member?.tags),
      ...(person ? {} : { new_person: true }),
    },
  }
  const byOperator = member === undefined && (await isForeign(context, account))
  const { members } = audited(context, 'account member', entry)
  const options = { byOperator, tags, ...(isCapped ? { cap: nextCap } : {}) }
  const done = await members.set(account, person?.id ?? { email }, next, options)
  // The person who signed up with the address may not be its owner.
  if (done !== 'done')
    throw done === 'unproved' ? rejected('unproved_person', { email }) : rejected('changed_meanwhile', {})
}

function capAfter(written: WrittenCap, present: MemberCap | undefined): MemberCap | undefined {
  const changes = readCap(written, present?.cap)
  const cap = 'cap' in changes ? changes.cap : present?.cap
  return cap === undefined ? undefined : { cap, capPeriod: changes.capPeriod ?? present?.capPeriod ?? FIRST_PERIOD }
}

const shownMember = (email: string, role: MemberRole, cap: MemberCap | undefined, tags: readonly string[] = []) => ({
  email,
  role,
  cap_usd: cap ? formatUsd(cap.cap) : null,
  cap_period: cap?.capPeriod ?? null,
  tags: [...tags],
})

/** Who may not act on a colleague does not give or take what the colleague is a member of, either. */
async function checkMember({ actor, storage }: OperationContext, email: string): Promise<void> {
  if (actor.type !== 'person' && actor.type !== 'admin-key') return
  const role = (await storage.people.find(email))?.role
  if (role === undefined) return
  need(actor, 'people')
  if (!covers(actor.role, role)) throw rejected('outranked', {})
}

async function checkOwnerStays({ storage }: OperationContext, account: bigint, email: string): Promise<void> {
  const owners = (await storage.members.list(account)).filter(({ role }) => role === 'owner')
  if (owners.every((each) => each.email === email.trim().toLowerCase())) throw rejected('last_account_owner', {})
}

async function removeMember(
  context: OperationContext,
  account: bigint,
  email: string,
  keepsKeys: boolean,
): Promise<void> {
  const { id } = await personWith(context, email)
  const member = (await context.storage.members.list(account)).find(({ person }) => person === id)
  if (!member) throw rejected('no_member', { email })
  const before = shownMember(email, member.role, member.cap, member.tags)
  const entry = { object: `account/${account}`, before, after: { email, role: null, keep_keys: keepsKeys } }
  const { members } = audited(context, 'account member', entry)
  if (!(await members.remove(account, id, { keepsKeys }))) throw rejected('no_member', { email })
}

/** The person of an account, unless they outrank the actor. */
export async function personToActOn(context: OperationContext, account: string): Promise<Person> {
  const person = await findPerson(context, account)
  checkRank(context, person.role)
  return person
}

/** To a page of the console. What follows the # is not sent to servers, and so is in no log. */
export const linkTo = ({ config, listenUrl }: OperationContext, page: 'setup' | 'invitation', token: string): string =>
  `${config.server.publicUrl ?? listenUrl}/console/${page}#${token}`

export const createSignInLink = operation({
  name: 'account sign-in-link',
  permission: 'accounts',
  isDangerous: true,
  route: {
    at: 'POST accounts/{account}/sign-in-link',
    summary: 'Creates a one-time sign-in link for a person',
    output: SIGN_IN_LINK,
    changesPerson: true,
    status: 201,
  },
  input: OF_ACCOUNT,
  async run(context, { account }) {
    const person = await personToActOn(context, account)
    const { id, email, disabled } = person
    if (disabled) throw rejected('person_disabled', { email })
    const { signIns } = audited(context, 'account sign-in-link', { object: `person/${id}` })
    const madeByKey = context.actor.type === 'admin-key' ? context.actor.id : undefined
    const { token, expiresAt, isMade } = await createLink('setup', id, signIns, Date.now(), madeByKey)
    if (!isMade) throw rejected('unknown_admin_key', { key: String(madeByKey) })
    return { email, url: linkTo(context, 'setup', token), expires_at: isoTime(expiresAt) }
  },
})

/** A phone that is gone may be in other hands, and so may a browser: all sessions end. */
export const removeSecondFactor = operation({
  name: 'account remove-second-factor',
  permission: 'accounts',
  isDangerous: true,
  route: {
    at: 'POST accounts/{account}/remove-second-factor',
    summary: "Turns off a person's two-factor authentication, and ends all sessions",
    output: SECOND_FACTOR,
    changesPerson: true,
  },
  input: OF_ACCOUNT,
  async run(context, { account }) {
    const person = await personToActOn(context, account)
    const { id, email } = person
    const entry = { object: `person/${id}`, before: { second_factor: true }, after: { second_factor: false } }
    const ended = await audited(context, 'account remove-second-factor', entry).signIns.removeSecondFactor(id)
    if (ended === undefined) throw rejected('no_second_factor', { account: email })
    return { email, second_factor: false, sessions_ended: ended }
  },
})

async function personRow(context: OperationContext, person: Person) {
  const accounts = await context.storage.members.accountsOf(person.id)
  const found = await context.storage.signIns.findByPerson(person.id)
  return listedRow({
    person,
    hasSecondFactor: found?.secondFactor !== undefined,
    accounts: accounts.map(({ account: { id, name }, role }) => ({ account: id, name, role })),
  })
}

function listedRow({ person, accounts, hasSecondFactor }: ListedPerson) {
  const { id, email, role, disabled, createdAt, signedInAt } = person
  return {
    id: String(id),
    email,
    role: role ?? null,
    disabled,
    second_factor: hasSecondFactor,
    accounts: accounts.map((each) => ({ id: String(each.account), name: each.name, role: each.role })),
    created_at: isoTime(createdAt),
    signed_in_at: signedInAt === undefined ? null : isoTime(signedInAt),
  }
}
