// Accounts: list, show, disable, limit, and what is stored of them.

import { callbackSecret } from '../access/secrets/callback-secret.ts'
import { formatCredit, formatUsd, UNLIMITED_CREDIT } from '../money/amount.ts'
import { capJson, limitsJson } from '../money/json.ts'
import { boolean, fields, optional, text, word } from '../request/schema/schema.ts'
import { ACCOUNT_ORDERS } from '../storage/console/lists.ts'
import type { AccountChanges } from '../storage/storage.ts'
import { accountEffects } from './accounts/effects.ts'
import { accountRows, shownAccount } from './accounts/rows.ts'
import { readAmount, readCap, readLimits } from './inputs/fields.ts'
import { findAccount } from './inputs/find-account.ts'
import { given, pageFields, readPlace } from './inputs/page.ts'
import { ACCOUNT, ACCOUNT_NAME, CAP, CREDIT_LINE, LIMITS, REASON } from './inputs/schemas.ts'
import { auditEntry, audited, need, type OperationContext, operation, preview } from './operation.ts'
import { checkAccountRank } from './people/rank.ts'
import { rejected } from './rejections.ts'
import { ACCOUNT_SHOWN } from './resources/accounts.ts'

const OF_ACCOUNT = fields({ account: ACCOUNT })
const BEGINNING = text({ max: 320 })

export const ACCOUNT_FILTER = {
  state: optional(word('active', 'disabled', 'deleted')),
  /** What the address of one of its people, or its name, begins with. */
  email: optional(BEGINNING),
  name: optional(BEGINNING),
  /** A part of an address or the name, or the id. */
  search: optional(BEGINNING),
}

export const listAccounts = operation({
  name: 'account list',
  permission: 'see',
  route: {
    at: 'GET accounts',
    summary: 'Lists accounts, oldest first unless another order is given',
    output: ACCOUNT_SHOWN,
    list: true,
    csv: true,
  },
  input: fields({
    ...ACCOUNT_FILTER,
    /** `oldest` unless given. */
    order: optional(word(...ACCOUNT_ORDERS)),
    ...pageFields('an account'),
  }),
  async run({ storage }, { state, email, name, search, order, ...page }) {
    const { place, limit } = readPlace(page, BigInt)
    const filter = given({ state, email, name, search })
    const { rows, next } = await storage.lists.accounts(filter, place, limit, order)
    return { items: await accountRows(rows, storage), next: next === undefined ? null : String(next) }
  },
})

export const showAccount = operation({
  name: 'account show',
  permission: 'see',
  route: { at: 'GET accounts/{account}', summary: 'Shows an account', output: ACCOUNT_SHOWN },
  input: OF_ACCOUNT,
  run: async (context, { account }) => shownAccount(context, account),
})

/** The credit line is money; the name is not. */
export const editAccount = operation({
  name: 'account edit',
  permission: 'see',
  route: {
    at: 'PATCH accounts/{account}',
    summary: 'Changes the name and the credit line of an account',
    output: ACCOUNT_SHOWN,
    example: { body: { name: 'Acme', credit_line_usd: '500' } },
  },
  input: fields({ account: ACCOUNT, name: optional(ACCOUNT_NAME), credit_line_usd: optional(CREDIT_LINE) }),
  async run(context, { account: named, name: written, credit_line_usd }) {
    if (written !== undefined) need(context.actor, 'accounts')
    if (credit_line_usd !== undefined) need(context.actor, 'money')
    const account = await findAccount(context, named)
    if (written !== undefined) await checkAccountRank(context, account.id)
    const changes: AccountChanges = {}
    const after: Record<string, string> = {}
    if (written !== undefined) changes.name = after.name = written.trim()
    if (credit_line_usd !== undefined) {
      changes.creditLine = credit_line_usd === 'unlimited' ? UNLIMITED_CREDIT : readAmount(credit_line_usd)
      after.credit_line_usd = formatCredit(changes.creditLine)
    }
    const { id } = account
    if (Object.keys(changes).length === 0) return await shownAccount(context, String(id))
    const before = { name: account.name, credit_line_usd: formatCredit(account.creditLine) }
    const entry = { object: `account/${id}`, before, after: { ...before, ...after } }
    await audited(context, 'account edit', entry).accounts.setTerms(id, changes)
    return await shownAccount(context, String(id))
  },
})

/** Caps are money, rates and concurrency are not: each part needs its own permission. */
export const limitAccount = operation({
  name: 'account limit',
  permission: 'see',
  route: {
    at: 'PATCH accounts/{account}/limits',
    summary: 'Changes the cap and the rate limits of an account',
    output: ACCOUNT_SHOWN,
    example: { body: { cap_usd: '500', cap_period: 'month', limits: { rpm: 600 } } },
  },
  input: fields({ account: ACCOUNT, ...CAP, limits: optional(LIMITS) }),
  async run(context, { account: named, limits, ...cap }) {
    if (limits !== undefined) need(context.actor, 'accounts')
    if (Object.keys(cap).length > 0) need(context.actor, 'money')
    const account = await findAccount(context, named)
    if (limits !== undefined) await checkAccountRank(context, account.id)
    const changes = { ...readCap(cap, account.cap), ...readLimits(limits ?? {}) }
    if (Object.keys(changes).length === 0) return await shownAccount(context, named)
    const { cap_usd, cap_period } = capJson(account, Date.now())
    const before = { cap_usd, cap_period, limits: limitsJson(account.limits) }
    const entry = { object: `account/${account.id}`, before, after: { ...cap, ...(limits ? { limits } : {}) } }
    await audited(context, 'account limit', entry).accounts.setTerms(account.id, changes)
    return await shownAccount(context, named)
  },
})

