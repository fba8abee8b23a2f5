// The table columns of accounts, keys and usage; --json has all fields.
import { type Column, table } from '../table.ts'

export type Shown = Readonly<Record<string, unknown>>

export const text = (title: string, name: string): Column<Shown> => ({ title, cell: (row) => cellOf(row[name]) })
export const figure = (title: string, name: string): Column<Shown> => ({ ...text(title, name), right: true })

function cellOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  return Array.isArray(value) ? value.join(',') : String(value)
}

/** Times without milliseconds and `T`, to keep the column narrow. */
export const time = (title: string, name: string): Column<Shown> => ({
  title,
  cell: (row) =>
    cellOf(row[name])
      ?.replace('T', ' ')
      .replace(/\.\d+Z$/, 'Z'),
})

const LIMITS = [figure('rpm', 'rpm'), figure('tpm', 'tpm'), figure('concurrent', 'concurrent')]

const ACCOUNT: readonly Column<Shown>[] = [
  figure('id', 'id'),
  text('name', 'name'),
  { title: 'email', cell: ({ name, email }) => (email === name ? undefined : cellOf(email)) },
  figure('balance usd', 'balance_usd'),
  figure('held usd', 'held_usd'),
  figure('spent this month', 'spent_this_month_usd'),
  { title: 'state', cell: (row) => (row.deleted_at ? 'deleted' : row.disabled === true ? 'disabled' : 'active') },
  ...LIMITS,
  time('created', 'created_at'),
]

const KEY: readonly Column<Shown>[] = [
  figure('id', 'id'),
  text('name', 'name'),
  text('group', 'group'),
  text('state', 'state'),
  figure('spent usd', 'spent_usd'),
  figure('cap usd', 'cap_usd'),
  text('per', 'cap_period'),
  ...LIMITS,
  text('models', 'models'),
  text('ips', 'ips'),
  { title: 'made by', cell: (row) => madeBy(row) },
  time('expires', 'expires_at'),
  time('created', 'created_at'),
]

/** Who made a key, an admin key or an invitation; undefined: the command line, or an operator. */
const madeBy = ({ made_by_key_name: key, made_by_email: email }: Shown): string | undefined =>
  key ? `${String(key)} (admin key)` : cellOf(email)

const USAGE: readonly Column<Shown>[] = [
  time('time', 'at'),
  text('request', 'request_id'),
  figure('key', 'key_id'),
  text('model', 'model'),
  text('upstream', 'upstream'),
  text('outcome', 'outcome'),
  figure('cost usd', 'cost_usd'),
]

const AUDIT: readonly Column<Shown>[] = [
  time('time', 'at'),
  text('actor', 'actor'),
  text('from', 'address'),
  text('action', 'action'),
  text('object', 'object'),
  { title: 'before', cell: ({ before }) => fieldsIn(before) },
  { title: 'after', cell: ({ after }) => fieldsIn(after) },
  text('reason', 'reason'),
]

const fieldsIn = (value: unknown): string | undefined =>
  value === null
    ? undefined
    : Object.entries(value as object)
        .map(([name, each]) => `${name}=${JSON.stringify(each)}`)
        .join(' ')

const REJECTED: readonly Column<Shown>[] = [
  time('minute', 'minute'),
  text('account', 'account_id'),
  text('key', 'key_id'),
  text('code', 'code'),
  figure('count', 'count'),
  text('last request', 'last_request_id'),
  text('reason', 'reason'),
]

const CODE: readonly Column<Shown>[] = [
  text('code', 'code'),
  figure('amount usd', 'amount_usd'),
  time('expires', 'expires_at'),
]

const ALERT: readonly Column<Shown>[] = [
  figure('id', 'id'),
  text('rule', 'rule'),
  text('object', 'object'),
  text('state', 'state'),
  text('value', 'value'),
  time('since', 'since'),
  time('resolved', 'resolved_at'),
  time('muted until', 'muted_until'),
  { title: 'deliveries', cell: ({ deliveries }) => (deliveries as Shown[]).map(deliveryText).join('; ') },
]

const deliveryText = ({ event, target, state, tries, error }: Shown): string =>
  `${event} ${state} to ${target}${error === null ? '' : ` after ${tries} tries (${error})`}`

const ALERT_TEST: readonly Column<Shown>[] = [
  text('target', 'target'),
  { title: 'result', cell: ({ ok }) => (ok === true ? 'delivered' : 'FAILED') },
  text('error', 'error'),
]

const KEPT_CODE: readonly Column<Shown>[] = [
  text('label', 'label'),
  text('ends in', 'last_four'),
  figure('amount usd', 'amount_usd'),
  text('state', 'state'),
  time('created', 'created_at'),
  time('expires', 'expires_at'),
  time('redeemed', 'redeemed_at'),
  figure('by account', 'redeemed_by'),
]

const ADMIN_KEY: readonly Column<Shown>[] = [
  figure('id', 'id'),
  text('name', 'name'),
  text('role', 'role'),
  text('permissions', 'permissions'),
  text('ends in', 'last_four'),
  { title: 'made by', cell: (row) => madeBy(row) },
  time('created', 'created_at'),
  time('expires', 'expires_at'),
  time('last used', 'last_used_at'),
  text('ips', 'networks'),
]

const INVITATION: readonly Column<Shown>[] = [
  figure('id', 'id'),
  figure('account', 'account'),
  text('member role', 'member_role'),
  text('role', 'role'),
  text('email', 'email'),
  { title: 'made by', cell: (row) => madeBy(row) },
  time('created', 'created_at'),
  time('expires', 'expires_at'),
]

const IMPORTED: readonly Column<Shown>[] = [
  text('account', 'account'),
  figure('id', 'id'),
  text('result', 'result'),
  text('secret', 'secret'),
  text('sign-in link', 'sign_in_url'),
]

const ALERT_RULE: readonly Column<Shown>[] = [
  text('rule', 'id'),
  text('about', 'title'),
  text('threshold', 'threshold'),
  text('default', 'default_threshold'),
  text('off', 'off'),
  figure('open', 'open'),
  time('muted until', 'muted_until'),
]

export const shown = (columns: readonly Column<Shown>[]) => (result: unknown) =>
  table(columns, result as readonly Shown[])

export const showAccounts = shown(ACCOUNT)
export const showKeys = shown(KEY)
const [KEY_ID, ...KEY_FACTS] = KEY as [Column<Shown>, ...Column<Shown>[]]
/** Keys of several accounts. */
export const showKeysOfAll = shown([KEY_ID, text('account', 'account'), ...KEY_FACTS])
export const showCodes = shown(CODE)
export const showKeptCodes = shown(KEPT_CODE)
export const showAdminKeys = shown(ADMIN_KEY)
export const showInvitations = shown(INVITATION)
export const showImport = shown(IMPORTED)
export const showUsage = shown(USAGE)
export const showRejectedRequests = shown(REJECTED)
export const showAuditLog = shown(AUDIT)
export const showAlerts = shown(ALERT)
export const showAlertRules = shown(ALERT_RULE)

export const showAlertTest = (result: unknown): string =>
  table(ALERT_TEST, (result as { targets: readonly Shown[] }).targets)
