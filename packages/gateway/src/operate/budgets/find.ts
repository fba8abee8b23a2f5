// Which budgets somebody sees: operators all, the owner of an account those of the account, a member those that apply to them.
import { isId } from '../../request/schema/schema.ts'
import type { OperationContext } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { accountCap, BUDGET_ID, budgetEntry, type Entry, keyCap, memberCap } from './entries.ts'

/** Keys of a member that are looked at. */
const MOST_KEYS = 2_000

export async function sightOf({ actor, storage }: OperationContext): Promise<(entry: Entry) => boolean> {
  if (actor.type !== 'holder') return () => true
  const { account, person, role } = actor
  if (role === 'owner') return (entry) => entry.account === account.id
  const { keys } = await storage.keys.page(account.id, { person: person.id }, MOST_KEYS)
  const own = (await storage.members.list(account.id)).find((each) => each.person === person.id)
  const ids = new Set(keys.map(({ id }) => id))
  const tags = new Set([...keys.flatMap((key) => key.tags), ...(own?.tags ?? [])])
  return (entry) => {
    if (entry.account !== account.id) return false
    if (entry.kind === 'account') return true
    if (entry.kind === 'member') return entry.person === person.id
    return entry.key === undefined ? entry.kind === 'tag' && tags.has(entry.value ?? '') : ids.has(entry.key)
  }
}

/** Also a deleted one. What somebody does not see does not exist for them. */
export async function findBudget(context: OperationContext, id: string): Promise<Entry> {
  const entry = BUDGET_ID.test(id) ? await entryOf(context, id) : undefined
  if (!entry || !(await sightOf(context))(entry)) throw rejected('unknown_budget', { budget: id })
  return entry
}

async function entryOf(context: OperationContext, id: string): Promise<Entry | undefined> {
  const { storage } = context
  if (isId(id)) {
    const found = await storage.budgets.find(BigInt(id))
    return found && budgetEntry(found)
  }
  const [, kind, first = '', second = ''] = id.split(':')
  if (kind === 'account') {
    const account = await storage.accounts.find(BigInt(first))
    return account && accountCap(account)
  }
  if (kind === 'key') {
    const found = await storage.keys.findWithAccount(BigInt(first))
    return found && !found.key.deleted ? keyCap(found.key) : undefined
  }
  const member = (await storage.members.list(BigInt(first))).find(({ person }) => String(person) === second)
  return member && (await memberCap(member, context))
}
