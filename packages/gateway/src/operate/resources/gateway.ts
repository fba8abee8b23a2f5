// Codes, alerts, the audit log and the audit of the ledger, as the admin API shows them.
import { ALERT_RULES } from '../../config/sections/alerts.ts'
import {
  boolean,
  fields,
  ID,
  listOf,
  mapOf,
  nullable,
  number,
  string,
  TIME,
  USD,
  unknown,
  word,
} from '../../request/schema/schema.ts'
import { resource } from './resource.ts'

export const CODE = resource(
  'code',
  fields({
    id: ID,
    label: string(),
    last_four: string(),
    amount_usd: USD,
    state: word('open', 'redeemed', 'expired', 'revoked'),
    created_at: TIME,
    expires_at: nullable(TIME),
    redeemed_at: nullable(TIME),
    redeemed_by: nullable(ID),
    redeemed_by_name: nullable(string()),
    revoked_at: nullable(TIME),
  }),
)
export const CODE_BATCH = resource(
  'code_batch',
  fields({
    id: ID,
    label: string(),
    created_at: string('Of the newest code. ISO 8601 in UTC.'),
    expires_at: nullable(string('When the last code expires; null: some never do.')),
    codes: number(),
    amount_usd: USD,
    redeemed: number(),
    redeemed_usd: USD,
    revoked: number(),
    expired: number(),
    open: number('Can still be redeemed.'),
    open_usd: USD,
  }),
)
/** The codes are shown once. */
export const NEW_CODES = resource(
  'codes',
  fields({ codes: listOf(fields({ code: string(), amount_usd: USD, expires_at: nullable(TIME) })) }),
)
export const REVOKED_CODES = resource('revoked_codes', fields({ revoked: number() }))

export const AUDIT_ROW = resource(
  'audit_row',
  fields({
    id: ID,
    at: TIME,
    actor: string(),
    actor_name: nullable(string('The address of the person, or the name of the admin key.')),
    address: nullable(string()),
    request_id: nullable(string()),
    action: string(),
    target: string('What was changed, such as `key/7`.'),
    target_name: nullable(string('Of an account, a key, a person or an admin key: what it is called now.')),
    before: nullable(mapOf(unknown())),
    after: nullable(mapOf(unknown())),
    reason: string(),
  }),
)

export const ALERT = resource(
  'alert',
  fields({
    id: ID,
    rule: string(),
    target: string('What it is about.'),
    state: word('open', 'resolved'),
    value: string(),
    since: TIME,
    fired_at: nullable(TIME),
    resolved_at: nullable(TIME),
    muted_until: nullable(TIME),
    deliveries: listOf(
      fields({
        event: string(),
        target: string(),
        tries: number(),
        state: word('pending', 'delivered', 'given up'),
        error: nullable(string()),
      }),
    ),
  }),
)
export const ALERT_RULE = resource(
  'alert_rule',
  fields({
    id: word(...ALERT_RULES),
    title: string(),
    advice: string(),
    threshold: nullable(string('As the setting `alerts` takes it.')),
    default_threshold: nullable(string()),
    off: boolean(),
    muted_until: nullable(TIME),
    open: number('Alerts of the rule that are open.'),
  }),
)
export const ALERT_TARGET = resource(
  'alert_target',
  fields({
    id: string('Names the host of a webhook, never its URL.'),
    kind: nullable(word('webhook', 'email')),
    read_only: boolean(),
    place: nullable(string('Where it has to be changed, if not here.')),
  }),
)
export const NEW_ALERT_TARGET = fields({
  ...ALERT_TARGET.properties,
  secret: nullable(string('What was made to sign with; null: the one that was sent, or none.')),
})
export const ALERT_MUTE = resource(
  'alert_mute',
  fields({
    rule: string(),
    about: nullable(string('What the muted alert is about; null: every alert of the rule.')),
    until: nullable(TIME),
    by: string(),
  }),
)
export const ALERT_TEST = resource(
  'alert_test',
  fields({ ok: boolean(), targets: listOf(fields({ target: string(), ok: boolean(), error: nullable(string()) })) }),
)

const AUDIT_REPORT = fields({
  ok: boolean(),
  deep: boolean('Whether sealed months were read again, too.'),
  sealed_months: number(),
  last_sealed_month: nullable(string('Such as `2026-10`.')),
  last_seal: nullable(string('The hash of its seal, which depends on all months before.')),
  read_from: nullable(
    string('Since then every row was read; what came before is proved by its seals. null: all of it was read.'),
  ),
  seal_mismatches: listOf(string('A sealed month, such as `2026-10`.')),
  archive_mismatches: listOf(string('The name of a file of the archive in the media store.')),
  accounts: number(),
  requests: number(),
  transfers: number(),
  open_holds: number(),
  balance_mismatches: listOf(ID),
  held_mismatches: listOf(ID),
  key_held_mismatches: listOf(ID),
  open_mismatches: listOf(ID),
  key_open_mismatches: listOf(ID),
  spent_mismatches: listOf(ID),
  key_spent_mismatches: listOf(ID),
  spending_mismatches: listOf(ID),
  attribution_mismatches: listOf(ID),
  budget_held_mismatches: listOf(ID),
  exceeded_budgets: listOf(ID),
  negative_accounts: listOf(ID),
  request_mismatches: listOf(ID),
  overdrawn_accounts: listOf(ID),
  lost_task_holds: listOf(ID),
})
export const LEDGER_AUDIT = resource('ledger_audit', AUDIT_REPORT)

/** `result`: at most 100 ids in each list. */
export const LEDGER_AUDIT_RUN = resource(
  'ledger_audit_run',
  fields({
    id: ID,
    state: word('running', 'passed', 'failed', 'stopped'),
    started_at: TIME,
    ended_at: nullable(TIME),
    started_by: string('Such as `person/7` or `job/audit the ledger`.'),
    started_by_name: nullable(string('The address of a person, or the name of an admin key.')),
    step: number(),
    steps: number('0: not known yet.'),
    result: nullable(AUDIT_REPORT),
  }),
)

export const LEDGER_ACCOUNT = resource(
  'ledger_account',
  fields({
    id: string('`wallets` for all accounts together, or one of the gateway, such as `credit`.'),
    balance_usd: string('Decimal USD: what it received less what it gave. All of them add up to 0.'),
    held_usd: nullable(USD),
  }),
)
