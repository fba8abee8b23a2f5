// What an account can have from the beginning: terms, a key, a seat in another account, a sign-in link. All of it but the link is one
// transaction.
import type { Static } from 'typebox'
import { hashSecret } from '../../access/authenticate.ts'
import { newApiKey } from '../../access/secrets/new-secrets.ts'
import { DEFAULT_GROUP } from '../../config/sections/groups.ts'
import { formatUsd, type Nanos, UNLIMITED_CREDIT } from '../../money/amount.ts'
import { NO_LIMITS } from '../../money/limits.ts'
import { fields, optional, text, word } from '../../request/schema/schema.ts'
import { type Account, MEMBER_ROLES, NO_RESTRICTIONS, type OpenedAccount } from '../../storage/storage.ts'
import { readAmount, readCap, readLimits } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { chosenGroup } from '../inputs/key-terms.ts'
import { ACCOUNT, ACCOUNT_NAME, AMOUNT_OR_ZERO, CAP, CREDIT_LINE, EMAIL, LIMITS, NAME } from '../inputs/schemas.ts'
import { audited, fingerprint, need, type OperationContext, perform } from '../operation.ts'
import { createSignInLink } from '../people/people.ts'
import { checkAccountRank, isForeign, operatorIn } from '../people/rank.ts'
import { rejected } from '../rejections.ts'

export const OPENING = {
  /** The address of the person who owns it. */
  email: optional(EMAIL),
  /** In place of an email address: the account has no person, and is named by its id or name. */
  name: optional(ACCOUNT_NAME),
  credit_usd: optional(AMOUNT_OR_ZERO),
  credit_line_usd: optional(CREDIT_LINE),
  /** The cap of the account counts all of its keys. */
  ...CAP,
  limits: optional(LIMITS),
  /** The name of a key that is made for the account, and its group. */
  key: optional(NAME),
  group: optional(text({ max: 200 })),
  /** Another account that the person becomes a member of, and with which role; `member` unless given. */
  member_of: optional(ACCOUNT),
  role: optional(word(...MEMBER_ROLES)),
}

const WRITTEN = fields(OPENING)
type Written = Static<typeof WRITTEN>

export type Opening = { written: Written; account: Omit<OpenedAccount, 'credit' | 'source' | 'key'>; group: string }

/** Checks everything before the first account is written. Each part needs the permission that it needs alone. */
export async function planOpening(context: OperationContext, written: Written): Promise<Opening> {
  const { email, name, credit_usd, credit_line_usd, limits, key, group, member_of, role, ...cap } = written
  if ((email === undefined) === (name === undefined)) throw rejected('email_or_name', { field: 'email', other: 'name' })
  for (const [field, other] of [
    ['group', 'key'],
    ['role', 'member_of'],
    ['member_of', 'email'],
  ] as const)
    if (written[field] !== undefined && written[other] === undefined) throw rejected('missing_field', { field, other })
  if ([credit_usd, credit_line_usd, ...Object.values(cap)].some((each) => each !== undefined))
    need(context.actor, 'money')
  if (key !== undefined) need(context.actor, 'keys')
  const creditLine = credit_line_usd === 'unlimited' ? UNLIMITED_CREDIT : credit_line_usd && readAmount(credit_line_usd)
  const team = member_of === undefined ? undefined : await findAccount(context, member_of)
  if (team?.deletedAt !== undefined) throw rejected('account_deleted', { account: team.name })
  if (team) await checkAccountRank(context, team.id)
  return {
    written,
    group: key === undefined ? '' : (await chosenGroup(context, group ?? DEFAULT_GROUP, email)).id,
    account: {
      owner: email === undefined ? { name: name?.trim() ?? '' } : { email },
      terms: { ...readCap(cap, undefined), ...readLimits(limits ?? {}), ...(creditLine ? { creditLine } : {}) },
      member: team && { account: team.id, role: role ?? 'member', byOperator: await isForeign(context, team.id) },
    },
  }
}

type Opened = { account: Account; secret: string | undefined }

/** With an entry in the audit log. Another process may have been faster: then the address is taken. */
export async function openAccount(
  context: OperationContext,
  action: string,
  { written, account, group }: Opening,
  opening: { credit: Nanos; source: bigint; password?: string | undefined },
): Promise<Opened> {
  const { owner } = account
  const secret = written.key === undefined ? undefined : newApiKey()
  const hash = secret === undefined ? undefined : hashSecret(secret)
  const object = 'name' in owner ? { accountName: owner.name } : { account: owner.email }
  const { group: _, ...terms } = written
  const made = hash && { group, secret: fingerprint(hash) }
  const after = {
    ...terms,
    credit_usd: formatUsd(opening.credit),
    ...('password' in opening ? { has_password: opening.password !== undefined } : {}),
    ...made,
  }
  const key = hash && {
    hash,
    lastFour: secret?.slice(-4) ?? '',
    madeBy: 'command-line' as const,
    operator: operatorIn(context),
    // An account of a person is not that of the operator who opens it.
    isolated: 'email' in owner && operatorIn(context) !== undefined,
    name: written.key?.trim() ?? '',
    group,
    expiresAt: undefined,
    cap: undefined,
    capPeriod: undefined,
    limits: NO_LIMITS,
    restrictions: NO_RESTRICTIONS,
    ceiling: written.group === undefined ? {} : { group },
  }
  const { accounts } = audited(context, action, { object, after })
  const created = await accounts.open({ ...account, ...opening, key })
  if (!created) throw rejected('address_taken', { field: 'email', email: written.email ?? '' })
  return { account: created, secret }
}

/** Lets the person of a new account choose a password. */
export const linkFor = async (context: OperationContext, account: Account): Promise<string> =>
  (await perform(createSignInLink, context, { account: String(account.id) })).url
