// The groups that an account holder may choose for a key: `default`, those offered to everyone, those that name the account, by its id or by the proved
// address of an owner, and those that a provider of sign-ins gave an owner. Its name says nothing: owners choose it.
import { DEFAULT_GROUP } from '../config/sections/groups.ts'
import type { FileConfig, Group } from '../config/types.ts'
import { Failure } from '../request/failure.ts'
import type { Caller, Holder } from '../storage/storage.ts'

/** Anyone may sign up with any address: a group that names it is offered once the address is proved. */
export const isOffered = ({ id, console, accounts }: Group, holder: Holder): boolean =>
  id === DEFAULT_GROUP ||
  console === true ||
  holder.groups.includes(id) ||
  accounts?.some((name) => isNamed(holder, name)) === true

const isNamed = ({ account, emails }: Holder, name: string): boolean =>
  emails.includes(name) || name === String(account)

export const groupsFor = ({ groups }: Pick<FileConfig, 'groups'>, holder: Holder): Group[] =>
  [...groups.values()].filter((group) => isOffered(group, holder))

/**
 * Rejects a key in a group that its account holder chose and that is no longer offered to the account. It works again as soon as the
 * group is offered again. A group that no longer exists is reported where the model is looked up.
 */
export function checkGroupOffered({ group: id, groupChosenBy }: Caller, { groups }: Pick<FileConfig, 'groups'>): void {
  if (groupChosenBy === undefined) return
  const group = groups.get(id)
  if (group === undefined || isOffered(group, groupChosenBy)) return
  throw new Failure(
    'model_not_allowed',
    `This key's group '${id}' is no longer offered to your account. Choose another group for the key in the console, or ask the operator of this gateway.`,
  )
}
