// What a budget is for, as operators and account holders write it.
import type { Static } from 'typebox'
import { keptEndUser } from '../../access/attribution/attribution.ts'
import { canonicalTags, tagError } from '../../access/attribution/tags.ts'
import { fields, optional, text, word } from '../../request/schema/schema.ts'
import { BUDGET_KINDS, type BudgetKind } from '../../storage/console/budgets.ts'
import type { BudgetSubject } from '../../storage/storage.ts'
import { findAccount, personNamed } from '../inputs/find-account.ts'
import { modelsOfGroup } from '../inputs/key-terms.ts'
import { ACCOUNT } from '../inputs/schemas.ts'
import { findKey } from '../keys.ts'
import type { OperationContext } from '../operation.ts'
import { rejected } from '../rejections.ts'

const SUBJECT = fields({
  kind: word(...BUDGET_KINDS),
  /** A tag without one is across accounts. */
  account: optional(ACCOUNT),
  /** For `key` and `key_model`. */
  key: optional(text({ max: 40 })),
  /** For `member`: by id or email address. */
  person: optional(text({ max: 320 })),
  /** For `key_model`. */
  model: optional(text({ max: 256 })),
  /** The tag, the end user or the group. */
  value: optional(text({ max: 256 })),
})
export const SUBJECT_FIELDS = SUBJECT.properties
type Written = Static<typeof SUBJECT>
type Field = 'account' | 'key' | 'person' | 'model' | 'value'

/** Which fields a kind takes; those with a question mark may be absent. */
const TAKES: Readonly<Record<BudgetKind, readonly (Field | `${Field}?`)[]>> = {
  account: ['account'],
  member: ['account', 'person'],
  // A key has an account.
  key: ['account?', 'key'],
  key_model: ['account?', 'key', 'model'],
  tag: ['account?', 'value'],
  end_user: ['account', 'value'],
  group: ['value'],
  all: [],
}
const FIELDS = ['account', 'key', 'person', 'model', 'value'] as const

/** Kinds that an account holder can make. */
export const KINDS_INSIDE = ['account', 'member', 'key', 'key_model', 'tag', 'end_user'] as const

export async function readSubject(context: OperationContext, written: Written): Promise<BudgetSubject> {
  const { kind } = written
  for (const field of FIELDS) {
    if (TAKES[kind].includes(field) && written[field] === undefined) throw rejected('budget_needs', { field, kind })
    if (!TAKES[kind].some((each) => each.replace('?', '') === field) && written[field] !== undefined)
      throw rejected('budget_lacks', { field, kind })
  }
  const key = written.key === undefined ? undefined : await usableKey(context, written.key)
  const account = written.account === undefined ? undefined : await findAccount(context, written.account)
  if (account?.deletedAt !== undefined) throw rejected('account_deleted', { account: account.name })
  if (key && account && key.account !== account.id) throw rejected('unknown_key', { key: String(key.id) })
  const id = key?.account ?? account?.id
  const { model, value } = written
  if (key && model !== undefined) checkModel(context, key.group, model)
  return {
    kind,
    account: id,
    key: key?.id,
    person: written.person === undefined ? undefined : await memberOf(context, id, written.person),
    model,
    value: value === undefined ? undefined : await readValue(context, kind, value, id),
  }
}

async function usableKey(context: OperationContext, id: string) {
  const key = await findKey(context, id)
  if (key.deleted) throw rejected('key_deleted', { name: key.name })
  return key
}

/** An account holder learns nothing of people who are no members. */
async function memberOf(context: OperationContext, account: bigint | undefined, named: string): Promise<bigint> {
  const members = account === undefined ? [] : await context.storage.members.list(account)
  const found = members.find(({ person, email }) => String(person) === named || email === named.trim().toLowerCase())
  if (found) return found.person
  if (context.actor.type === 'holder') throw rejected('no_member', { email: named })
  throw rejected('no_member', { email: (await personNamed(context, named)).email })
}

/** A name that ends with a star stands for all that begin as it does. */
function checkModel({ config }: OperationContext, group: string, model: string): void {
  const offered = modelsOfGroup(config, group)
  const fits = (id: string) => id === model || (id.endsWith('*') && model.startsWith(id.slice(0, -1)))
  if (offered.some(fits)) return
  throw rejected('unknown_models', { field: 'model', group, models: model, available: offered.join(', ') })
}

async function readValue(
  context: OperationContext,
  kind: BudgetKind,
  written: string,
  account: bigint | undefined,
): Promise<string> {
  if (kind === 'tag') return readTag(written)
  if (kind === 'end_user') return await readEndUser(context, written.trim(), account ?? 0n)
  const { groups } = context.config
  if (groups.has(written)) return written
  throw rejected('unknown_group', { field: 'value', group: written, available: [...groups.keys()].join(', ') })
}

function readTag(written: string): string {
  const [tag = ''] = canonicalTags([written])
  const message = tag === '' ? 'A tag has at least one character.' : tagError(tag)
  if (message !== undefined) throw rejected('wrong_tags', { field: 'value', message })
  return tag
}

/** As receipts and reports name an end user whose name is not kept. */
const KEPT = /^u_[\w-]{22}$/

async function readEndUser(context: OperationContext, written: string, account: bigint): Promise<string> {
  const { attribution } = context.config
  if (attribution.endUsers === 'off') throw rejected('end_users_off', { field: 'value' })
  if (written === '') throw rejected('budget_needs', { field: 'value', kind: 'end_user' })
  if (attribution.endUsers === 'hashed' && KEPT.test(written)) return written
  const accountCipher = context.pseudonyms ?? (await context.accountCipher())
  return keptEndUser(written, account, attribution, { accountCipher })
}
