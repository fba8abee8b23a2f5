// Validates the options of `key create`, `key limit` and `account limit` before anything is written.

import { networkErrors } from '../../access/origin.ts'
import type { FileConfig, Group } from '../../config/types.ts'
import { type Nanos, parseUsd, UNLIMITED_CREDIT } from '../../money/amount.ts'
import { type Limits, PERIODS, type Period } from '../../money/limits.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import type { AccountChanges, KeyChanges } from '../../storage/storage.ts'
import { CommandError, UsageError } from '../errors.ts'

type Values = Readonly<Record<string, string>>

/** Option -> limit. */
const LIMIT_OPTIONS = [
  ['rpm', 'requestsPerMinute'],
  ['tpm', 'tokensPerMinute'],
  ['concurrent', 'concurrent'],
] as const

export const LIMIT_NAMES = LIMIT_OPTIONS.map(([name]) => name)
export const CAP_NAMES = ['cap', 'cap-period'] as const
/** The options that restrict a key. */
export const TERM_NAMES = [...CAP_NAMES, 'expires', 'models', 'ips', ...LIMIT_NAMES] as const

const NONE = 'none'
const MOST = 1_000_000_000

/** The limits that are set. With `mayRemove`, `none` removes a limit. */
export function limitsOf(values: Values, mayRemove: boolean): Partial<Limits> {
  const limits: Partial<Limits> = {}
  for (const [name, limit] of LIMIT_OPTIONS) {
    const given = values[name]
    if (given !== undefined)
      limits[limit] = mayRemove && given === NONE ? undefined : wholeNumber(name, given, mayRemove)
  }
  return limits
}

function wholeNumber(name: string, given: string, mayRemove: boolean): number {
  const number = /^\d{1,10}$/.test(given) ? Number(given) : 0
  if (number >= 1 && number <= MOST) return number
  const orNone = mayRemove ? ", or 'none' for no limit" : ''
  throw new UsageError(`--${name} must be a whole number from 1 to ${MOST}${orNone}, not '${given}'`)
}

/** The terms of an account that are set on the command line; `none` removes one. `cap`: the current cap. */
export function accountTermsOf(values: Values, cap: Nanos | undefined): AccountChanges {
  return { ...limitsOf(values, true), ...capTermsOf(values, cap, true) }
}

export function creditLineOf(given: string): Nanos {
  if (given === 'unlimited') return UNLIMITED_CREDIT
  const line = parseUsd(given)
  if (line === undefined || line < 0n)
    throw new UsageError(`--amount must be an amount in USD such as 500, or 'unlimited', not '${given}'`)
  return line
}

type CapTerms = Pick<KeyChanges, 'cap' | 'capPeriod'>

/** Removing the cap also removes its period. `known`: the current cap. */
function capTermsOf(values: Values, known: Nanos | undefined, mayRemove: boolean): CapTerms {
  const { cap, 'cap-period': period } = values
  const terms: CapTerms = {}
  if (cap !== undefined) terms.cap = mayRemove && cap === NONE ? undefined : capOf(cap)
  if (cap !== undefined && terms.cap === undefined) terms.capPeriod = undefined
  const then = 'cap' in terms ? terms.cap : known
  if (period !== undefined) terms.capPeriod = mayRemove && period === NONE ? undefined : periodOf(period, then)
  return terms
}

/** `cap`: the current cap. `mayRemove`: `none` removes a term. */
type About = { group: Group | undefined; cap: Nanos | undefined; mayRemove: boolean }

/** The terms of a key that are set on the command line. */
export function termsOf(values: Values, about: About, config: FileConfig, now: number): KeyChanges {
  const { group, mayRemove } = about
  const { expires, models, ips } = values
  const unlessNone = <Read>(given: string, read: (given: string) => Read): Read | undefined =>
    mayRemove && given === NONE ? undefined : read(given)
  const terms: KeyChanges = { ...limitsOf(values, mayRemove), ...capTermsOf(values, about.cap, mayRemove) }
  if (expires !== undefined) terms.expiresAt = unlessNone(expires, (given) => timeOf(given, now))
  if (models !== undefined) terms.models = unlessNone(models, (given) => modelsOf(given, group, config))
  if (ips !== undefined) terms.networks = unlessNone(ips, networksOf)
  return terms
}

export function amountOf(text: string, option: string): Nanos {
  const nanos = parseUsd(text)
  if (nanos === undefined) throw new UsageError(`--${option} must be an amount in USD such as 12.50, not '${text}'`)
  return nanos
}

function capOf(given: string): Nanos {
  const cap = amountOf(given, 'cap')
  if (cap <= 0n) throw new UsageError('--cap must be more than zero')
  return cap
}

function periodOf(given: string, cap: Nanos | undefined): Period {
  const period = PERIODS.find((each) => each === given)
  if (!period) throw new UsageError(`--cap-period must be one of ${PERIODS.join(', ')}, not '${given}'`)
  if (cap === undefined) throw new UsageError('--cap-period requires --cap')
  return period
}

export function timeOf(expires: string, now: number): number {
  const time = parseIsoTime(expires)
  if (time === undefined)
    throw new UsageError(`--expires must be a time such as 2027-01-31T12:00:00Z, not '${expires}'`)
  // A wrong year or zone would create a key that never works.
  if (time <= now) {
    const [given, present] = [time, now].map((each) => new Date(each).toISOString())
    throw new UsageError(`--expires must be in the future: ${given} has passed (it is ${present} now)`)
  }
  return time
}

function modelsOf(given: string, group: Group | undefined, config: FileConfig): string[] {
  const models = listOf('models', given)
  const known = [...config.models.keys()]
  const unknown = models.filter((id) => !known.includes(id))
  if (unknown.length > 0) {
    throw new CommandError(`unknown models: ${unknown.join(', ')} (available: ${known.join(', ')})`)
  }
  // If the group no longer exists, the key cannot use any model anyway.
  const elsewhere = models.filter((id) => !group?.models.includes('*') && !group?.models.includes(id))
  if (group && elsewhere.length > 0)
    throw new CommandError(`group '${group.id}' does not include the models: ${elsewhere.join(', ')}`)
  return models
}

function networksOf(given: string): string[] {
  const networks = listOf('ips', given)
  const mistakes = networkErrors(networks)
  if (mistakes.length > 0) throw new UsageError(`--ips: ${mistakes.join('; ')}`)
  return networks
}

function listOf(name: string, given: string): string[] {
  const entries = given.split(',').map((entry) => entry.trim())
  if (entries.includes(''))
    throw new UsageError(`--${name} must be a list such as A,B without empty entries, not '${given}'`)
  return [...new Set(entries)]
}
