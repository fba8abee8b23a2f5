// On whom an operator may act: on people of a lower rank, on the accounts that they are members of, and on the keys in these. Money is not
// asked for a rank: finance credits the account of an owner, too.

import type { GatewayRole, Operator } from '../../storage/storage.ts'
import { need, type OperationContext } from '../operation.ts'
import { outranks } from '../permissions.ts'
import { rejected } from '../rejections.ts'

/** The actor must have a higher rank than the person; owners may act on owners. A person with any role needs the permission on people. */
export function checkRank({ actor }: Pick<OperationContext, 'actor'>, role: GatewayRole | undefined): void {
  if (role === undefined || actor.type === 'command-line' || actor.type === 'job') return
  need(actor, 'people')
  if (actor.type === 'holder' || !outranks(actor.role, role)) throw rejected('outranked', {})
}

/** What is done to an account is done to each of its people: who outranks the actor there would be cut off, or share what the actor makes. */
export async function checkAccountRank(context: OperationContext, account: bigint): Promise<void> {
  const { actor, storage } = context
  if (actor.type !== 'person' && actor.type !== 'admin-key') return
  const isSelf = (person: bigint): boolean => actor.type === 'person' && actor.id === person
  for (const { person, gatewayRole } of await storage.members.list(account))
    if (!isSelf(person)) checkRank(context, gatewayRole)
}

/**
 * Whether the account is somebody else's: operators are not trusted with its conversations. The command line, which can read the store, is not
 * bound, and an account without people and keys has nothing yet.
 */
export async function isForeign({ actor, storage }: OperationContext, account: bigint): Promise<boolean> {
  if (actor.type === 'holder') return actor.isByOperator
  if (actor.type !== 'person' && actor.type !== 'admin-key') return false
  const members = await storage.members.list(account)
  if (actor.type === 'person' && members.some(({ person, byOperator }) => person === actor.id && !byOperator))
    return false
  return members.length > 0 || (await storage.keys.page(account, {}, 1)).total > 0
}

/** The operator to whom new objects are attributed. */
export function operatorIn({ actor }: OperationContext): Operator | undefined {
  if (actor.type === 'admin-key') return { adminKey: actor.id }
  return actor.type === 'person' ? { person: actor.id } : undefined
}
