// docs/reference/database.md

import { RETENTION_DEFAULTS, type Retention } from '@trivium/gateway/config/sections/retention.ts'
import { CONTENTS_TABLES, LEDGER_TABLES, NOT_COPIED } from '@trivium/gateway/storage/copying/tables.ts'
import { formatDuration } from '@trivium/gateway/yaml/units.ts'
import type { Generated } from '../generated.ts'
import { code, table } from '../markdown.ts'

const file = 'docs/reference/database.md'

/** `secret`: prompts, answers or credentials, and how they are protected; absent: none. */
type Row = { holds: string; kept: string; secret?: string }

const FOREVER = 'forever'
const ACCOUNT = 'until the account is deleted'
const retention = (name: keyof Retention): string => {
  const kept = RETENTION_DEFAULTS[name]
  return `\`retention.${name}\` (${typeof kept === 'number' ? formatDuration(kept) : kept})`
}

const LEDGER: Readonly<Record<(typeof LEDGER_TABLES)[number], Row>> = {
  person: {
    holds: 'people who sign in: email address, role in the gateway',
    kept: `${FOREVER}; erased with the last account`,
  },
  account: {
    holds: 'accounts: balance, credit line, limits, spending',
    kept: `${FOREVER}; its name is erased with it`,
  },
  member: { holds: 'which people belong to which accounts, with role and cap', kept: ACCOUNT },
  credential: {
    holds: 'passwords and second factors',
    kept: ACCOUNT,
    secret: 'passwords as argon2id hashes, second factors encrypted',
  },
  recovery_code: { holds: 'recovery codes of second factors', kept: 'until used', secret: 'hashes' },
  preference: { holds: 'what people chose in the console', kept: ACCOUNT },
  session: {
    holds: 'browsers that are signed in: address, user agent',
    kept: 'until it ends',
    secret: 'hashes of tokens',
  },
  link: { holds: 'links that work once: set-up, sign-in, new password', kept: 'until it expires', secret: 'hashes' },
  attempt: { holds: 'recent attempts to sign in and the like, which are limited', kept: 'until they no longer count' },
  api_key: { holds: 'keys: name, group, limits, spending', kept: `${FOREVER}, also deleted ones`, secret: 'hashes' },
  request: {
    holds: 'holds and receipts: model, upstream, cost, outcome, tags, end user, session, text of the receipt',
    kept: `${FOREVER}; the text of receipts ${retention('requests')}`,
    secret: 'no prompts; the text may have the first 200 characters of an error message',
  },
  transfer: { holds: 'the ledger: every movement of money, append-only', kept: FOREVER },
  hourly_spending: { holds: 'sums of charges by hour', kept: FOREVER },
  daily_spending: { holds: 'sums of charges by day and account', kept: FOREVER },
  daily_key_spending: { holds: 'sums of charges by day and key', kept: FOREVER },
  daily_attribution_spending: {
    holds: 'sums of charges by day, account, and tag or end user',
    kept: `${retention('attribution')}; erased with the account`,
    secret: 'no prompts; end users as hashes, unless `attribution.end_users` is `plain`',
  },
  daily_attribution_values: {
    holds: 'how many tags and end users an account had on a day',
    kept: `${retention('attribution')}; erased with the account`,
  },
  attribution_removal: { holds: 'deleted accounts whose requests have tags, end users and sessions', kept: 'an hour' },
  budget: { holds: 'budgets, with what is spent and held', kept: `${FOREVER}, also deleted ones` },
  budget_sum: { holds: 'what was spent under budgets across accounts, by process', kept: FOREVER },
  rejected_request: {
    holds: 'how many requests were rejected before a hold, by key, minute and error code',
    kept: retention('requests'),
    secret: 'no prompts; the last error message',
  },
  latency: { holds: 'times to the first token, by model and hour', kept: '15 days' },
  node: { holds: 'processes that use the database', kept: FOREVER },
  lease: { holds: 'leases of processes, jobs and tasks', kept: 'those of tasks for a day; others are reused' },
  meta: { holds: 'facts about the database itself', kept: FOREVER },
  change_counter: { holds: 'a number that grows with each change of a key or account', kept: FOREVER },
  taken_address: {
    holds: 'addresses that ever had an account: trial credit is given once',
    kept: FOREVER,
    secret: 'hashes',
  },
  sign_up: { holds: 'accounts created per network and day', kept: '2 days' },
  trial_day: { holds: 'trial credit given per day', kept: FOREVER },
  redemption_code: { holds: 'codes for credit', kept: FOREVER, secret: 'hashes, and the last four characters' },
  audit_log: { holds: 'who changed what, append-only', kept: retention('audit') },
  alert_fact: { holds: 'what nodes measured for alerts', kept: 'until it is measured again' },
  alert: { holds: 'alerts', kept: '90 days after they are resolved' },
  alert_delivery: { holds: 'notifications of alerts, sent and unsent', kept: 'as long as the alert' },
  admin_key: { holds: 'keys of the admin API', kept: `${FOREVER}, also deleted ones`, secret: 'hashes' },
  identity: { holds: 'who a person is at a sign-in provider', kept: ACCOUNT },
  invitation: { holds: 'links by which people join', kept: 'a day or more after they end', secret: 'hashes' },
  configuration_revision: { holds: 'revisions of the stored configuration', kept: FOREVER },
  configuration_change: { holds: 'what each revision changed', kept: FOREVER },
  stored_entry: { holds: 'stored upstreams, models, groups and settings in force', kept: 'until deleted' },
  stored_secret: { holds: 'secrets of the stored configuration', kept: 'until erased', secret: 'encrypted' },
  upstream_switch: { holds: 'upstreams that are switched off or drained', kept: FOREVER },
  upstream_hour: { holds: 'calls and durations of upstreams by hour', kept: '15 days' },
  upstream_key_hour: {
    holds: 'calls of upstreams by hour and key',
    kept: '15 days',
    secret: 'keyed fingerprints of the keys of upstreams',
  },
  upstream_limit_use: { holds: 'what is used of limits of upstreams and routes', kept: 'until it no longer counts' },
  upstream_limit_share: { holds: 'which part of these limits each process may use', kept: '2 days' },
  repetition: {
    holds: 'requests that run in place of an earlier one with the same `Idempotency-Key`',
    kept: '30 days',
  },
  month_seal: { holds: 'sealed months of the ledger, with the hash of each', kept: FOREVER },
  month_seal_account: { holds: 'what accounts had at the end of a sealed month: ids and sums', kept: FOREVER },
  month_seal_key: { holds: 'what keys had spent at the end of a sealed month', kept: FOREVER },
  month_seal_request: { holds: 'requests of sealed months that may still be corrected', kept: FOREVER },
  archive_part: { holds: 'files of the archive, which are in the media store', kept: FOREVER },
  folded_request: {
    holds: 'sums of requests at price 0 whose rows have been removed, by account, for the audit',
    kept: FOREVER,
  },
  daily_total: { holds: 'sums over all accounts by day, for reports', kept: FOREVER },
  node_state: { holds: 'version and readiness of each process', kept: 'until the process is replaced' },
  job_run: { holds: 'the last run of each background job', kept: FOREVER },
  refund: { holds: 'what was refunded of a request', kept: FOREVER },
  ledger_audit: { holds: 'runs of the audit of the ledger', kept: 'the last 200' },
  account_note: { holds: 'notes of operators about accounts', kept: ACCOUNT },
  alert_mute: { holds: 'alerts that are muted', kept: 'until the mute ends' },
  notice: { holds: 'what account holders were told of budgets, balances and keys', kept: '90 days' },
  notice_mark: { holds: 'up to where they were told', kept: ACCOUNT },
  notice_delivery: { holds: 'emails and webhooks of notices, sent and unsent', kept: 'as long as the notice' },
  notice_webhook: {
    holds: 'where accounts want their notices',
    kept: ACCOUNT,
    secret: 'the URL as it was given, which may have a token',
  },
}

