// Limits of accounts and keys, and what has been used of them. What was spent is of the day that spent_at lies in, and of
// the week and month of that day before it. A window is text: seconds and counts in turns, separated by commas (money/limits.ts).
const limits = (table: string): string[] => [
  `ALTER TABLE ${table} ADD COLUMN requests_per_minute INTEGER`,
  `ALTER TABLE ${table} ADD COLUMN tokens_per_minute INTEGER`,
  `ALTER TABLE ${table} ADD COLUMN concurrent INTEGER`,
]
const meter = (table: string): string[] => [
  `ALTER TABLE ${table} ADD COLUMN open_requests INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE ${table} ADD COLUMN spent_at INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE ${table} ADD COLUMN spent_day INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE ${table} ADD COLUMN week_before INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE ${table} ADD COLUMN month_before INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE ${table} ADD COLUMN requests_window TEXT NOT NULL DEFAULT ''`,
  `ALTER TABLE ${table} ADD COLUMN tokens_window TEXT NOT NULL DEFAULT ''`,
]

export const limitsSqlite: readonly string[] = [
  ...['account', 'api_key'].flatMap((table) => [...limits(table), ...meter(table)]),
  'ALTER TABLE api_key ADD COLUMN revision INTEGER NOT NULL DEFAULT 0',
  `ALTER TABLE api_key ADD COLUMN cap_period TEXT CHECK (cap_period IN ('day', 'week', 'month'))`,
  // JSON lists.
  'ALTER TABLE api_key ADD COLUMN models TEXT',
  'ALTER TABLE api_key ADD COLUMN networks TEXT',
  // 0: held before this was kept.
  'ALTER TABLE request ADD COLUMN held_at INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE request ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0',
  // What is pending is decided after this and counts itself.
  `UPDATE account SET open_requests = (SELECT count(*) FROM request WHERE state = 0 AND +account = account.id)
    WHERE id IN (SELECT account FROM request WHERE state = 0)`,
  `UPDATE api_key SET open_requests = (SELECT count(*) FROM request WHERE state = 0 AND key = api_key.id)
    WHERE id IN (SELECT key FROM request WHERE state = 0)`,
]