export const disableAccount = operation({
  name: 'account disable',
  permission: 'accounts',
  isDangerous: true,
  route: {
    at: 'POST accounts/{account}/disable',
    summary: 'Disables an account: its keys are rejected, its people can only read',
    output: ACCOUNT_SHOWN,
  },
  /** `reason`: for the audit log and, in the message of each rejected request, for the account's callers. */
  input: fields({ account: ACCOUNT, reason: REASON }),
  run: (context, { account, reason = context.reason }) => setDisabled(context, account, true, reason),
})

export const enableAccount = operation({
  name: 'account enable',
  permission: 'accounts',
  route: { at: 'POST accounts/{account}/enable', summary: 'Enables an account again', output: ACCOUNT_SHOWN },
  input: OF_ACCOUNT,
  run: (context, { account }) => setDisabled(context, account, false),
})

async function setDisabled(context: OperationContext, named: string, disabled: boolean, given = '') {
  const reason = given.trim()
  const account = await findAccount(context, named)
  await checkAccountRank(context, account.id)
  if (account.deletedAt !== undefined) throw rejected('account_deleted', { account: account.name })
  const action = disabled ? 'account disable' : 'account enable'
  const entry = { object: `account/${account.id}`, before: { disabled: account.disabled }, after: { disabled }, reason }
  const effects = disabled ? await accountEffects(context, account) : {}
  await audited(context, action, { ...entry, effects }).accounts.setDisabled(account.id, disabled, reason)
  return await shownAccount(context, named)
}

/**
 * Erases what is about people: keys, sessions, contents and, of people without another account or a role, address, password and second
 * factor. Money stays in the ledger. May be repeated after an interruption.
 */
export const deleteAccount = operation({
  name: 'account delete',
  permission: 'accounts',
  isDangerous: true,
  route: {
    at: 'DELETE accounts/{account}',
    summary: 'Erases an account; what it paid stays in the ledger',
    output: ACCOUNT_SHOWN,
  },
  input: fields({ account: ACCOUNT, force: optional(boolean()) }),
  async run(context, { account: named, force = false }) {
    // An account with a balance is a matter of money, too.
    if (force) need(context.actor, 'money')
    const account = await findAccount(context, named)
    const { id, name, deletedAt, balance, held } = account
    await checkAccountRank(context, id)
    if (deletedAt === undefined) {
      await checkOperatorsStay(context, id)
      const effects = { ...(await accountEffects(context, account)), balance_lost_usd: formatUsd(balance) }
      const entry = { object: `account/${id}`, before: { balance_usd: formatUsd(balance) }, after: { force }, effects }
      if (!(await audited(context, 'account delete', entry).accounts.erase(id, { force })))
        throw rejected('account_in_use', { account: name, balance: formatUsd(balance), held: formatUsd(held) })
    }
    await context.storage.shares.erase(id)
    return await shownAccount(context, String(id))
  },
})

/** People with a role keep an account: without one they would be shut out of the console. The store has the same condition. */
async function checkOperatorsStay({ storage }: OperationContext, account: bigint): Promise<void> {
  for (const { person, email, gatewayRole } of await storage.members.list(account))
    if (gatewayRole !== undefined && (await storage.members.accountsOf(person)).length === 1)
      throw rejected('last_account_of_operator', { email })
}

export const forgetResponses = operation({
  name: 'account forget-responses',
  permission: 'accounts',
  input: OF_ACCOUNT,
  async run(context, { account: named }) {
    const { id, name } = await findAccount(context, named)
    await checkAccountRank(context, id)
    const change = { object: `account/${id}` }
    preview(context, 'account forget-responses', change)
    // What is stored may be in another database than the audit log, so the row comes first: nothing is removed without one.
    const entry = auditEntry(context, 'account forget-responses', change)
    await context.storage.auditLog.add(entry)
    const { responses, idempotentResponses, reasoning } = await context.storage.shares.forget(id)
    return { account: name, responses, idempotent_responses: idempotentResponses, reasoning }
  },
})

export const showCallbackSecret = operation({
  name: 'account callback-secret',
  permission: 'accounts',
  input: OF_ACCOUNT,
  async run(context, { account }) {
    const { id, name } = await findAccount(context, account)
    await checkAccountRank(context, id)
    return { account: name, secret: callbackSecret(id, await context.accountCipher()) }
  },
})
