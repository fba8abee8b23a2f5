// From the text of options to the input of operations, and from rejections back to options. Text in a wrong form is passed on as it is: the
// operation says what is wrong with it.
import { messageOf, type OperationRejected, REJECTIONS } from '../../administration/rejections.ts'
import { CommandError, UsageError } from '../errors.ts'

export type Values = Readonly<Record<string, string>>

/** The option of each field of an input. */
const OPTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'account',
      'email',
      'password',
      'name',
      'group',
      'models',
      'model',
      'count',
      'limit',
      'reason',
      'role',
      'object',
      'key',
      'since',
      'state',
      'by',
      'from',
      'to',
      'label',
      'id',
      'kind',
      'upstream',
      'outcome',
      'link',
      'links',
    ].map((name) => [name, name]),
  ),
  credit_usd: 'credit',
  amount_usd: 'amount',
  credit_line_usd: 'amount',
  member_of: 'member-of',
  cap_usd: 'cap',
  cap_period: 'cap-period',
  expires_at: 'expires',
  networks: 'ips',
  person: 'email',
  group_by: 'by',
  error_code: 'error-code',
  client_request_id: 'client-id',
  upstream_request_id: 'vendor-id',
  grace_seconds: 'grace',
  'limits.rpm': 'rpm',
  'limits.tpm': 'tpm',
  'limits.concurrent': 'concurrent',
}

const NONE = 'none'
export const LIMIT_NAMES = ['rpm', 'tpm', 'concurrent'] as const
export const CAP_NAMES = ['cap', 'cap-period'] as const
/** The options that restrict a key. */
export const TERM_NAMES = [...CAP_NAMES, 'expires', 'models', 'ips', ...LIMIT_NAMES] as const

/** `none` removes a limit. */
export const accountTermsInput = (values: Values): Record<string, unknown> =>
  present([...capFields(values, true), limitsField(values, true)])

/** `mayRemove`: `none` removes a term. */
export const termsInput = (values: Values, mayRemove: boolean): Record<string, unknown> =>
  present([
    ...capFields(values, mayRemove),
    ['expires_at', unlessNone(values.expires, mayRemove, time)],
    ['models', unlessNone(values.models, mayRemove, (text) => list('models', text))],
    ['networks', unlessNone(values.ips, mayRemove, (text) => list('ips', text))],
    limitsField(values, mayRemove),
  ])

type Field = readonly [string, unknown]

const capFields = (values: Values, mayRemove: boolean): readonly Field[] => [
  ['cap_usd', unlessNone(values.cap, mayRemove)],
  ['cap_period', unlessNone(values['cap-period'], mayRemove)],
]

/** The period of a member's cap cannot be removed. */
export const memberCapInput = (values: Values): readonly Field[] => [
  ['cap_usd', unlessNone(values.cap, true)],
  ['cap_period', values['cap-period']],
]

function limitsField(values: Values, mayRemove: boolean): Field {
  const limits = present(LIMIT_NAMES.map((name) => [name, unlessNone(values[name], mayRemove, wholeNumber)]))
  return ['limits', Object.keys(limits).length === 0 ? undefined : limits]
}

/** Without the fields whose options are absent. */
export const present = (fields: readonly Field[]): Record<string, unknown> =>
  Object.fromEntries(fields.filter(([, value]) => value !== undefined))

function unlessNone(text: string | undefined, mayRemove: boolean, read = (text: string): unknown => text): unknown {
  if (text === undefined) return undefined
  return mayRemove && text === NONE ? null : read(text)
}

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
export function commandError({ rejection, all }: OperationRejected, values: Values, mayRemove: boolean): CommandError {
  if (rejection.reason === 'configuration_mistake') return new UsageError(all.map((each) => messageOf(each)).join('; '))
  const { reason, details } = rejection
  const field = String(details.field ?? '').replace(/\[\d+\]$/, '')
  // A password is not printed.
  const given = field === 'password' ? undefined : values[optionNamed(field, values) ?? '']
  const or = mayRemove ? "'none'" : ''
  const shown = {
    ...details,
    ...(details.or === undefined ? {} : { or }),
    ...(given === undefined ? {} : { given }),
  }
  const message = messageOf({ reason, details: shown }, (name) => optionOf(name, values))
  const line = `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`.replace(/\.$/, '')
  return REJECTIONS[reason].isInput ? new UsageError(line) : new CommandError(line)
}

/** Two commands take the credit line beside an amount, or in its place. */
const optionNamed = (field: string, values: Values): string | undefined =>
  field === 'credit_line_usd' && values['credit-line'] !== undefined ? 'credit-line' : OPTIONS[field]

function optionOf(field: string, values: Values): string {
  const option = optionNamed(field.replace(/\[\d+\]$/, ''), values)
  return option === undefined ? field : `--${option}`
}
