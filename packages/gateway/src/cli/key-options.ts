// The options of `key create` and `account limit`, checked: what is wrong is named before anything is written.
import type { FileConfig, Group } from '../config/types.ts'
import { mistakesIn } from '../journey/origin.ts'
import type { Nanos } from '../money/amount.ts'
import { type Limits, PERIODS, type Period } from '../money/limits.ts'
import type { Restrictions } from '../storage/storage.ts'
import { UsageError } from './args.ts'

type Values = Readonly<Record<string, string>>

/** Option -> limit. */
const LIMIT_OPTIONS = [
  ['rpm', 'requestsPerMinute'],
  ['tpm', 'tokensPerMinute'],
  ['concurrent', 'concurrent'],
] as const

export const LIMIT_NAMES = LIMIT_OPTIONS.map(([name]) => name)

const MOST = 1_000_000_000

/** What is not given stays as it is; `none` takes a limit away where there may be one already. */
export function limitsOf(values: Values, present: Limits, mayRemove: boolean): Limits {
  const limits = { ...present }
  for (const [name, limit] of LIMIT_OPTIONS) {
    const given = values[name]
    if (given !== undefined)
      limits[limit] = mayRemove && given === 'none' ? undefined : wholeNumber(name, given, mayRemove)
  }
  return limits
}

function wholeNumber(name: string, given: string, mayRemove: boolean): number {
  const number = /^\d{1,10}$/.test(given) ? Number(given) : 0
  if (number >= 1 && number <= MOST) return number
  const orNone = mayRemove ? ", or 'none' for no limit" : ''
  throw new UsageError(`--${name} must be a whole number from 1 to ${MOST}${orNone}, not '${given}'`)
}

export function periodOf(given: string | undefined, cap: Nanos | undefined): Period | undefined {
  if (given === undefined) return undefined
  const period = PERIODS.find((each) => each === given)
  if (!period) throw new UsageError(`--cap-period must be one of ${PERIODS.join(', ')}, not '${given}'`)
  if (cap === undefined) throw new UsageError('--cap-period says how often --cap renews: give --cap, too')
  return period
}

export function restrictionsOf({ models, ips }: Values, group: Group, config: FileConfig): Restrictions {
  return {
    models: models === undefined ? undefined : modelsOf(models, group, config),
    networks: ips === undefined ? undefined : networksOf(ips),
  }
}

function modelsOf(given: string, group: Group, config: FileConfig): string[] {
  const models = listOf('models', given)
  const unknown = models.filter((id) => !config.models.has(id))
  if (unknown.length > 0) {
    const known = [...config.models.keys()].join(', ')
    throw new UsageError(`--models names what does not exist: ${unknown.join(', ')}; there are: ${known}`)
  }
  const elsewhere = models.filter((id) => !group.models.includes('*') && !group.models.includes(id))
  if (elsewhere.length > 0)
    throw new UsageError(`--models names what the group '${group.id}' does not have: ${elsewhere.join(', ')}`)
  return models
}

function networksOf(given: string): string[] {
  const networks = listOf('ips', given)
  const mistakes = mistakesIn(networks)
  if (mistakes.length > 0) throw new UsageError(`--ips: ${mistakes.join('; ')}`)
  return networks
}

function listOf(name: string, given: string): string[] {
  const entries = given.split(',').map((entry) => entry.trim())
  if (entries.includes(''))
    throw new UsageError(`--${name} must be a list such as A,B without empty entries, not '${given}'`)
  return [...new Set(entries)]
}
