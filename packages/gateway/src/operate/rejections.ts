// Why operations reject what they are asked: every reason once, with its message. Callers render it: the console and the admin API by code
// and status, the command line with the names of its options.
import type { Static, TSchema } from 'typebox'
import { type InputError, inputErrors } from '../request/schema/check.ts'
import { BUDGET_REJECTIONS } from './budgets/rejections.ts'
import {
  type Details,
  type Field,
  input,
  type Nothing,
  type RejectionCode,
  type Rule,
  rule,
} from './rejection-rules.ts'

export { REJECTION_CODES, type RejectionCode } from './rejection-rules.ts'

const NO_CLIENT_KEY = 'This key belongs to the playground. It can be limited, but not rotated or deleted.'
export const REJECTIONS = {
  /** `or`: what would do, too. */
  malformed: input<Field & { must: string; or?: string; given?: string }>(
    ({ field, must, or, given }) =>
      `${field || 'The body'} must ${must}${or ? `, or ${or}` : ''}${given === undefined ? '' : `, not '${given}'`}.`,
  ),
  unknown_field: input<Field & { known: string }>(
    ({ field, known }) => `Unknown field '${field}'. The request takes ${known || 'no fields'}.`,
  ),
  past: input<Field & { time: string; now: string }>(
    ({ field, time, now }) => `${field} must be in the future: ${time} has passed (it is ${now} now).`,
  ),
  email_or_name: input<Field & { other: string }>(({ field, other }) => `Either ${field} or ${other} is required.`),
  missing_field: input<Field & { other: string }>(({ field, other }) => `${field} requires ${other}.`),
  exclusive: input<Field & { other: string }>(({ field, other }) => `${field} and ${other} exclude each other.`),
  empty_range: input<Field & { other: string }>(({ field, other }) => `${field} must be before ${other}.`),
  range_too_long: input<Field & { days: number }>(
    ({ field, days }) => `${field} must be at most ${days} days before the end of such a report.`,
  ),
  not_summed: input<Field & { message: string }>(({ field, message }) => `${field}: ${message}`),
  archived: input<Field & { time: string }>(
    ({ field, time }) => `${field} must not be before ${time}: details of earlier requests are archived.`,
  ),
  wrong_row: input<{ row: number; message: string }>(({ row, message }) => `Row ${row}: ${message}.`),
  wrong_tags: input<Field & { message: string }>(({ field, message }) => `${field}: ${message}`),
  wrong_networks: input<Field & { errors: string }>(({ field, errors }) => `${field}: ${errors}.`),

  forbidden: rule<{ permission: string }>(
    'forbidden',
    ({ permission }) => `This needs the permission '${permission}'.`,
  ),
  outranked: rule<Nothing>('forbidden', () => 'This person has the same role as you or a higher one.'),
  role_too_high: rule<Field & { role: string }>('forbidden', ({ role }) => `You cannot grant the role '${role}'.`),
  not_of_role: rule<Field & { role: string; permission: string }>(
    'bad_request',
    ({ role, permission }) => `The role '${role}' does not have the permission '${permission}'.`,
  ),
  owner_needed: rule<{ setting: string }>(
    'forbidden',
    ({ setting }) =>
      `Only an owner can change the setting '${setting}', because it could be used to sign in as an owner or to hide that.`,
  ),
  locks_out: rule<{ setting: string; address: string }>(
    'conflict',
    ({ setting, address }) =>
      `${setting} leaves out your own address, ${address}: you could not take this change back. Add it, or use the command line on the server.`,
  ),
  no_owner_at_provider: rule<{ providers: string }>(
    'conflict',
    ({ providers }) =>
      `sign_in.password cannot be off: no owner of this gateway has signed in at a provider that it has (${providers}). Sign in there as an owner first.`,
  ),
  unknown_alert: rule<{ alert: string }>(
    'not_found',
    ({ alert }) => `There is no open alert ${alert}. 'alert list --state open' lists them.`,
  ),
  not_muted: rule<{ alert: string }>('conflict', ({ alert }) => `The ${alert} is not muted.`),
  unknown_target: rule<Field & { target: string; known: string }>(
    'not_found',
    ({ target, known }) => `Alerts are not sent to '${target}' (targets: ${known || 'none'}).`,
  ),
  owner_only: rule<{ act: string }>('forbidden', ({ act }) => `Only an owner may ${act}.`),
  no_mail: rule<Nothing>('conflict', () => 'There is no mail server. Set mail.url and mail.from first.'),
  no_server: rule<Nothing>('conflict', () => 'Only a running server knows this.'),
  unknown_invitation: rule<{ id: string }>('not_found', ({ id }) => `There is no open invitation ${id}.`),
  too_many_invitations: rule<Nothing>(
    'conflict',
    () => 'There are too many invitations. Revoke some, or retry tomorrow.',
  ),
  invited_to_nothing: rule<Field>(
    'bad_request',
    () => 'An invitation needs an account, a role in the gateway, or both.',
  ),
  needs_account: rule<Field>('bad_request', ({ field }) => `${field} needs an account.`),
  expires_too_late: rule<Field & { days: number }>(
    'bad_request',
    ({ field, days }) => `${field} must be within ${days} days.`,
  ),
  last_account_owner: rule<Nothing>('conflict', () => 'The account needs an owner: this is the last one.'),
  unknown_admin_key: rule<{ key: string }>('not_found', ({ key }) => `Unknown admin key id ${key}.`),
  too_many_admin_keys: rule<{ most: number }>(
    'too_many_keys',
    ({ most }) => `A gateway can have ${most} admin keys. Delete some first.`,
  ),
  last_owner: rule<Nothing>(
    'conflict',
    () => 'The last owner of the gateway keeps this role. Make another person an owner first.',
  ),
  no_person: rule<{ person: string }>('not_found', ({ person }) => `No person has the id ${person}.`),
  unknown_person: rule<{ email: string }>('not_found', ({ email }) => `No person has the email address ${email}.`),

  /** `account`: such as `the id 7`. */
  unknown_account: rule<{ account: string }>('not_found', ({ account }) => `No account has ${account}.`),
  ambiguous_account: rule<{ account: string; found: string }>(
    'conflict',
    ({ account, found }) => `Several accounts have ${account}; use the id of one of them: ${found}.`,
  ),
  no_people: rule<{ account: string }>('conflict', ({ account }) => `The account ${account} has no people.`),
  several_people: rule<{ account: string; found: string }>(
    'conflict',
    ({ account, found }) =>
      `The account ${account} has several people; use the email address of one of them: ${found}.`,
  ),
  person_disabled: rule<{ email: string }>(
    'conflict',
    ({ email }) => `The person ${email} is disabled. Enable them first.`,
  ),
  unproved_person: rule<{ email: string }>(
    'conflict',
    ({ email }) =>
      `${email} signed up, but has not verified the address; a sign-in link from the operator verifies it.`,
  ),
  cap_of_owner: rule<{ email: string }>(
    'conflict',
    ({ email }) => `${email} is an owner of the account, and owners have no cap.`,
  ),
  no_member: rule<{ email: string }>('not_found', ({ email }) => `${email} is no member of the account.`),
  address_taken: rule<Field & { email: string }>(
    'address_taken',
    ({ email }) => `An account with the email address ${email} already exists.`,
  ),
  account_deleted: rule<{ account: string }>(
    'conflict',
    ({ account }) => `${account} is deleted. Create a new account.`,
  ),
  unknown_note: rule<{ note: string }>('not_found', ({ note }) => `The account has no note ${note}.`),
  too_many_notes: rule<{ most: number }>(
    'conflict',
    ({ most }) => `An account can have ${most} notes. Delete some first.`,
  ),
  too_many_matches: rule<Field & { most: number }>(
    'bad_request',
    ({ most }) => `The filter matches more than ${most}, or could not be read to its end. Narrow it down.`,
  ),
  account_in_use: rule<{ account: string; balance: string; held: string }>(
    'conflict',
    ({ account, balance, held }) =>
      `The account ${account} has a balance of ${balance} USD and holds ${held} USD. Remove the balance first, or force the deletion: the balance then stays in the ledger.`,
  ),
  last_account_of_operator: rule<{ email: string }>(
    'conflict',
    ({ email }) =>
      `It is the only account of ${email}, who has a role in the gateway. Take the role away first, or make the person a member of another account.`,
  ),
  credit_differs: rule<Field & { id: string; account: string; amount: string }>(
    'conflict',
    ({ id, account, amount }) =>
      `The credit '${id}' exists with other terms: ${amount} USD for the account ${account}.`,
  ),
  unknown_request: rule<{ request: string }>(
    'not_found',
    ({ request }) => `No request with a receipt has the id ${request}; those that were rejected before have none.`,
  ),
  request_running: rule<{ request: string }>(
    'conflict',
    ({ request }) => `The request ${request} has not ended, and has cost nothing yet.`,
  ),
  cost_not_final: rule<{ request: string; account: string }>(
    'conflict',
    ({ request, account }) =>
      `The cost of ${request} may still be corrected by the gateway that began it. Credit the account ${account} instead.`,
  ),
  refund_too_large: rule<Field & { request: string; charged: string; refunded: string; left: string }>(
    'conflict',
    ({ request, charged, refunded, left }) =>
      `${request} cost ${charged} USD, of which ${refunded} USD is refunded: at most ${left} USD can be refunded.`,
  ),
  /** `act`: such as `cancelled`. */
  task_in_state: rule<{ state: string; act: string }>(
    'conflict',
    ({ state, act }) => `The task is ${state} and cannot be ${act}.`,
  ),
  task_rejected: rule<{ message: string }>('conflict', ({ message }) => message),
  needs_server: rule<Nothing>('conflict', () => 'Only a running server can do this. Start it first.'),
  unknown_task: rule<{ task: string }>('not_found', ({ task }) => `No task has the id ${task}.`),
  no_second_factor: rule<{ account: string }>(
    'conflict',
    ({ account }) => `The account ${account} has no two-factor authentication.`,
  ),
  insufficient_balance: rule<{ account: string; amount: string }>(
    'insufficient_balance',
    ({ account, amount }) => `The account ${account} has less than ${amount} USD available.`,
  ),
  balance_too_large: rule<Field>('balance_too_large', () => 'The balance would exceed the largest possible one.'),

  ...BUDGET_REJECTIONS,
  unknown_key: rule<{ key: string }>('not_found', ({ key }) => `Unknown key id ${key}.`),
  key_deleted: rule<{ name: string }>('key_deleted', ({ name }) => `The key '${name}' is deleted. Create a new one.`),
  above_ceiling: rule<Field & { message: string }>('bad_request', ({ message }) => message),
  audit_runs: rule<Nothing>(
    'conflict',
    () => 'An audit of the ledger is running. GET ledger/audits shows its progress.',
  ),
  changed_meanwhile: rule<Nothing>('conflict', () => 'This key is being changed elsewhere. Retry.'),
  built_in_key: rule<{ purpose: 'playground' | 'token' }>('built_in_key', ({ purpose }) =>
    purpose === 'token' ? 'Company tokens count under this key. It can be deleted, not rotated.' : NO_CLIENT_KEY,
  ),
  unknown_group: rule<Field & { group: string; available: string }>(
    'unknown_group',
    ({ group, available }) => `Unknown group '${group}' (available: ${available}).`,
  ),
  unknown_models: rule<Field & { group: string; models: string; available: string }>(
    'bad_request',
    ({ group, models, available }) => `Unknown models: ${models} (available in group '${group}': ${available}).`,
  ),
  too_many_keys: rule<{ most: number }>(
    'too_many_keys',
    ({ most }) => `An account can have ${most} active keys. Delete some first.`,
  ),
  too_many_key_changes: rule<{ action: string; most: number; retryAfter: number }>(
    'too_many_tries',
    ({ action, most, retryAfter }) =>
      `An account can ${action} ${most} keys per hour. Retry in ${Math.ceil(retryAfter / 60)} min.`,
  ),

  too_many_codes: rule<{ retryAfter: number }>('too_many_tries', () => 'Too many codes were tried. Retry later.'),
  unknown_code: rule<Field>('unknown_code', () => 'This code does not exist. Check for typos.'),
  code_used: rule<Field>('code_used', () => 'This code was redeemed before. A code works once.'),
  code_revoked: rule<Field>('code_used', () => 'This code was revoked. Ask its issuer for another one.'),
  code_expired: rule<Field>('code_expired', () => 'This code has expired. Ask its issuer for another one.'),

  configuration_mistake: input<Field & { mistake: string }>(({ field, mistake }) =>
    field === '' ? `${mistake}.` : `${field}: ${mistake}.`,
  ),
  keys_needed: input<Field & { changed: string }>(
    ({ field, changed }) => `A change of ${changed} needs ${field} again: a secret never goes to a new place unseen.`,
  ),
  /** `entry`: such as `upstream 'main'`. `place`: such as `line 7 of /etc/trivium.yaml`. */
  read_only_entry: rule<{ entry: string; place: string }>(
    'conflict',
    ({ entry, place }) => `The ${entry} comes from ${place}, and can only be changed there.`,
  ),
  unknown_entry: rule<{ entry: string; hint: string }>(
    'not_found',
    ({ entry, hint }) => `There is no ${entry}.${hint}`,
  ),
  entry_exists: rule<Field & { entry: string }>('conflict', ({ entry }) => `The ${entry} exists already: change it.`),
  named_by_file: rule<{ place: string; mistake: string }>(
    'conflict',
    ({ place, mistake }) => `The configuration file depends on this. ${place}: ${mistake}.`,
  ),
  breaks_entries: rule<{ named: string }>(
    'conflict',
    ({ named }) => `Other stored entries depend on this: ${named}. Change them first.`,
  ),
  too_many_entries: rule<{ most: number }>('conflict', ({ most }) => `At most ${most} entries can be stored.`),
  entry_too_large: rule<{ entry: string }>('bad_request', ({ entry }) => `The ${entry} has more than 64 KiB.`),
  configuration_changed: rule<Nothing>(
    'conflict',
    () => 'The configuration is being changed elsewhere. Reload it, then repeat the change.',
  ),
  unknown_upstream_key: rule<{ upstream: string; key: string }>(
    'not_found',
    ({ upstream, key }) => `The upstream '${upstream}' has no stored key ${key}.`,
  ),
  unknown_revision: rule<{ revision: number }>('not_found', ({ revision }) => `There is no revision ${revision}.`),
  secret_erased: rule<{ revision: number; entries: string }>(
    'conflict',
    ({ revision, entries }) => `Revision ${revision} needs secrets that were erased: ${entries}.`,
  ),

  model_unavailable: rule<Field & { message: string }>('not_found', ({ message }) => message),
  foreign_unit: input<Field & { unit: string; model: string; units: string }>(
    ({ field, unit, model, units }) => `${field}: '${unit}' is no unit of the model '${model}', which takes ${units}.`,
  ),
  units_missing: input<Field & { model: string; units: string }>(
    ({ field, model, units }) => `${field} does not fit the price of '${model}', which counts some of ${units}.`,
  ),
  unknown_upstream: rule<{ upstream: string; hint: string }>(
    'not_found',
    ({ upstream, hint }) => `Unknown upstream '${upstream}'; ${hint}.`,
  ),
  no_model_list: rule<{ upstream: string; kind: string }>(
    'conflict',
    ({ upstream, kind }) => `The upstream '${upstream}' (kind ${kind}) has no list of its models.`,
  ),
  upstream_failed: rule<{ upstream: string; problem: string }>(
    'upstream_failed',
    ({ upstream, problem }) => `The upstream '${upstream}' did not answer as expected: ${problem}.`,
  ),
  too_many_upstream_calls: rule<{ retryAfter: number }>(
    'too_many_tries',
    () => 'Another test or listing of upstreams runs. Retry when it has ended.',
  ),
  too_many_computations: rule<{ retryAfter: number }>(
    'too_many_tries',
    () => 'The effect of another price is being computed. Retry when that has ended.',
  ),
  too_many_changes: rule<{ retryAfter: number }>(
    'too_many_tries',
    () => 'Another change of many entries is running. Retry when that has ended.',
  ),
  too_many_mails: rule<{ retryAfter: number }>(
    'too_many_tries',
    () => 'Another test email is being sent. Retry when the mail server has answered.',
  ),
  no_routed_model: rule<Field & { upstream: string }>(
    'conflict',
    ({ field, upstream }) => `No model is routed to ${upstream}: choose one of its models with ${field}.`,
  ),
} as const satisfies Record<string, Rule<never>>

