// Many accounts at once, each with its terms and its first key. All rows are checked before the first one is written, and each is one
// transaction. A row whose account exists changes nothing, so that a file can be imported again.

import type { Static } from 'typebox'
import { hashSecret } from '../../access/authenticate.ts'
import { newApiKey } from '../../access/secrets/new-api-key.ts'
import { DEFAULT_GROUP } from '../../config/sections/groups.ts'
import { formatUsd } from '../../money/amount.ts'
import { NO_LIMITS } from '../../money/limits.ts'
import { boolean, fields, list, optional, text, unknown } from '../../request/schema/schema.ts'
import { type Account, type ImportedAccount, NO_RESTRICTIONS } from '../../storage/storage.ts'
import { readAmount, readCap, readLimits } from '../inputs/fields.ts'
import { chosenGroup } from '../inputs/key-terms.ts'
import { ACCOUNT_NAME, AMOUNT_OR_ZERO, CAP, EMAIL, LIMITS, NAME } from '../inputs/schemas.ts'
import { audited, fingerprint, need, type OperationContext, operation } from '../operation.ts'
import { checked, messageOf, OperationRejected, rejected } from '../rejections.ts'

const MOST_ROWS = 10_000

const ROW = fields({
  email: optional(EMAIL),
  /** In place of an email address: an account without a person. */
  name: optional(ACCOUNT_NAME),
  /** Absent: none. There is no trial credit. */
  credit_usd: optional(AMOUNT_OR_ZERO),
  /** Of the account, with all of its keys. */
  ...CAP,
  limits: optional(LIMITS),
  /** The name of a key that is made for the account, and its group. */
  key: optional(NAME),
  group: optional(text({ max: 200 })),
})
type Row = Static<typeof ROW>

export const importAccounts = operation({
  name: 'account import',
  permission: 'accounts',
  input: fields({ rows: list(unknown(), MOST_ROWS), dry_run: optional(boolean()) }),
  async run(context, { rows, dry_run = false }) {
    for (const permission of ['money', 'keys'] as const) need(context.actor, permission)
    const planned: Planned[] = []
    const lines = new Map<string, number>()
    for (const [index, row] of rows.entries()) {
      const plan = await atLine(index, () => planRow(context, row))
      const first = lines.get(plan.shown)
      if (first !== undefined) throw lineError(index, `is the same account as row ${first + 1}`)
      lines.set(plan.shown, index)
      planned.push(plan)
    }
    if (dry_run) return planned.map(({ shown, present }) => resultRow(shown, present, 'would be created'))
    const results: ImportResult[] = []
    for (const plan of planned) results.push(await write(context, plan))
    return results
  },
})

type Planned = { row: Row; shown: string; group: string; account: ImportedAccount; present: Account | undefined }

async function planRow(context: OperationContext, written: unknown): Promise<Planned> {
  const row = checked(ROW, written)
  const { email, name, credit_usd = '0', limits, key, group, ...cap } = row
  if ((email === undefined) === (name === undefined)) throw rejected('email_or_name', { field: 'email', other: 'name' })
  if (key === undefined && group !== undefined) throw rejected('missing_field', { field: 'group', other: 'key' })
  const terms = { ...readCap(cap, undefined), ...readLimits(limits ?? {}) }
  const owner = email === undefined ? { name: name?.trim() ?? '' } : { email }
  const { id } = key === undefined ? { id: '' } : await chosenGroup(context, group ?? DEFAULT_GROUP)
  return {
    row,
    shown: (email ?? name ?? '').trim().toLowerCase(),
    group: id,
    account: { owner, credit: readAmount(credit_usd), terms, key: undefined },
    present: await presentAccount(context, owner),
  }
}

/** A person who has no account, and a name that several accounts have, are for the operator to decide. */
async function presentAccount(
  { storage }: OperationContext,
  owner: ImportedAccount['owner'],
): Promise<Account | undefined> {
  if ('name' in owner) {
    const [first, ...others] = await storage.accounts.findNamed(owner.name)
    if (others.length === 0) return first
    throw rejected('ambiguous_account', { account: `the name ${owner.name}`, found: String(others.length + 1) })
  }
  const person = await storage.people.find(owner.email)
  if (!person) return undefined
  const [first] = await storage.members.accountsOf(person.id)
  if (!first)
    throw rejected('unknown_account', { account: `the email address ${owner.email}, of a person without one` })
  return first.account
}

async function write(context: OperationContext, { row, shown, group, account, present }: Planned) {
  if (present) return resultRow(shown, present, '')
  const secret = row.key === undefined ? undefined : newApiKey()
  const hash = secret === undefined ? undefined : hashSecret(secret)
  const { owner } = account
  const object = 'name' in owner ? { accountName: owner.name } : { account: owner.email }
  const { credit_usd: _, group: __, ...terms } = row
  const made = hash && { group, secret: fingerprint(hash) }
  const after = { ...terms, credit_usd: formatUsd(account.credit), ...made }
  const key = hash && {
    hash,
    lastFour: secret?.slice(-4) ?? '',
    madeBy: 'command-line' as const,
    name: row.key?.trim() ?? '',
    group,
    expiresAt: undefined,
    cap: undefined,
    capPeriod: undefined,
    limits: NO_LIMITS,
    restrictions: NO_RESTRICTIONS,
    ceiling: row.group === undefined ? {} : { group },
  }
  const { accounts } = audited(context, 'account import', { object, after })
  const created = await accounts.createWithTerms({ ...account, key })
  // Another process was faster: a repetition of the import finds the account.
  if (!created) throw rejected('address_taken', { field: 'email', email: shown })
  return resultRow(shown, created, 'created', secret)
}

type ImportResult = ReturnType<typeof resultRow>

const resultRow = (shown: string, account: Account | undefined, result: string, secret?: string) => ({
  account: shown,
  id: account === undefined ? null : String(account.id),
  result: result === '' || (account !== undefined && result !== 'created') ? 'exists' : result,
  /** Shown once. */
  secret: secret ?? null,
})

async function atLine<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof OperationRejected ? lineError(index, messageOf(error.rejection, columnOf)) : error
  }
}

/** The field by the title of its column. */
const columnOf = (field: string): string => field.replace(/_usd$|^limits\./g, '')

const lineError = (index: number, message: string): OperationRejected =>
  rejected('wrong_row', { row: index + 1, message: message.replace(/\.$/, '') })
