// From the text of options to the input of operations, and from rejections back to options. Text in a wrong form is passed on as it is: the
// operation says what is wrong with it.
import { messageOf, type OperationRejected, REJECTIONS } from '../../operate/rejections.ts'
import type { Option } from '../command.ts'
import { CommandError, UsageError } from '../errors.ts'

type Values = Readonly<Record<string, string>>
/** What a rejection is told in the words of. */
type Taking = { options: readonly Option[]; mayRemove?: boolean }

export const LIMIT_NAMES = ['rpm', 'tpm', 'concurrent'] as const

/** The options whose name is not that of their field. */
export const OPTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  credit_usd: ['credit'],
  amount_usd: ['amount'],
  credit_line_usd: ['credit-line', 'amount'],
  cap_usd: ['cap'],
  expires_at: ['expires'],
  networks: ['ips'],
  person: ['email'],
  group_by: ['by'],
  from: ['from', 'since', 'source'],
  client_request_id: ['client-id'],
  upstream_request_id: ['vendor-id'],
  grace_seconds: ['grace'],
  ...Object.fromEntries(LIMIT_NAMES.map((name) => [`limits.${name}`, [name]])),
}

export const CAP_NAMES = ['cap', 'cap-period'] as const
/** The options that restrict a key. */
export const TERM_NAMES = [...CAP_NAMES, 'expires', 'models', 'ips', 'tags', 'tags-locked', ...LIMIT_NAMES] as const

export const wholeNumber = (text: string): number | string => (/^\d{1,15}$/.test(text) ? Number(text) : text)

/** A day begins at midnight, UTC. */
export const time = (text: string): string => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A time, or one before now: `today`, `yesterday` and `7d` are midnights (UTC), `24h` is so many hours before the present full hour. */
export function pastTime(text: string, now = Date.now()): string {
  const [, count = '', unit] = /^(\d{1,4})([dh])$/.exec(text) ?? []
  const days = text === 'today' ? 0 : text === 'yesterday' ? 1 : unit === 'd' ? Number(count) : undefined
  const before = (step: number, steps: number) => new Date(now - (now % step) - steps * step).toISOString()
  if (days !== undefined) return before(DAY_MS, days)
  return unit === 'h' ? before(HOUR_MS, Number(count)) : time(text)
}

export function list(name: string, text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  if (!entries.includes('')) return entries
  throw new UsageError(`--${name} must be a list such as A,B without empty entries, not '${text}'`)
}

/**
 * The rejection in the words of the command line: its options, and what was written there. Of an entry of the configuration all mistakes are
 * told, as of a file.
 */
export function commandError({ rejection, all }: OperationRejected, values: Values, command: Taking): CommandError {
  if (rejection.reason === 'configuration_mistake') return new UsageError(all.map((each) => messageOf(each)).join('; '))
  const { reason, details } = rejection
  const field = String(details.field ?? '').replace(FIELD_ENTRY, '')
  // A password is not printed.
  const given = field === 'password' ? undefined : values[optionOf(field, command) ?? '']
  const or = command.mayRemove ? "'none'" : ''
  const shown = {
    ...details,
    ...(details.or === undefined ? {} : { or }),
    ...(given === undefined ? {} : { given }),
  }
  const message = messageOf({ reason, details: shown }, (name) => {
    const option = optionOf(name.replace(FIELD_ENTRY, ''), command)
    return option === undefined ? name : `--${option}`
  })
  const line = `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`.replace(/\.$/, '')
  return REJECTIONS[reason].isInput ? new UsageError(line) : new CommandError(line)
}

/** The option of the command that sets the field. */
export function optionOf(field: string, { options }: Taking): string | undefined {
  const names = [...(OPTIONS_OF[field] ?? []), field.replaceAll('_', '-')]
  return options.find(({ name }) => names.includes(name))?.name
}

const FIELD_ENTRY = /\[\d+\]$/
