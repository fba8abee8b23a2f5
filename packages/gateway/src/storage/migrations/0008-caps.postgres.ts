// A cap holds also for a request that turns out dearer than its hold (payable of money/grant.ts): ledger_apply of
// 0005-limits-apply.postgres.ts, in which the two places that deal with caps are written anew. The rest of it is as it was,
// and so is its signature: nodes of the version before go on calling it.
import { LEDGER_APPLY } from './0005-limits-apply.postgres.ts'

/** What neither was spent nor is held of a cap. A clock that steps back over midnight does not renew it. */
const LEFT_UNDER_CAP = `
CREATE FUNCTION ledger_left_under_cap(cap bigint, period text, spent bigint, held bigint, spent_at bigint,
  spent_day bigint, week_before bigint, month_before bigint, now_ms bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT greatest(cap - held - CASE
    WHEN period IS NULL THEN spent
    WHEN NOT (now_ms < spent_at AND spent_at - now_ms < 86400000)
      AND NOT ledger_same_period(period, spent_at, now_ms) THEN 0
    ELSE greatest(spent_day + CASE period WHEN 'week' THEN week_before WHEN 'month' THEN month_before ELSE 0 END, 0)
  END, 0)
$$`

const OF_THE_KEY = `ledger_left_under_cap(caps[k], cap_periods[k], spents[k], key_helds[k], key_ats[k],
          key_days[k], key_weeks[k], key_months[k], now_ms)`

const REPLACED: readonly { from: string; to: string; by: string }[] = [
  {
    from: '      under_cap := CASE\n',
    to: '      IF in_wallet < v.minimum THEN\n',
    by: `      under_cap := CASE WHEN caps[k] IS NULL THEN in_wallet
        ELSE ${OF_THE_KEY} END;
`,
  },
  {
    from: '      paid := least(',
    to: '      balances[a] := balances[a] - paid;\n',
    by: `      paid := least(total - v.charged, greatest(balances[a] - account_helds[a], 0));
      -- Its hold was promised to it. Beyond that it takes only what the cap leaves: what others hold is theirs.
      room := CASE WHEN v.state = 0 THEN v.held ELSE 0 END;
      IF caps[k] IS NOT NULL AND paid > room THEN
        paid := least(paid, greatest(room,
          ${OF_THE_KEY}));
      END IF;
`,
  },
]

/** With the lines from one place up to another written anew. Both must be there once, or something else would be changed. */
function written(text: string, { from, to, by }: (typeof REPLACED)[number]): string {
  const [before, after, ...more] = text.split(from)
  const end = after?.indexOf(to) ?? -1
  if (before === undefined || after === undefined || more.length > 0 || end < 0)
    throw new Error(`not found once: ${from}`)
  return before + by + after.slice(end)
}

export const capsPostgres: readonly string[] = [
  LEFT_UNDER_CAP,
  REPLACED.reduce(written, LEDGER_APPLY).replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'),
]
