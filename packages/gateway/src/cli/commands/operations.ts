// The operations on accounts and keys. They run in the process that owns the store, on behalf of the command line.

import { hashSecret } from '../../access/authenticate.ts'
import { operatorChanges } from '../../access/ceilings.ts'
import { isLongEnough, SHORTEST_PASSWORD } from '../../access/password-rules.ts'
import type { AccountCipher } from '../../access/secrets/account-cipher.ts'
import { callbackSecret } from '../../access/secrets/callback-secret.ts'
import { newApiKey } from '../../access/secrets/new-api-key.ts'
import { trialSource } from '../../config/sandbox.ts'
import type { FileConfig } from '../../config/types.ts'
import { formatUsd } from '../../money/amount.ts'
import { balancesJson, capJson, limitsJson } from '../../money/json.ts'
import { CREDIT } from '../../money/ledger.ts'
import { NO_LIMITS } from '../../money/limits.ts'
import { showReceipt, withinBytes } from '../../paid-call/receipts/show-receipt.ts'
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import { hashPassword } from '../../storage/password.ts'
import type { Account, Key, Member, Storage } from '../../storage/storage.ts'
import type { Health } from '../../upstreams/health/health.ts'
import type { Send } from '../../upstreams/send.ts'
import { CommandError, UsageError } from '../errors.ts'
import { createCodes } from './create-codes.ts'
import { accountTermsOf, amountOf, creditLineOf, termsOf } from './key-options.ts'
import { findAccount, findPerson, isAddress, peopleJson } from './people/find-account.ts'
import { createSignInLink, removeSecondFactor } from './people/locked-out.ts'
import { PEOPLE_OPERATIONS } from './people/operations.ts'
import { PAGE_ROWS } from './usage-pages.ts'

/** `health`: only in a running server. */
export type OperationContext = {
  storage: Storage
  config: FileConfig
  health?: Health
  httpVersionOf?: Send['httpVersionOf']
  /** The beginning of links without `server.public_url`. */
  listenUrl: string
  accountCipher(): Promise<AccountCipher>
}
type Values = Readonly<Record<string, string>>
/** Maximum size of the receipts on one page of a usage list. */
const PAGE_BYTES = 4 * 1024 * 1024
export type Operation = (desk: OperationContext, values: Values) => Promise<unknown>

