// People: their role in the gateway, whether they may sign in, and the accounts that they are members of.
import {
  GATEWAY_ROLES,
  type GatewayRole,
  MEMBER_ROLES,
  type MemberRole,
  type Storage,
} from '../../../storage/storage.ts'
import { CommandError, UsageError } from '../../errors.ts'
import { findAccount, isAddress } from './find-account.ts'

const NONE = 'none'

type PeopleOperation = (context: { storage: Storage }, values: Readonly<Record<string, string>>) => Promise<unknown>

export const PEOPLE_OPERATIONS = {
  'person role': async ({ storage }, { email = '', role = '' }) => {
    const { id } = await findByEmail(storage, email)
    await storage.people.setRole(id, roleOf(role, GATEWAY_ROLES))
    return personJson(storage, email)
  },
  'person disable': async ({ storage }, { email = '' }) => setDisabled(storage, email, true),
  'person enable': async ({ storage }, { email = '' }) => setDisabled(storage, email, false),
  'account member': async ({ storage }, { account = '', email = '', role = '', keys = '' }) => {
    const { id, name } = await findAccount(storage, account)
    const wanted = roleOf(role, MEMBER_ROLES)
    await (wanted === undefined ? remove(storage, id, email, keys === 'keep') : join(storage, id, email, wanted))
    const people = (await storage.members.list(id)).map((each) => ({ email: each.email, role: each.role }))
    return { id: String(id), name, people }
  },
} as const satisfies Record<string, PeopleOperation>

async function setDisabled(storage: Storage, email: string, disabled: boolean): Promise<unknown> {
  await storage.people.setDisabled((await findByEmail(storage, email)).id, disabled)
  return personJson(storage, email)
}

/** A person who is not known yet is entered; `account sign-in-link` lets them choose a password. */
async function join({ people, members }: Storage, account: bigint, email: string, role: MemberRole): Promise<void> {
  if (!isAddress(email)) throw new UsageError(`--email must be an email address, not '${email}'`)
  const person = (await people.find(email)) ?? (await people.create(email)) ?? (await people.find(email))
  if (!person || (await members.set(account, person.id, role)) === 'done') return
  // Whoever signed up with the address would get the account.
  throw new CommandError(
    `${email} signed up, and nobody has proved that the address is theirs; 'account sign-in-link' prints a link that proves it`,
  )
}

async function remove(storage: Storage, account: bigint, email: string, keepsKeys: boolean): Promise<void> {
  const { id } = await findByEmail(storage, email)
  if (await storage.members.remove(account, id, { keepsKeys })) return
  throw new CommandError(`${email} is no member of the account`)
}

async function findByEmail({ people }: Storage, email: string) {
  const person = await people.find(email)
  if (!person) throw new CommandError(`no person has the email address ${email}`)
  return person
}

async function personJson(storage: Storage, email: string) {
  const person = await findByEmail(storage, email)
  const accounts = (await storage.members.accountsOf(person.id)).map(({ account, role }) => ({
    id: String(account.id),
    name: account.name,
    role,
  }))
  const { id, role = null, disabled } = person
  return { id: String(id), email: person.email, role, disabled, accounts }
}

function roleOf<Role extends GatewayRole | MemberRole>(written: string, roles: readonly Role[]): Role | undefined {
  const role = roles.find((each) => each === written)
  if (role === undefined && written !== NONE)
    throw new UsageError(`--role must be one of ${[...roles, NONE].join(', ')}, not '${written}'`)
  return role
}
