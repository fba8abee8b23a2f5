// The account or person that an operation is about: by id, by name, or by the email address of a person.
import { isId } from '../../request/schema/schema.ts'
import type { Account, Person, Storage } from '../../storage/storage.ts'
import type { OperationContext } from '../operation.ts'
import { rejected } from '../rejections.ts'

/**
 * An id; a name; or the address of a person: the account of theirs that it names, else the one that they own, else the only one that they
 * are a member of. An account holder names the own one by its id.
 */
export async function findAccount({ actor, storage }: OperationContext, named: string): Promise<Account> {
  if (actor.type === 'holder') {
    if (named === String(actor.account.id)) return actor.account
    throw rejected('unknown_account', { account: `the id ${named}` })
  }
  if (isId(named)) {
    const account = await storage.accounts.find(BigInt(named))
    return only(account ? [account] : [], `the id ${named}`)
  }
  if (!named.includes('@')) return only(await storage.accounts.findNamed(named), `the name ${named}`)
  const person = await storage.people.find(named)
  const account = person && (await accountOfPerson(storage, person, `the email address ${named}`))
  return account ?? only(await storage.accounts.findNamed(named), `the email address ${named}`)
}

/** undefined: the person has none. */
export async function accountOfPerson(
  storage: Pick<Storage, 'members'>,
  { id, email }: Person,
  named: string,
): Promise<Account | undefined> {
  const memberships = await storage.members.accountsOf(id)
  const accounts = memberships.map(({ account }) => account)
  const sameName = accounts.filter(({ name }) => name === email)
  const owned = memberships.flatMap(({ account, role }) => (role === 'owner' ? [account] : []))
  const chosen = [sameName, owned].find(({ length }) => length === 1) ?? accounts
  return chosen.length === 0 ? undefined : only(chosen, named)
}

function only(found: readonly Account[], account: string): Account {
  const [first, ...others] = found
  if (!first) throw rejected('unknown_account', { account })
  if (others.length === 0) return first
  throw rejected('ambiguous_account', { account, found: found.map(({ id, name }) => `${id} (${name})`).join(', ') })
}

/** The person with this address, or the only one of the account. */
export async function findPerson(context: OperationContext, named: string): Promise<Person> {
  if (named.includes('@')) return await personWith(context, named)
  const account = await findAccount(context, named)
  const [member, ...others] = await context.storage.members.list(account.id)
  if (!member) throw rejected('no_people', { account: named })
  if (others.length === 0) return await personWith(context, member.email)
  throw rejected('several_people', { account: named, found: [member, ...others].map(({ email }) => email).join(', ') })
}

/** By id or email address. */
export async function personNamed(context: OperationContext, named: string): Promise<Person> {
  if (named.includes('@')) return await personWith(context, named)
  const person = isId(named) ? await context.storage.people.findById(BigInt(named)) : undefined
  if (!person) throw rejected('no_person', { person: named })
  return person
}

export async function personWith({ storage }: OperationContext, email: string): Promise<Person> {
  const person = await storage.people.find(email)
  if (!person) throw rejected('unknown_person', { email })
  return person
}