export type Reason = keyof typeof REJECTIONS
type DetailsOf<R extends Reason> = Parameters<(typeof REJECTIONS)[R]['message']>[0]

/** A rejection as it is sent over the control socket. */
export type Rejection = { reason: Reason; details: Details }

/** Thrown by operations. */
export class OperationRejected extends Error {
  override name = 'OperationRejected'
  readonly rejection: Rejection
  readonly code: RejectionCode
  /** The field of the input that is wrong. */
  readonly param: string | undefined
  /** Whole seconds. */
  readonly retryAfter: number | undefined
  /** Everything that is wrong with the input, the rejection itself included. */
  readonly all: readonly Rejection[]

  constructor(rejection: Rejection, all: readonly Rejection[] = [rejection]) {
    super(messageOf(rejection))
    this.rejection = rejection
    this.all = all
    const { field, retryAfter } = rejection.details
    this.code = REJECTIONS[rejection.reason].code
    this.param = field === undefined || field === '' ? undefined : String(field)
    this.retryAfter = retryAfter === undefined ? undefined : Number(retryAfter)
  }
}

export const rejected = <R extends Reason>(reason: R, details: DetailsOf<R>): OperationRejected =>
  new OperationRejected({ reason, details })

/** The value, if it fits the schema. */
export function checked<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const mistakes = mistakesIn(schema, value)
  const [first] = mistakes
  if (first === undefined) return value as Static<S>
  throw new OperationRejected(first, mistakes)
}

export const mistakesIn = (schema: TSchema, value: unknown): Rejection[] => inputErrors(schema, value).map(rejectionOf)

function rejectionOf(error: InputError): Rejection {
  if ('known' in error)
    return { reason: 'unknown_field', details: { field: error.field, known: error.known.join(', ') } }
  const { field, must, isNullable } = error
  return { reason: 'malformed', details: isNullable ? { field, must, or: 'null' } : { field, must } }
}

/** `nameOf`: what the caller calls a field of the input. */
export function messageOf({ reason, details }: Rejection, nameOf = (field: string): string => field): string {
  const named = Object.entries(details).map(([name, value]) => [name, isName(name) ? nameOf(String(value)) : value])
  return (REJECTIONS[reason] as Rule<Details>).message(Object.fromEntries(named))
}

const isName = (detail: string): boolean => detail === 'field' || detail === 'other'
