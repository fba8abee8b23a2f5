// Redemption codes, which operators create and account holders turn into credit.

import { hashCode, newCode } from '../access/secrets/redemption-code.ts'
import { formatUsd } from '../money/amount.ts'
import { fields, integer, nullable, optional, textLike } from '../request/schema/schema.ts'
import type { Code } from '../storage/storage.ts'
import { isoTime, readAmount, readFuture } from './inputs/fields.ts'
import { findAccount } from './inputs/find-account.ts'
import { type Range, readPage } from './inputs/page.ts'
import { ACCOUNT, EXPIRY, LIMIT, NAME, POSITIVE_AMOUNT, REDEMPTION } from './inputs/schemas.ts'
import { audited, fingerprint, operation } from './operation.ts'
import { rejected } from './rejections.ts'

const MOST_CODES = 10_000
const HOUR_MS = 3_600_000
const LABEL = NAME
const MOST_TRIES = 20
const PLACE = /^(\d{1,15})\.([0-9a-f]{64})$/
const CODE_ID = textLike((value) => PLACE.test(value), 'be the id of a code')

export const createCodes = operation({
  name: 'code create',
  permission: 'money',
  isDangerous: true,
  input: fields({
    amount_usd: POSITIVE_AMOUNT,
    count: optional(integer({ min: 1, max: MOST_CODES })),
    /** Null: never. */
    expires_at: optional(nullable(EXPIRY)),
    /** Of the batch. */
    label: optional(LABEL),
  }),
  async run(context, { amount_usd, count = 1, expires_at = null, label = '' }) {
    const amount = readAmount(amount_usd)
    const expiresAt = expires_at === null ? undefined : readFuture('expires_at', expires_at)
    const codes = Array.from({ length: count }, newCode)
    const hashed = codes.map((code) => ({ hash: hashOf(code), amount, expiresAt, label, lastFour: code.slice(-4) }))
    const each = { amount_usd: formatUsd(amount), expires_at: expiresAt === undefined ? null : isoTime(expiresAt) }
    const entry = { object: 'codes', after: { ...each, count, label } }
    await audited(context, 'code create', entry).codes.create(hashed)
    return codes.map((code) => ({ code, ...each }))
  },
})

export const listCodes = operation({
  name: 'code list',
  permission: 'see',
  input: fields({
    label: optional(LABEL),
    after: optional(CODE_ID),
    before: optional(CODE_ID),
    limit: optional(LIMIT),
  }),
  /** Newest first. The codes themselves are not kept. */
  async run({ storage }, { label, ...page }) {
    const of = label === undefined ? {} : { label: label.trim() }
    const read = (range: Range<CodePlace>, limit: number) => storage.codes.list({ ...of, ...range }, limit)
    const { items, next } = await readPage(page, read, idOfCode, placeOfCode)
    return { items: items.map((code) => codeRow(code, Date.now())), next }
  },
})

type CodePlace = Pick<Code, 'createdAt' | 'hash'>
const idOfCode = ({ createdAt, hash }: CodePlace): string => `${createdAt}.${Buffer.from(hash).toString('hex')}`
function placeOfCode(id: string): CodePlace {
  const [, createdAt, hash = ''] = PLACE.exec(id) ?? []
  return { createdAt: Number(createdAt), hash: Buffer.from(hash, 'hex') }
}

function codeRow(code: Code, now: number) {
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
    revoked_at: code.revokedAt === undefined ? null : isoTime(code.revokedAt),
  }
}

/** Those that are not redeemed yet. */
export const revokeCodes = operation({
  name: 'code revoke',
  permission: 'money',
  input: fields({ label: optional(LABEL), code: optional(REDEMPTION.properties.code) }),
  async run(context, { label, code }) {
    if ((label === undefined) === (code === undefined))
      throw rejected('email_or_name', { field: 'code', other: 'label' })
    const hash = code === undefined ? undefined : hashCode(code)
    if (code !== undefined && hash === undefined) throw rejected('unknown_code', { field: 'code' })
    const which = hash ? { hash } : { label: label?.trim() ?? '' }
    const after = hash ? { code: fingerprint(hash) } : { label: label?.trim() ?? '' }
    return { revoked: await audited(context, 'code revoke', { object: 'codes', after }).codes.revoke(which) }
  },
})

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
