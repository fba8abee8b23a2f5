// Redemption codes, which operators create and account holders turn into credit.

import { hashCode, newCode } from '../access/secrets/new-secrets.ts'
import { formatUsd } from '../money/amount.ts'
import { always, fields, integer, nullable, optional, textLike } from '../request/schema/schema.ts'
import type { BatchPlace, Code, CodeBatch } from '../storage/storage.ts'
import { isoTime, readAmount, readFuture } from './inputs/fields.ts'
import { findAccount } from './inputs/find-account.ts'
import { pageFieldsBy, type Range, readPage } from './inputs/page.ts'
import { ACCOUNT, EXPIRY, LIMIT, NAME, POSITIVE_AMOUNT, REDEMPTION } from './inputs/schemas.ts'
import { audited, type Effects, fingerprint, type OperationContext, operation } from './operation.ts'
import { rejected } from './rejections.ts'
import { CODE, CODE_BATCH, NEW_CODES, REVOKED_CODES } from './resources/gateway.ts'

export const MOST_CODES = 10_000
const HOUR_MS = 3_600_000
const LABEL = NAME
const MOST_TRIES = 20
const PLACE = /^(\d{1,15})\.([0-9a-f]{64})$/
const BATCH_PLACE = /^(\d{1,15})\.(.{0,400})$/su
const BATCH_ID = textLike((value) => BATCH_PLACE.test(value), 'be the id of a batch')
const CODE_ID = textLike((value) => PLACE.test(value), 'be the id of a code')

export const createCodes = operation({
  name: 'code create',
  permission: 'money',
  isDangerous: true,
  route: {
    at: 'POST codes',
    summary: 'Creates redemption codes, which are shown once',
    output: NEW_CODES,
    resource: 'codes',
    status: 201,
    example: { body: { amount_usd: '5', count: 10, expires_at: null, label: 'spring' } },
  },
  input: fields({
    amount_usd: POSITIVE_AMOUNT,
    count: optional(integer({ min: 1, max: MOST_CODES })),
    /** Null: never. */
    expires_at: optional(nullable(EXPIRY)),
    /** Names the batch. */
    label: optional(LABEL),
  }),
  async run(context, { amount_usd, count = 1, expires_at = null, label = '' }) {
    const amount = readAmount(amount_usd)
    const expiresAt = expires_at === null ? undefined : readFuture('expires_at', expires_at)
    const codes = Array.from({ length: count }, newCode)
    const hashed = codes.map((code) => ({ hash: hashOf(code), amount, expiresAt, label, lastFour: code.slice(-4) }))
    const each = { amount_usd: formatUsd(amount), expires_at: expiresAt === undefined ? null : isoTime(expiresAt) }
    const effects = { codes: count, total_usd: formatUsd(amount * BigInt(count)) }
    const entry = { object: 'codes', after: { ...each, count, label }, effects }
    await audited(context, 'code create', entry).codes.create(hashed)
    return codes.map((code) => ({ code, ...each }))
  },
})

/** All codes with one label are a batch. */
export const listCodeBatches = operation({
  name: 'code batches',
  permission: 'see',
  route: {
    at: 'GET codes/batches',
    summary: 'Lists batches of redemption codes by label, newest first, with what became of their codes',
    output: CODE_BATCH,
    list: true,
    csv: true,
  },
  input: fields(pageFieldsBy(BATCH_ID)),
  /** Newest first. */
  async run({ storage }, page) {
    const read = (range: Range<BatchPlace>, limit: number) => storage.codes.batches(range, limit)
    const { items, next } = await readPage(page, read, idOfBatch, placeOfBatch)
    return { items: items.map(batchRow), next }
  },
})

const idOfBatch = ({ createdAt, label }: BatchPlace): string => `${createdAt}.${label}`
function placeOfBatch(id: string): BatchPlace {
  const [, createdAt, label = ''] = BATCH_PLACE.exec(id) ?? []
  return { createdAt: Number(createdAt), label }
}

const batchRow = (batch: CodeBatch) => ({
  id: idOfBatch(batch),
  label: batch.label,
  created_at: isoTime(batch.createdAt),
  expires_at: batch.expiresAt === undefined ? null : isoTime(batch.expiresAt),
  codes: batch.codes,
  amount_usd: formatUsd(batch.amount),
  redeemed: batch.redeemed,
  redeemed_usd: formatUsd(batch.redeemedAmount),
  revoked: batch.revoked,
  expired: batch.expired,
  open: batch.open,
  open_usd: formatUsd(batch.openAmount),
})

