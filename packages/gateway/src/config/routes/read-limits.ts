// Field `limits` of an upstream and of a route: what all processes together may use.
import { formatUsd } from '../../money/amount.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { type Fields, fieldsOf, type Reader } from '../../yaml/fields.ts'
import { readInteger, readUsd } from '../../yaml/scalars.ts'
import type { RequestLimits } from '../types.ts'

const LIMIT_FIELDS = { rpm: true, tpm: true, usd_per_day: true, concurrent: true } as const
const EXAMPLE = 'limits: { rpm: 500, tpm: 200000, usd_per_day: 50, concurrent: 20 }'
/** In nano-USD, so that sums of them are exact in a double. */
const MOST_NANOS = 1_000_000_000_000_000n

/** Absent where nothing is limited. */
export function readLimitsOf(fields: Fields): { limits?: RequestLimits } {
  const limits = fields.optional<RequestLimits | undefined>('limits', readRequestLimits, undefined)
  return limits && Object.keys(limits).length > 0 ? { limits } : {}
}

function readRequestLimits(value: YamlValue): RequestLimits | undefined {
  const fields = fieldsOf(value, LIMIT_FIELDS, EXAMPLE)
  if (!fields) return undefined
  const found = {
    rpm: optional(fields, 'rpm', readInteger({ min: 1, max: 100_000_000 })),
    tpm: optional(fields, 'tpm', readInteger({ min: 1, max: 1_000_000_000_000 })),
    usd_per_day: optional(fields, 'usd_per_day', readNanos),
    concurrent: optional(fields, 'concurrent', readInteger({ min: 1, max: 1_000_000 })),
  }
  return Object.fromEntries(Object.entries(found).filter(([, limit]) => limit !== undefined))
}

const optional = (fields: Fields, name: string, read: Reader<number>) =>
  fields.optional<number | undefined>(name, read, undefined)

function readNanos(value: YamlValue): number | undefined {
  const nanos = readUsd(value)
  if (nanos === undefined || (nanos > 0n && nanos <= MOST_NANOS)) return nanos === undefined ? undefined : Number(nanos)
  addMistake(value, `must be above 0 and at most ${formatUsd(MOST_NANOS)}; to use an upstream no more, disable it`)
  return undefined
}
