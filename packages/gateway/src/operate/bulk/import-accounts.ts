// Many accounts at once, each with its terms and its first key. All rows are checked before the first one is written, and each is one
// transaction. A row whose account exists changes nothing, so that a file can be imported again.

import { CREDIT } from '../../money/ledger.ts'
import { boolean, fields, list, optional, unknown } from '../../request/schema/schema.ts'
import type { Account, OpenedAccount } from '../../storage/storage.ts'
import { linkFor, OPENING, type Opening, openAccount, planOpening } from '../accounts/opening.ts'
import { readAmount } from '../inputs/fields.ts'
import { accountOfPerson } from '../inputs/find-account.ts'
import { need, type OperationContext, operation } from '../operation.ts'
import { checked, messageOf, OperationRejected, rejected } from '../rejections.ts'

const MOST_ROWS = 10_000

/** Without `credit_usd`: none. There is no trial credit. */
const ROW = fields(OPENING)

export const importAccounts = operation({
  name: 'account import',
  permission: 'accounts',
  isDangerous: { with: 'links' },
  /** `links`: whether each person gets a sign-in link. */
  input: fields({ rows: list(unknown(), MOST_ROWS), dry_run: optional(boolean()), links: optional(boolean()) }),
  async run(context, { rows, dry_run = false, links = false }) {
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
    for (const plan of planned) results.push(await write(context, plan, links))
    return results
  },
})

type Planned = { opening: Opening; shown: string; present: Account | undefined }

async function planRow(context: OperationContext, written: unknown): Promise<Planned> {
  const row = checked(ROW, written)
  const opening = await planOpening(context, row)
  const shown = (row.email ?? row.name ?? '').trim().toLowerCase()
  return { opening, shown, present: await presentAccount(context, opening.account.owner) }
}

/** A person who has no account, and a name that several accounts have, are for the operator to decide. */
async function presentAccount(
  { storage }: OperationContext,
  owner: OpenedAccount['owner'],
): Promise<Account | undefined> {
  if ('name' in owner) {
    const [first, ...others] = await storage.accounts.findNamed(owner.name)
    if (others.length === 0) return first
    throw rejected('ambiguous_account', { account: `the name ${owner.name}`, found: String(others.length + 1) })
  }
  const person = await storage.people.find(owner.email)
  if (!person) return undefined
  const account = await accountOfPerson(storage, person, `the email address ${owner.email}`)
  if (account) return account
  throw rejected('unknown_account', { account: `the email address ${owner.email}, of a person without one` })
}

async function write(context: OperationContext, { opening, shown, present }: Planned, links: boolean) {
  if (present) return resultRow(shown, present, '')
  const { email, credit_usd = '0' } = opening.written
  const terms = { credit: readAmount(credit_usd), source: CREDIT }
  const { account, secret } = await openAccount(context, 'account import', opening, terms)
  const link = links && email !== undefined ? await linkFor(context, account) : undefined
  return resultRow(shown, account, 'created', secret, link)
}

type ImportResult = ReturnType<typeof resultRow>

const resultRow = (shown: string, account: Account | undefined, result: string, secret?: string, link?: string) => ({
  account: shown,
  id: account === undefined ? null : String(account.id),
  result: result === '' || (account !== undefined && result !== 'created') ? 'exists' : result,
  /** Shown once. */
  secret: secret ?? null,
  sign_in_url: link ?? null,
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
