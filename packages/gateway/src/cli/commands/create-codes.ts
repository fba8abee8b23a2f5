// `code create`: redemption codes, which account holders turn into credit in the console.
import { hashCode, newCode } from '../../access/secrets/redemption-code.ts'
import { formatUsd } from '../../money/amount.ts'
import type { Storage } from '../../storage/storage.ts'
import { UsageError } from '../errors.ts'
import { amountOf, timeOf } from './key-options.ts'

const MOST_CODES = 10_000

export async function createCodes(
  { codes }: Pick<Storage, 'codes'>,
  { amount = '', count = '1', expires }: Readonly<Record<string, string>>,
): Promise<unknown> {
  const nanos = amountOf(amount, 'amount')
  if (nanos <= 0n) throw new UsageError('--amount must be more than zero')
  const number = /^\d{1,6}$/.test(count) ? Number(count) : 0
  if (number < 1 || number > MOST_CODES)
    throw new UsageError(`--count must be a whole number from 1 to ${MOST_CODES}, not '${count}'`)
  const expiresAt = expires === undefined ? undefined : timeOf(expires, Date.now())
  const created = Array.from({ length: number }, newCode)
  await codes.create(created.map((code) => ({ hash: hashOf(code), amount: nanos, expiresAt })))
  const expiresText = expiresAt === undefined ? null : new Date(expiresAt).toISOString()
  return created.map((code) => ({ code, amount_usd: formatUsd(nanos), expires_at: expiresText }))
}

function hashOf(code: string): Uint8Array {
  const hash = hashCode(code)
  if (!hash) throw new Error('a new code is not a code')
  return hash
}
