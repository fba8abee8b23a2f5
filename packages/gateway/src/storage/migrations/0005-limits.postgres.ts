// The same columns as 0005-limits.sqlite.ts.
import { limitsApplyPostgres } from './0005-limits-apply.postgres.ts'
import { limitsFunctionsPostgres } from './0005-limits-functions.postgres.ts'

const limits = (table: string): string =>
  `ALTER TABLE ${table}
    ADD COLUMN requests_per_minute bigint,
    ADD COLUMN tokens_per_minute bigint,
    ADD COLUMN concurrent bigint,
    ADD COLUMN open_requests bigint NOT NULL DEFAULT 0,
    ADD COLUMN spent_at bigint NOT NULL DEFAULT 0,
    ADD COLUMN spent_day bigint NOT NULL DEFAULT 0,
    ADD COLUMN week_before bigint NOT NULL DEFAULT 0,
    ADD COLUMN month_before bigint NOT NULL DEFAULT 0,
    ADD COLUMN requests_window text NOT NULL DEFAULT '',
    ADD COLUMN tokens_window text NOT NULL DEFAULT ''`

export const limitsPostgres: readonly string[] = [
  limits('account'),
  limits('api_key'),
  `ALTER TABLE api_key
    ADD COLUMN revision bigint NOT NULL DEFAULT 0,
    ADD COLUMN cap_period text CHECK (cap_period IN ('day', 'week', 'month')),
    ADD COLUMN models text,
    ADD COLUMN networks text`,
  `ALTER TABLE request
    ADD COLUMN held_at bigint NOT NULL DEFAULT 0,
    ADD COLUMN tokens bigint NOT NULL DEFAULT 0`,
  `UPDATE account SET open_requests = o.open FROM
    (SELECT account, count(*) AS open FROM request WHERE state = 0 GROUP BY account) o WHERE account.id = o.account`,
  `UPDATE api_key SET open_requests = o.open FROM
    (SELECT key, count(*) AS open FROM request WHERE state = 0 GROUP BY key) o WHERE api_key.id = o.key`,
  ...limitsFunctionsPostgres,
  ...limitsApplyPostgres,
]