export const listCodes = operation({
  name: 'code list',
  permission: 'see',
  route: { at: 'GET codes', summary: 'Lists redemption codes', output: CODE, list: true, csv: true },
  input: fields({
    label: optional(LABEL),
    /** In place of a label: those that have none. */
    unlabelled: optional(always(true)),
    after: optional(CODE_ID),
    before: optional(CODE_ID),
    limit: optional(LIMIT),
  }),
  /** Newest first. The codes themselves are not kept. */
  async run({ storage }, { label, unlabelled = false, ...page }) {
    if (unlabelled && label !== undefined) throw rejected('exclusive', { field: 'unlabelled', other: 'label' })
    const of = unlabelled ? { label: '' } : label === undefined ? {} : { label: label.trim() }
    const read = (range: Range<CodePlace>, limit: number) => storage.codes.list({ ...of, ...range }, limit)
    const { items, next } = await readPage(page, read, idOfCode, placeOfCode)
    const redeemers = items.flatMap(({ redeemed }) => (redeemed ? [redeemed.by] : []))
    const names = await storage.accounts.names([...new Set(redeemers)])
    return { items: items.map((code) => codeRow(code, names, Date.now())), next }
  },
})

type CodePlace = Pick<Code, 'createdAt' | 'hash'>
const idOfCode = ({ createdAt, hash }: CodePlace): string => `${createdAt}.${Buffer.from(hash).toString('hex')}`
function placeOfCode(id: string): CodePlace {
  const [, createdAt, hash = ''] = PLACE.exec(id) ?? []
  return { createdAt: Number(createdAt), hash: Buffer.from(hash, 'hex') }
}

function codeRow(code: Code, names: ReadonlyMap<bigint, string>, now: number) {
  const isExpired = code.expiresAt !== undefined && code.expiresAt <= now
  const open = isExpired ? 'expired' : 'open'
  return {
    id: idOfCode(code),
    label: code.label,
    last_four: code.lastFour,
    amount_usd: formatUsd(code.amount),
    state: code.redeemed ? 'redeemed' : code.revokedAt === undefined ? open : 'revoked',
    created_at: isoTime(code.createdAt),
    expires_at: code.expiresAt === undefined ? null : isoTime(code.expiresAt),
    redeemed_at: code.redeemed === undefined ? null : isoTime(code.redeemed.at),
    redeemed_by: code.redeemed === undefined ? null : String(code.redeemed.by),
    redeemed_by_name: code.redeemed === undefined ? null : (names.get(code.redeemed.by) ?? ''),
    revoked_at: code.revokedAt === undefined ? null : isoTime(code.revokedAt),
  }
}

/** Those that are not redeemed yet. */
export const revokeCodes = operation({
  name: 'code revoke',
  permission: 'money',
  route: {
    at: 'POST codes/revoke',
    summary: 'Revokes unredeemed codes, by label or one by one',
    output: REVOKED_CODES,
    example: { body: { label: 'spring' } },
  },
  input: fields({ label: optional(LABEL), code: optional(REDEMPTION.properties.code) }),
  async run(context, { label, code }) {
    if ((label === undefined) === (code === undefined))
      throw rejected('email_or_name', { field: 'code', other: 'label' })
    const hash = code === undefined ? undefined : hashCode(code)
    if (code !== undefined && hash === undefined) throw rejected('unknown_code', { field: 'code' })
    const which = hash ? { hash } : { label: label?.trim() ?? '' }
    const after = hash ? { code: fingerprint(hash) } : { label: label?.trim() ?? '' }
    const effects = await revokeEffects(context, label?.trim())
    return { revoked: await audited(context, 'code revoke', { object: 'codes', after, effects }).codes.revoke(which) }
  },
})

async function revokeEffects({ dryRun, storage }: OperationContext, label: string | undefined): Promise<Effects> {
  if (!dryRun || label === undefined) return {}
  const [batch] = await storage.codes.batches({ label }, 1)
  return { codes: batch?.open ?? 0, open_usd: formatUsd(batch?.openAmount ?? 0n) }
}

/** Codes are guessed at most a few times an hour. */
export const redeemCode = operation({
  name: 'code redeem',
  permission: 'money',
  forHolders: true,
  input: fields({ account: ACCOUNT, ...REDEMPTION.properties }),
  async run(context, { account: named, code }) {
    const { id } = await findAccount(context, named)
    const limit = { subject: `redeem by account ${id}`, most: MOST_TRIES, windowMs: HOUR_MS }
    const waitMs = await context.storage.signIns.countAttempt([limit])
    if (waitMs !== undefined) throw rejected('too_many_codes', { retryAfter: Math.ceil(waitMs / 1_000) })
    const hash = hashCode(code)
    if (hash === undefined) throw rejected('unknown_code', { field: 'code' })
    const entry = { object: `account/${id}`, after: { code: fingerprint(hash) } }
    const redeemed = await audited(context, 'code redeem', entry).codes.redeem(id, hash)
    if (typeof redeemed === 'string') throw rejected(REASONS[redeemed], { field: 'code' })
    return { amount_usd: formatUsd(redeemed.amount), balance_usd: formatUsd(redeemed.balance) }
  },
})

const REASONS = {
  unknown: 'unknown_code',
  used: 'code_used',
  revoked: 'code_revoked',
  expired: 'code_expired',
  too_much: 'balance_too_large',
} as const

function hashOf(code: string): Uint8Array {
  const hash = hashCode(code)
  if (!hash) throw new Error('a new code is not a code')
  return hash
}
