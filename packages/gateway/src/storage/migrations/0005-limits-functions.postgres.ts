// The rules of money/limits.ts as functions. ledger_apply calls them only where there is a limit.

/** 60 s: WINDOW_S of money/limits.ts. A second further off was counted by a clock that was wrong. */
const WINDOW_USED = `
CREATE FUNCTION ledger_window_used(counted text, now_ms bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  parts bigint[] := string_to_array(counted, ',')::bigint[];
  present bigint := now_ms / 1000;
  used bigint := 0;
BEGIN
  FOR i IN 1 .. cardinality(parts) BY 2 LOOP
    IF abs(present - parts[i]) <= 60 THEN
      used := used + parts[i + 1];
    END IF;
  END LOOP;
  RETURN used;
END $$`

/** Milliseconds until \`room\` fits under the limit; a whole window when it never will. */
const WINDOW_WAIT = `
CREATE FUNCTION ledger_window_wait(counted text, now_ms bigint, most bigint, room bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  parts bigint[] := string_to_array(counted, ',')::bigint[];
  present bigint := now_ms / 1000;
  used bigint := ledger_window_used(counted, now_ms);
BEGIN
  FOR i IN 1 .. cardinality(parts) BY 2 LOOP
    IF abs(present - parts[i]) <= 60 THEN
      used := used - parts[i + 1];
      IF used + room <= most THEN
        RETURN (parts[i] + 61) * 1000 - now_ms;
      END IF;
    END IF;
  END LOOP;
  RETURN 60000;
END $$`

/** With \`more\` in the present second; below zero, that many are taken away from the oldest. */
const WINDOW_CHANGED = `
CREATE FUNCTION ledger_window_changed(counted text, now_ms bigint, more bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  parts bigint[] := string_to_array(counted, ',')::bigint[];
  present bigint := now_ms / 1000;
  kept bigint[] := '{}';
  taken bigint := greatest(-more, 0);
  last integer;
BEGIN
  IF more = 0 THEN
    RETURN counted;
  END IF;
  FOR i IN 1 .. cardinality(parts) BY 2 LOOP
    IF parts[i + 1] > 0 AND abs(present - parts[i]) <= 60 THEN
      kept := kept || parts[i] || greatest(parts[i + 1] - taken, 0);
      taken := greatest(taken - parts[i + 1], 0);
    END IF;
  END LOOP;
  IF more > 0 THEN
    last := cardinality(kept) - 1;
    -- Clocks may step back: what is newest stays newest.
    IF kept[last] >= present THEN
      kept[last + 1] := kept[last + 1] + more;
    ELSE
      kept := kept || present || more;
    END IF;
  END IF;
  RETURN array_to_string(kept, ',');
END $$`

/** Which limit of a key or an account is reached, if any, and how long to wait. Only a hold begins a request. */
const LIMITED = `
CREATE FUNCTION ledger_limited(whose text, begins boolean, open_requests bigint, concurrent bigint, requests bigint,
  requests_window text, tokens bigint, tokens_window text, room bigint, now_ms bigint, OUT refusal text, OUT wait bigint)
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF begins AND open_requests >= concurrent THEN
    refusal := whose || '_concurrent';
    wait := 0;
  ELSIF begins AND ledger_window_used(requests_window, now_ms) >= requests THEN
    refusal := whose || '_requests';
    wait := ledger_window_wait(requests_window, now_ms, requests, 1);
  ELSIF ledger_window_used(tokens_window, now_ms) + room > tokens THEN
    refusal := whose || '_tokens';
    wait := ledger_window_wait(tokens_window, now_ms, tokens, room);
  END IF;
END $$`

/** Whether two moments lie in one day, week (from Monday) or month, by UTC. */
const SAME_PERIOD = `
CREATE FUNCTION ledger_same_period(period text, one bigint, other bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE period
    WHEN 'day' THEN one / 86400000 = other / 86400000
    WHEN 'week' THEN (one / 86400000 + 3) / 7 = (other / 86400000 + 3) / 7
    ELSE date_trunc('month', date '1970-01-01' + (one / 86400000)::integer) =
      date_trunc('month', date '1970-01-01' + (other / 86400000)::integer)
  END
$$`

export const limitsFunctionsPostgres: readonly string[] = [
  WINDOW_USED,
  WINDOW_WAIT,
  WINDOW_CHANGED,
  LIMITED,
  SAME_PERIOD,
]
