// The account that a browser shows: choose another one, or give it another name.

import { audited, perform } from '../../administration/operation.ts'
import { memberRows, setMember } from '../../administration/people/people.ts'
import { ApiRejection, badRequest } from '../../http-api/rejection.ts'
import type { SignedInCall } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { ChangeAccount, ChangeMember, MemberRow, SwitchAccount } from '../routes/account.ts'
import type { RemoveMember } from '../routes/invitations.ts'
import { holderContext } from './holder-context.ts'

/** Membership is part of the statement, so that a person who was removed meanwhile does not get in. */
export async function switchAccount(
  { session, body: { account } }: SignedInCall<SwitchAccount>,
  { store }: ConsoleDependencies,
): Promise<void> {
  if (await store.sessions.switchAccount(session.id, BigInt(account))) return
  throw new ApiRejection({ code: 'not_found', message: `You are not a member of an account ${account}.` })
}

/** Operators name accounts by id, by name, or by the address of a person: a name must not look like one of the others. */
export async function renameAccount(call: SignedInCall<ChangeAccount>, deps: ConsoleDependencies): Promise<void> {
  const { account, person, body } = call
  const name = body.name.trim()
  if (/^\d+$/.test(name)) throw badRequest('name', 'name must not be a number.')
  if (name.includes('@') && name !== person.email) throw badRequest('name', 'name must not contain an @.')
  await countChange(call, deps)
  const entry = { object: `account/${account.id}`, before: { name: account.name }, after: { name } }
  await audited(holderContext(call, deps), 'account rename', entry).accounts.rename(account.id, name)
}

export const listMembers = (
  { account, role, person }: SignedInCall,
  { store }: ConsoleDependencies,
): Promise<MemberRow[]> => memberRows({ storage: store }, account.id, role === 'owner' ? undefined : person.id)

export async function removeMember(call: SignedInCall<RemoveMember>, deps: ConsoleDependencies): Promise<void> {
  await countChange(call, deps)
  const { email, keep_keys = false } = call.body
  const account = String(call.account.id)
  await perform(setMember, holderContext(call, deps), { account, email, role: null, keep_keys })
}

export async function changeMember(call: SignedInCall<ChangeMember>, deps: ConsoleDependencies): Promise<MemberRow[]> {
  await countChange(call, deps)
  const input = { ...call.body, account: String(call.account.id) }
  return (await perform(setMember, holderContext(call, deps), input)).people
}

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