export const OPERATIONS = {
  'account create': async ({ storage, config }, { email = '', credit, password }) => {
    if (!isAddress(email)) throw new UsageError(`--email must be an email address, not '${email}'`)
    const amount = credit === undefined ? config.registration.trialCredit : amountOf(credit, 'credit')
    if (amount < 0n) throw new UsageError('--credit must not be negative')
    if (password !== undefined && !isLongEnough(password)) {
      throw new UsageError(`the password must have at least ${SHORTEST_PASSWORD} characters`)
    }
    const hash = password === undefined ? undefined : await hashPassword(password)
    const source = credit === undefined ? trialSource(config) : CREDIT
    const account = await storage.accounts.create(email, amount, source, hash)
    if (!account) throw new CommandError(`an account with the email address ${email} already exists`)
    return {
      ...(await accountJson(storage, account)),
      credit_usd: formatUsd(amount),
      credit_is_trial: credit === undefined && amount > 0n,
    }
  },
  'account list': async ({ storage }) => {
    const members = Map.groupBy(await storage.members.listAll(), ({ account }) => account)
    return (await storage.accounts.list()).map((account) => accountRow(account, members.get(account.id) ?? []))
  },
  'account show': async ({ storage }, { account = '' }) => accountJson(storage, await findAccount(storage, account)),
  'account disable': ({ storage }, { account = '' }) => setDisabled(storage, account, true),
  'account enable': ({ storage }, { account = '' }) => setDisabled(storage, account, false),
  'account sign-in-link': async ({ storage, config, listenUrl }, { account = '' }) =>
    createSignInLink(await findPerson(storage, account), storage, config.server.publicUrl ?? listenUrl),
  'account remove-second-factor': async ({ storage }, { account = '' }) =>
    removeSecondFactor(await findPerson(storage, account), storage),
  'account forget-responses': async ({ storage }, { account = '' }) => {
    const { id, name } = await findAccount(storage, account)
    const { responses, idempotentResponses, reasoning } = await storage.shares.forget(id)
    return { account: name, responses, idempotent_responses: idempotentResponses, reasoning }
  },
  'account callback-secret': async ({ storage, accountCipher }, { account = '' }) => {
    const { id, name } = await findAccount(storage, account)
    return { account: name, secret: callbackSecret(id, await accountCipher()) }
  },
  'account credit': async ({ storage }, { account = '', amount = '', reason = '' }) => {
    const found = await findAccount(storage, account)
    const nanos = amountOf(amount, 'amount')
    if (nanos === 0n) throw new UsageError('--amount must not be zero')
    if (!(await storage.accounts.credit(found.id, nanos, reason))) {
      throw new CommandError(`${account} has less than ${formatUsd(-nanos)} USD available`)
    }
    return accountJson(storage, await findAccount(storage, account))
  },
  'account limit': async ({ storage }, values) => {
    const { account = '' } = values
    const { id, cap } = await findAccount(storage, account)
    await storage.accounts.setTerms(id, accountTermsOf(values, cap))
    return accountJson(storage, await findAccount(storage, account))
  },
  'account credit-line': async ({ storage }, { account = '', amount = '' }) => {
    const { id } = await findAccount(storage, account)
    await storage.accounts.setTerms(id, { creditLine: creditLineOf(amount) })
    return accountJson(storage, await findAccount(storage, account))
  },
  'key create': async (desk, values) => await createKey(desk, values),
  'key list': async ({ storage }, { account = '' }) => {
    const { id } = await findAccount(storage, account)
    return (await storage.keys.list(id)).map(keyJson)
  },
  // Not a command: used for warnings about the groups of keys.
  'key groups': async ({ storage }) => Object.fromEntries(await storage.keys.countByGroup()),
  'key limit': async ({ storage, config }, values) => {
    const { key = '' } = values
    const found = await findKey(storage, key)
    if (found.revoked) throw new CommandError(`key ${key} is revoked, so its limits cannot be changed`)
    const about = { group: config.groups.get(found.group), cap: found.cap, mayRemove: true }
    const changes = operatorChanges(found, termsOf(values, about, config, Date.now()))
    if (!(await storage.keys.setTerms(found.id, changes, found.revision)))
      throw new CommandError(`key ${key} was changed meanwhile; try again`)
    return keyJson(await findKey(storage, key))
  },
  'key revoke': async ({ storage }, { key = '' }) => {
    await storage.keys.revoke((await findKey(storage, key)).id)
    return { id: key, revoked: true }
  },
  ...PEOPLE_OPERATIONS,
  'code create': ({ storage }, values) => createCodes(storage, values),
  // One page; readUsage requests the next.
  usage: async ({ storage }, { account = '', limit = '100', before }) => {
    if (!/^\d{1,9}$/.test(limit)) throw new UsageError('--limit must be a whole number; 0 means all')
    const { id } = await findAccount(storage, account)
    const rows = Math.min(Number(limit) || PAGE_ROWS, PAGE_ROWS)
    const page = await storage.ledger.usage(id, rows, before === undefined ? undefined : parseRequestId(before))
    return withinBytes(page, PAGE_BYTES).map((row) => showReceipt(row, 'operator'))
  },
  'upstream health': async ({ config, health }) =>
    Object.fromEntries(
      [...config.upstreams.values()].map((upstream) => [
        upstream.id,
        health?.report(upstream, performance.now()) ?? [],
      ]),
    ),
  'upstream http': async ({ config, httpVersionOf }) =>
    Object.fromEntries(
      [...config.upstreams.values()].map((upstream) => [upstream.id, httpVersionOf?.(upstream) ?? null]),
    ),
  audit: async ({ storage }) => auditJson(await storage.ledger.audit()),
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof OPERATIONS

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}

