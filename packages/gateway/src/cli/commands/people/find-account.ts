// Which account or person a command means: by id, by name, or by the email address of a person.
import type { Account, Member, Person, Storage } from '../../../storage/storage.ts'
import { CommandError } from '../../errors.ts'

type Store = Pick<Storage, 'accounts' | 'people' | 'members'>

export const isAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text)

/** An id, the name of one account, or the address of a person with one account. */
export async function findAccount({ accounts, people, members }: Store, written: string): Promise<Account> {
  if (/^\d{1,18}$/.test(written)) {
    const account = await accounts.find(BigInt(written))
    if (account) return account
    throw new CommandError(`no account has the id ${written}`)
  }
  if (!written.includes('@')) return only(await accounts.findNamed(written), `the name ${written}`)
  const person = await people.find(written)
  if (!person) throw new CommandError(`no account has the email address ${written}`)
  const found = (await members.accountsOf(person.id)).map(({ account }) => account)
  return only(found, `the email address ${written}`)
}

function only(found: readonly Account[], what: string): Account {
  const [account, ...others] = found
  if (!account) throw new CommandError(`no account has ${what}`)
  if (others.length === 0) return account
  const list = found.map(({ id, name }) => `${id} (${name})`).join(', ')
  throw new CommandError(`several accounts have ${what}; use the id of one of them: ${list}`)
}

/** The person with this address, or the only one of the account. */
export async function findPerson(store: Store, written: string): Promise<Person> {
  const person = written.includes('@') ? await store.people.find(written) : await onlyMember(store, written)
  if (person) return person
  throw new CommandError(`no account has the email address ${written}`)
}

async function onlyMember(store: Store, written: string): Promise<Person | undefined> {
  const account = await findAccount(store, written)
  const [member, ...others] = await store.members.list(account.id)
  if (!member) throw new CommandError(`the account ${written} has no people`)
  if (others.length === 0) return await store.people.find(member.email)
  const emails = [member, ...others].map(({ email }) => email).join(', ')
  throw new CommandError(`the account ${written} has several people; use the email address of one of them: ${emails}`)
}

/** `email`: of its first owner; null: it has none. */
export const peopleJson = (members: readonly Member[]) => ({
  email: members.find(({ role }) => role === 'owner')?.email ?? null,
  people: members.map(({ email, role }) => ({ email, role })),
})
