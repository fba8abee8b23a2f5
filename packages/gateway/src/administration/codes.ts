// Redemption codes, which operators create and account holders turn into credit.

import { hashCode, newCode } from '../access/secrets/redemption-code.ts'
import { formatUsd } from '../money/amount.ts'
import { fields, integer, nullable } from '../request/schema/schema.ts'
import { isoTime, readAmount, readFuture } from './inputs/fields.ts'
import { findAccount } from './inputs/find-account.ts'
import { ACCOUNT, EXPIRY, POSITIVE_AMOUNT, REDEMPTION } from './inputs/schemas.ts'
import { audited, fingerprint, operation } from './operation.ts'
import { rejected } from './rejections.ts'

const MOST_CODES = 10_000
const HOUR_MS = 3_600_000
const MOST_TRIES = 20

export const createCodes = operation({
  name: 'code create',
  permission: 'money',
  input: fields({
    amount_usd: POSITIVE_AMOUNT,
    count: integer({ min: 1, max: MOST_CODES }),
    /** Null: never. */
    expires_at: nullable(EXPIRY),
  }),
  async run(context, { amount_usd, count, expires_at }) {
    const amount = readAmount(amount_usd)
    const expiresAt = expires_at === null ? undefined : readFuture('expires_at', expires_at)
    const codes = Array.from({ length: count }, newCode)
    const hashed = codes.map((code) => ({ hash: hashOf(code), amount, expiresAt }))
    const each = { amount_usd: formatUsd(amount), expires_at: expiresAt === undefined ? null : isoTime(expiresAt) }
    const entry = { object: 'codes', after: { ...each, count } }
    await audited(context, 'code create', entry).codes.create(hashed)
    return codes.map((code) => ({ code, ...each }))
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
  expired: 'code_expired',
  too_much: 'balance_too_large',
} as const

function hashOf(code: string): Uint8Array {
  const hash = hashCode(code)
  if (!hash) throw new Error('a new code is not a code')
  return hash
}
