// The account that a browser shows: choose another one, give it another name, and its members.

import { ApiRejection, badRequest } from '../../http-api/rejection.ts'
import { DEFAULT_TAGS, EMAIL, NAME, PERIOD, POSITIVE_AMOUNT } from '../../operate/inputs/schemas.ts'
import { audited, perform } from '../../operate/operation.ts'
import { memberRows, setMember } from '../../operate/people/people.ts'
import { MEMBERS_SHOWN } from '../../operate/resources/accounts.ts'
import { boolean, fields, idOf, nullable, optional } from '../../request/schema/schema.ts'
import type { SignedInCall } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { holderContext, route } from '../route.ts'

/** Membership is part of the statement, so that a person who was removed meanwhile does not get in. */
export const switchAccount = route(
  'POST session/account',
  {
    policy: 'session',
    summary: 'Shows another account of the person',
    body: fields({ account: idOf('an account') }),
    example: { account: '7' },
  },
  async ({ session, body: { account } }, { store }) => {
    if (await store.sessions.switchAccount(session.id, BigInt(account))) return
    throw new ApiRejection({ code: 'not_found', message: `You are not a member of an account ${account}.` })
  },
)

/** Operators name accounts by id, by name, or by the address of a person: a name must not look like one of the others. */
export const renameAccount = route(
  'POST account',
  { policy: 'owner', summary: 'Renames the account', body: fields({ name: NAME }), example: { name: 'Acme' } },
  async (call, deps) => {
    const { account, person, body } = call
    const name = body.name.trim()
    if (/^\d+$/.test(name)) throw badRequest('name', 'name must not be a number.')
    if (name.includes('@') && name !== person.email) throw badRequest('name', 'name must not contain an @.')
    await countChange(call, deps)
    const entry = { object: `account/${account.id}`, before: { name: account.name }, after: { name } }
    await audited(holderContext(call, deps), 'account rename', entry).accounts.rename(account.id, name)
  },
)

const MEMBERS = MEMBERS_SHOWN.properties.people

export const listMembers = route(
  'GET members',
  {
    policy: 'member',
    summary: 'Lists the people of the account with their caps; to a member, themselves alone',
    output: MEMBERS,
  },
  ({ account, role, person }, { store }) =>
    memberRows({ storage: store }, account.id, role === 'owner' ? undefined : person.id),
)

export const changeMember = route(
  'POST members',
  {
    policy: 'owner',
    summary: 'Sets the cap and the tags of a member',
    /** Null removes the cap. */
    body: fields({
      email: EMAIL,
      cap_usd: optional(nullable(POSITIVE_AMOUNT)),
      cap_period: optional(PERIOD),
      tags: DEFAULT_TAGS,
    }),
    example: { email: 'bob@example.com', cap_usd: '20', cap_period: 'month' },
    output: MEMBERS,
  },
  async (call, deps) => {
    await countChange(call, deps)
    const input = { ...call.body, account: String(call.account.id) }
    return (await perform(setMember, holderContext(call, deps), input)).people
  },
)

export const removeMember = route(
  'POST members/remove',
  {
    policy: 'owner',
    summary: 'Removes a person from the account, at once',
    /** Unless they are kept, the keys that the person made stop working. */
    body: fields({ email: EMAIL, keep_keys: optional(boolean()) }),
    example: { email: 'grace@example.com' },
  },
  async (call, deps) => {
    await countChange(call, deps)
    const { email, keep_keys = false } = call.body
    const account = String(call.account.id)
    await perform(setMember, holderContext(call, deps), { account, email, role: null, keep_keys })
  },
)

/** Changes of an account by its own people in an hour, on all nodes: each leaves a row in the audit log. */
const MOST_CHANGES = { most: 300, windowMs: 3_600_000 }

export async function countChange(
  { account }: Pick<SignedInCall, 'account'>,
  { store }: ConsoleDependencies,
): Promise<void> {
  const waitMs = await store.signIns.countAttempt([{ subject: `changes of account ${account.id}`, ...MOST_CHANGES }])
  if (waitMs === undefined) return
  const message = 'Too many changes of this account in an hour. Retry later.'
  throw new ApiRejection({ code: 'too_many_tries', message, retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)) })
}
