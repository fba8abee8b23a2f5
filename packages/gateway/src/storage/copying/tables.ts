// The tables that backups, restores and moves between engines copy. Every table of both schemas is here (tables.test.ts).

/** In the order in which they are filled: a table comes after those that it refers to. SQLite keeps the second list in contents.db. */
export const LEDGER_TABLES = [
  'person',
  'account',
  'member',
  'credential',
  'recovery_code',
  'preference',
  'session',
  'link',
  'attempt',
  'api_key',
  'request',
  'repetition',
  'folded_request',
  'transfer',
  'month_seal_account',
  'month_seal_key',
  'month_seal_request',
  'month_seal',
  'archive_part',
  'hourly_spending',
  'daily_spending',
  'daily_key_spending',
  'daily_attribution_spending',
  'daily_attribution_values',
  'attribution_removal',
  'budget',
  'budget_sum',
  'rejected_request',
  'latency',
  'node',
  'lease',
  'meta',
  'change_counter',
  'taken_address',
  'sign_up',
  'trial_day',
  'redemption_code',
  'audit_log',
  'alert_fact',
  'alert',
  'alert_delivery',
  'admin_key',
  'identity',
  'invitation',
  'configuration_revision',
  'configuration_change',
  'stored_entry',
  'stored_secret',
  'upstream_switch',
  'upstream_hour',
  'upstream_key_hour',
  'upstream_limit_use',
  'upstream_limit_share',
  'daily_total',
  'node_state',
  'job_run',
  'refund',
  'ledger_audit',
  'account_note',
  'alert_mute',
  'notice',
  'notice_mark',
  'notice_delivery',
  'notice_webhook',
] as const

export const CONTENTS_TABLES = [
  'stored_size',
  'idempotency',
  'media',
  'media_size',
  'task',
  'response',
  'response_item',
  'reasoning',
  'reasoning_size',
] as const

/** The versions are those of the copy itself; pending verbs are written to their rows before they are read. */
export const NOT_COPIED: readonly string[] = ['schema_version', 'pending_page']

const ORDER: readonly string[] = [...LEDGER_TABLES, ...CONTENTS_TABLES]

/** The tables to copy of those that a database has. Throws if it has one that would be left behind. */
export function tablesToCopy(found: readonly string[]): string[] {
  const unknown = found.filter((name) => !ORDER.includes(name) && !NOT_COPIED.includes(name))
  if (unknown.length > 0) throw new Error(`the database has tables that are not known here: ${unknown.join(', ')}`)
  return ORDER.filter((name) => found.includes(name))
}

/** Their rows may have megabytes: few are read at a time. */
const LARGE: readonly string[] = ['idempotency', 'response', 'reasoning', 'task']
export const rowsAtOnce = (table: string): number => (LARGE.includes(table) ? 8 : 1_000)
