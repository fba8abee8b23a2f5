// The account or person that an operation is about: by id, by name, or by the email address of a person.
import { isId } from '../../request/schema/schema.ts'
import type { Account, Person } from '../../storage/storage.ts'
import type { OperationContext } from '../operation.ts'
import { rejected } from '../rejections.ts'

/** An id, the name of one account, or the address of a person with one account. An account holder names the own one by its id. */
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
  const found = person ? await storage.members.accountsOf(person.id) : []
  return only(
    found.map(({ account }) => account),
    `the email address ${named}`,
  )
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