async function createKey({ storage, config }: OperationContext, values: Values): Promise<unknown> {
  const { account = '', name = '', group = 'default' } = values
  const known = config.groups.get(group)
  if (!known) {
    throw new CommandError(`unknown group '${group}' (available: ${[...config.groups.keys()].join(', ')})`)
  }
  const about = { group: known, cap: undefined, mayRemove: false }
  const terms = termsOf(values, about, config, Date.now())
  const { models, networks, expiresAt, cap, capPeriod, ...limits } = terms
  const { id } = await findAccount(storage, account)
  const secret = newApiKey()
  const hash = hashSecret(secret)
  const key = await storage.keys.create({
    account: id,
    hash,
    lastFour: secret.slice(-4),
    name,
    group,
    expiresAt,
    cap,
    capPeriod,
    limits: { ...NO_LIMITS, ...limits },
    restrictions: { models, networks },
    madeBy: 'command-line',
    ceiling: { ...terms, ...(values.group === undefined ? {} : { group }) },
  })
  return { ...keyJson(key), secret }
}

async function findKey(storage: Storage, written: string): Promise<Key> {
  const found = /^\d{1,18}$/.test(written) ? await storage.keys.findWithAccount(BigInt(written)) : undefined
  if (!found) throw new CommandError(`unknown key id ${written}`)
  return found.key
}

async function setDisabled(storage: Storage, written: string, disabled: boolean): Promise<unknown> {
  await storage.accounts.setDisabled((await findAccount(storage, written)).id, disabled)
  return accountJson(storage, await findAccount(storage, written))
}

const accountJson = async ({ members }: Storage, account: Account) =>
  accountRow(account, await members.list(account.id))

function accountRow(account: Account, members: readonly Member[]) {
  return {
    id: String(account.id),
    name: account.name,
    ...peopleJson(members),
    ...balancesJson(account),
    disabled: account.disabled,
    ...capJson(account, Date.now()),
    ...limitsJson(account.limits),
    spent_today_usd: formatUsd(account.spentToday),
    spent_this_month_usd: formatUsd(account.spentThisMonth),
    created_at: new Date(account.createdAt).toISOString(),
  }
}

function keyJson(key: Key) {
  return {
    id: String(key.id),
    name: key.name,
    group: key.group,
    revoked: key.revoked,
    expires_at: key.expiresAt === undefined ? null : new Date(key.expiresAt).toISOString(),
    ...capJson(key, Date.now()),
    spent_under_cap_usd: key.cap === undefined ? null : formatUsd(key.spentUnderCap),
    spent_usd: formatUsd(key.spent),
    spent_today_usd: formatUsd(key.spentToday),
    spent_this_month_usd: formatUsd(key.spentThisMonth),
    held_usd: formatUsd(key.held),
    ...limitsJson(key.limits),
    models: key.restrictions.models ?? null,
    ips: key.restrictions.networks ?? null,
    created_at: new Date(key.createdAt).toISOString(),
  }
}

function auditJson(report: Awaited<ReturnType<Storage['ledger']['audit']>>) {
  const { ok, accounts, requests, transfers } = report
  return {
    ok: ok && report.lostTaskHolds.length === 0,
    accounts,
    requests,
    transfers,
    open_holds: report.openHolds,
    balance_mismatches: report.balanceMismatches.map(String),
    held_mismatches: report.heldMismatches.map(String),
    key_held_mismatches: report.keyHeldMismatches.map(String),
    open_mismatches: report.openMismatches.map(String),
    key_open_mismatches: report.keyOpenMismatches.map(String),
    spent_mismatches: report.spentMismatches.map(String),
    key_spent_mismatches: report.keySpentMismatches.map(String),
    spending_mismatches: report.spendingMismatches.map(String),
    negative_accounts: report.negativeAccounts.map(String),
    request_mismatches: report.requestMismatches.map(formatRequestId),
    // Not a failure: the line was lowered below what the account has spent and holds.
    overdrawn_accounts: report.overdrawnAccounts.map(String),
    lost_task_holds: report.lostTaskHolds.map(formatRequestId),
  }
}
