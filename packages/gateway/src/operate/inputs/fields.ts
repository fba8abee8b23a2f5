// How fields that several operations take are read, after their schemas were checked.
import type { Static } from 'typebox'
import { type Nanos, parseUsd } from '../../money/amount.ts'
import type { Limits } from '../../money/limits.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import { fields } from '../../request/schema/schema.ts'
import type { AccountChanges } from '../../storage/storage.ts'
import { rejected } from '../rejections.ts'
import { CAP, type LIMITS } from './schemas.ts'

const WRITTEN_CAP = fields(CAP)
export type WrittenCap = Static<typeof WRITTEN_CAP>

/** Only the fields that are present. `present`: the present cap. */
export function readCap(
  { cap_usd, cap_period }: WrittenCap,
  present: Nanos | undefined,
): Pick<AccountChanges, 'cap' | 'capPeriod'> {
  const terms: Pick<AccountChanges, 'cap' | 'capPeriod'> = {}
  if (cap_usd !== undefined) terms.cap = cap_usd === null ? undefined : readAmount(cap_usd)
  const cap = 'cap' in terms ? terms.cap : present
  if ('cap' in terms && cap === undefined) terms.capPeriod = undefined
  if (cap_period === undefined) return terms
  if (cap_period !== null && cap === undefined)
    throw rejected('missing_field', { field: 'cap_period', other: 'cap_usd' })
  return { ...terms, capPeriod: cap_period ?? undefined }
}

export function readAmount(written: string): Nanos {
  const amount = parseUsd(written)
  if (amount === undefined) throw new Error('an amount was not checked')
  return amount
}

/** A wrong year or zone would make something that never works. */
export function readFuture(field: string, written: string): number {
  const [time = 0, now] = [parseIsoTime(written), Date.now()]
  if (time <= now) throw rejected('past', { field, time: isoTime(time), now: isoTime(now) })
  return time
}

const LIMIT_NAMES = { rpm: 'requestsPerMinute', tpm: 'tokensPerMinute', concurrent: 'concurrent' } as const

/** Only the limits that are present. */
export function readLimits(written: Static<typeof LIMITS>): Partial<Limits> {
  const limits: Partial<Limits> = {}
  for (const name of ['rpm', 'tpm', 'concurrent'] as const) {
    const limit = written[name]
    if (limit !== undefined) limits[LIMIT_NAMES[name]] = limit ?? undefined
  }
  return limits
}

export const isoTime = (ms: number): string => new Date(ms).toISOString()
