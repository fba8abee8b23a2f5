// Fields that several operations take: their schemas, and how they are read.
import Type, { type Static } from 'typebox'
import { type Nanos, parseUsd } from '../../money/amount.ts'
import { type Limits, PERIODS } from '../../money/limits.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import type { AccountChanges } from '../../storage/storage.ts'
import { rejected } from '../rejections.ts'

/** An object with these fields and no others. */
export const closed = <Fields extends Type.TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })

/** As callers name an account. */
export const ACCOUNT = Type.String({ minLength: 1, maxLength: 320 })
export const EMAIL = Type.String({ maxLength: 320 })

export function checkEmail(email: string): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw rejected('malformed', { field: 'email', wanted: 'an email address' })
}

/** Decimal text, which no reader of JSON rounds. */
export const AMOUNT = Type.String({ maxLength: 30 })
export const TIME = Type.String({ maxLength: 40 })
export const NAME = Type.String({ minLength: 1, maxLength: 200 })
/** The row that a page of a list comes after. */
export const BEFORE = Type.Optional(Type.String({ maxLength: 40 }))
/** How many rows a page has at most. */
export const LIMIT = Type.Integer({ minimum: 1, maximum: 1_000 })

const RATE = Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), Type.Null()]))
/** Null removes a limit; an absent one stays. */
export const LIMITS = Type.Object({ rpm: RATE, tpm: RATE, concurrent: RATE }, { additionalProperties: false })

/** Null removes a cap and its period, or the period alone; an absent field stays. */
export const CAP = {
  cap_usd: Type.Optional(Type.Union([AMOUNT, Type.Null()])),
  cap_period: Type.Optional(Type.Union([...PERIODS.map((period) => Type.Literal(period)), Type.Null()])),
}
const WRITTEN_CAP = Type.Object(CAP)

/** Only the fields that are present. `present`: the present cap. */
export function readCap(
  { cap_usd, cap_period }: Static<typeof WRITTEN_CAP>,
  present: Nanos | undefined,
): Pick<AccountChanges, 'cap' | 'capPeriod'> {
  const terms: Pick<AccountChanges, 'cap' | 'capPeriod'> = {}
  if (cap_usd !== undefined) terms.cap = cap_usd === null ? undefined : readPositive('cap_usd', cap_usd)
  const cap = 'cap' in terms ? terms.cap : present
  if ('cap' in terms && cap === undefined) terms.capPeriod = undefined
  if (cap_period === undefined) return terms
  if (cap_period !== null && cap === undefined) throw rejected('missing_cap', { field: 'cap_period', other: 'cap_usd' })
  return { ...terms, capPeriod: cap_period ?? undefined }
}

export function readAmount(field: string, written: string): Nanos {
  const amount = parseUsd(written)
  if (amount === undefined) throw rejected('malformed', { field, wanted: 'an amount in USD such as 12.50' })
  return amount
}

export function readPositive(field: string, written: string): Nanos {
  const amount = readAmount(field, written)
  if (amount <= 0n) throw rejected('not_positive', { field })
  return amount
}

/** A wrong year or zone would make something that never works. */
export function readFuture(field: string, written: string): number {
  const time = written.includes('T') ? parseIsoTime(written) : undefined
  if (time === undefined) throw rejected('malformed', { field, wanted: 'a time such as 2027-01-31T12:00:00Z' })
  const now = Date.now()
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