const CONTENTS: Readonly<Record<(typeof CONTENTS_TABLES)[number], Row>> = {
  stored_size: { holds: 'bytes that each account has stored', kept: 'as long as there are any' },
  idempotency: {
    holds: 'responses to requests with an `Idempotency-Key`',
    kept: retention('idempotency'),
    secret: '**answers**, encrypted',
  },
  media: {
    holds: 'records of stored images, videos and large responses; the files are in `media/` or S3',
    kept: retention('media'),
  },
  media_size: { holds: 'bytes of the images and videos of each account', kept: FOREVER },
  task: {
    holds: 'video tasks and background responses: state, upstream, settings',
    kept: `${retention('tasks')} after the end`,
    secret: 'no prompts',
  },
  response: {
    holds: 'stored responses with their input; requests and events of background responses',
    kept: retention('responses'),
    secret: '**prompts and answers**, encrypted',
  },
  response_item: { holds: 'which response an item belongs to', kept: 'as long as the response' },
  reasoning: {
    holds: 'reasoning for clients that cannot send it back',
    kept: retention('reasoning'),
    secret: '**reasoning**, encrypted',
  },
  reasoning_size: { holds: 'bytes of the kept reasoning of each account', kept: 'as long as there are any' },
}

const OTHERS: Readonly<Record<string, Row>> = {
  schema_version: { holds: 'versions of the schema that were applied', kept: FOREVER },
  pending_page: { holds: 'SQLite only: ledger entries that are durable but not yet in their rows', kept: 'seconds' },
}

const rows = (names: readonly string[], of: Readonly<Record<string, Row>>): string =>
  table(
    ['Table', 'Holds', 'Kept', 'Prompts, answers, secrets'],
    names.map((name) => {
      const row = of[name]
      if (!row) throw new Error(`tools/reference/pages/database.ts lacks the table ${name}`)
      return [code(name), row.holds, row.kept, row.secret ?? 'none']
    }),
  )

export const DATABASE_PAGE: readonly Generated[] = [
  { file, section: 'ledger', text: () => rows(LEDGER_TABLES, LEDGER) },
  { file, section: 'contents', text: () => rows(CONTENTS_TABLES, CONTENTS) },
  { file, section: 'not-copied', text: () => rows(NOT_COPIED, OTHERS) },
]
