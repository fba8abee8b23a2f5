-- The rules of money/ledger.ts, money/limits.ts and money/grant.ts as functions, so that a batch of verbs is one round trip and one
-- commit. The contract suite compares both, verb by verb. Version 1; later changes are migrations (storage/migrations/).
--
--   ledger_apply(batch, wait_for_locks)   hold, extend, settle, void (and reap, for ledger_reap)
--   ledger_reap(most)                     ends the holds of dead nodes and of tasks past their deadline
--   ledger_node(verb, ...)                join, renew, leave
--   ledger_lease(verb, ...)               acquire_lease, renew_lease, release_lease
--
-- Constants that money/book.ts and money/limits.ts name: a node is dead 10000 ms after its last renewal; request states are
-- 0 held, 1 settled, 2 voided, 3 reaped; node id -1 is a task instead of a node;
-- ledger account -1 is revenue, -4 shortfall; a window is 60 s.

-- ---------------------------------------------------------------------------------------------------------------------
-- Limits. ledger_apply calls these functions only for accounts and keys that have a limit.
-- ---------------------------------------------------------------------------------------------------------------------

-- How much was counted within the last minute. A second more than a minute in the future came from a wrong clock and is ignored.
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
END $$;

-- Milliseconds until `room` fits under the limit; a whole window if it never will.
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
END $$;

-- The window with `more` added in the present second; if `more` is negative, that much is removed, oldest first.
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
    -- The clock may step back: the newest second stays the newest.
    IF kept[last] >= present THEN
      kept[last + 1] := kept[last + 1] + more;
    ELSE
      kept := kept || present || more;
    END IF;
  END IF;
  RETURN array_to_string(kept, ',');
END $$;

-- Which limit of a key or an account is reached, if any, and how long to wait. `begins`: the verb is a hold, which starts a request.
CREATE FUNCTION ledger_limited(whose text, begins boolean, open_requests bigint, concurrent bigint, requests bigint,
  requests_window text, tokens bigint, tokens_window text, room bigint, now_ms bigint, OUT rejection text, OUT wait bigint)
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF begins AND open_requests >= concurrent THEN
    rejection := whose || '_concurrent';
    wait := 0;
  ELSIF begins AND ledger_window_used(requests_window, now_ms) >= requests THEN
    rejection := whose || '_requests';
    wait := ledger_window_wait(requests_window, now_ms, requests, 1);
  ELSIF ledger_window_used(tokens_window, now_ms) + room > tokens THEN
    rejection := whose || '_tokens';
    wait := ledger_window_wait(tokens_window, now_ms, tokens, room);
  END IF;
END $$;

-- Whether two times lie in the same day, week (from Monday) or month, in UTC.
CREATE FUNCTION ledger_same_period(period text, one bigint, other bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE period
    WHEN 'day' THEN one / 86400000 = other / 86400000
    WHEN 'week' THEN (one / 86400000 + 3) / 7 = (other / 86400000 + 3) / 7
    ELSE date_trunc('month', date '1970-01-01' + (one / 86400000)::integer) =
      date_trunc('month', date '1970-01-01' + (other / 86400000)::integer)
  END
$$;

-- What was charged in the period that now_ms lies in; NULL: in all. A clock that steps back over midnight does not renew a cap.
CREATE FUNCTION ledger_spent_in(period text, spent bigint, spent_at bigint, spent_day bigint, week_before bigint, month_before bigint,
  now_ms bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN period IS NULL THEN spent
    WHEN NOT (now_ms < spent_at AND spent_at - now_ms < 86400000)
      AND NOT ledger_same_period(period, spent_at, now_ms) THEN 0
    ELSE greatest(spent_day + CASE period WHEN 'week' THEN week_before WHEN 'month' THEN month_before ELSE 0 END, 0)
  END
$$;

-- What is neither spent nor held of a cap; NULL: there is no cap.
CREATE FUNCTION ledger_left_under_cap(cap bigint, period text, spent bigint, held bigint, spent_at bigint,
  spent_day bigint, week_before bigint, month_before bigint, now_ms bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN cap IS NOT NULL THEN greatest(cap - held
    - ledger_spent_in(period, spent, spent_at, spent_day, week_before, month_before, now_ms), 0) END
$$;

-- The same of a cap that the keys of one member share. `others`: what is spent and held under it by keys that are not in the arrays.
CREATE FUNCTION ledger_left_under_member_cap(cap bigint, period text, others bigint, account bigint, person bigint, accounts bigint[],
  persons bigint[], helds bigint[], spents bigint[], ats bigint[], days bigint[], weeks bigint[], months bigint[], now_ms bigint)
RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT greatest(cap - others - sum(x.held + ledger_spent_in(period, x.spent, x.at, x.day, x.week, x.month, now_ms)), 0)::bigint
  FROM unnest(accounts, persons, helds, spents, ats, days, weeks, months)
    AS x (of_account, of_person, held, spent, at, day, week, month)
  WHERE x.of_account = account AND x.of_person = person
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Verbs on requests
-- ---------------------------------------------------------------------------------------------------------------------

-- Reads every row once, decides in memory in batch order, and writes every row once.
--
-- Locks are always taken in the same order: accounts by id, keys by id, then requests, which only the holder of their account's
-- lock may change. Each statement sees what was committed before it began, hence everything before its locks; the clock is read
-- after the locks as well, because waiting for a lock takes time.
--
-- With `wait_for_locks` false, verbs on a locked account or key are not decided: their verdict is `busy`.
-- The caller puts each request into a batch at most once.
CREATE FUNCTION ledger_apply(batch json, wait_for_locks boolean)
RETURNS TABLE (place integer, verdict text, amount bigint, tokens bigint, change bigint)
LANGUAGE plpgsql
-- Plans are cached, and not made anew for each batch: one made while the tables were empty would scan them later, when they are large.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  now_ms bigint;
  wanted_accounts bigint[];
  wanted_keys bigint[];
  -- The locked accounts and keys, one array per column; *_changed: the row must be written.
  account_ids bigint[]; balances bigint[]; account_helds bigint[]; disableds smallint[]; account_changed boolean[];
  account_opens bigint[]; account_ats bigint[]; account_days bigint[]; account_weeks bigint[]; account_months bigint[];
  account_limited boolean[]; credit_lines bigint[]; account_caps bigint[]; account_cap_periods text[]; account_spents bigint[];
  key_ids bigint[]; key_accounts bigint[]; revokeds smallint[]; expiries bigint[]; caps bigint[]; spents bigint[];
  key_helds bigint[]; key_changed boolean[]; revisions bigint[]; cap_periods text[];
  key_opens bigint[]; key_ats bigint[]; key_days bigint[]; key_weeks bigint[]; key_months bigint[]; key_limited boolean[];
  -- The caps of the members who made the keys; what is spent and held under each by keys that the batch does not change.
  key_persons bigint[]; member_caps bigint[]; member_periods text[]; member_others bigint[];
  -- Their limits, read only if any of them has one.
  any_limited boolean;
  account_rpms bigint[]; account_tpms bigint[]; account_concurrents bigint[]; account_requests text[];
  account_tokens text[];
  key_rpms bigint[]; key_tpms bigint[]; key_concurrents bigint[]; key_requests text[]; key_tokens text[];
  -- New requests, changed requests and transfers to write.
  new_ids bigint[] := '{}'; new_accounts bigint[] := '{}'; new_keys bigint[] := '{}'; new_nodes integer[] := '{}';
  new_epochs integer[] := '{}'; new_helds bigint[] := '{}'; new_models text[] := '{}'; new_upstreams text[] := '{}';
  new_tokens bigint[] := '{}'; new_deadlines bigint[] := '{}';
  old_ids bigint[] := '{}'; old_states smallint[] := '{}'; old_helds bigint[] := '{}'; old_progresses bigint[] := '{}';
  old_costs bigint[] := '{}'; old_shortfalls bigint[] := '{}'; old_outcomes text[] := '{}'; old_receipts text[] := '{}';
  old_tokens bigint[] := '{}'; old_upstreams text[] := '{}'; old_upstream_costs bigint[] := '{}';
  -- What ended requests add to the sums of spending; a correction takes back what was added before.
  sum_accounts bigint[] := '{}'; sum_keys bigint[] := '{}'; sum_models text[] := '{}'; sum_upstreams text[] := '{}';
  sum_outcomes text[] := '{}'; sum_requests integer[] := '{}'; sum_tokens bigint[] := '{}'; sum_costs bigint[] := '{}';
  sum_upstream_costs bigint[] := '{}'; sum_unknowns integer[] := '{}';
  moved_requests bigint[] := '{}'; debits bigint[] := '{}'; credits bigint[] := '{}'; moved_amounts bigint[] := '{}';
  v record;
  a integer;
  k integer;
  is_busy boolean;
  is_owner boolean;
  is_expired boolean;
  is_lost boolean;
  is_task boolean;
  booked_ms bigint;
  wanted_tokens bigint;
  room bigint;
  tokens_left bigint;
  more bigint;
  in_wallet bigint;
  under_key_cap bigint;
  under_member_cap bigint;
  under_account_cap bigint;
  available bigint;
  total bigint;
  paid bigint;
  short bigint;
  new_outcome text;
  new_upstream text;
  new_upstream_cost bigint;
BEGIN
  SELECT array_agg(DISTINCT coalesce(r.account, x.account)), array_agg(DISTINCT coalesce(r.key, x.key))
    INTO wanted_accounts, wanted_keys
    FROM json_to_recordset(batch) AS x (id bigint, account bigint, key bigint) LEFT JOIN request r ON r.id = x.id;

  IF wait_for_locks THEN
    SELECT array_agg(s.id), array_agg(s.balance), array_agg(s.held), array_agg(s.disabled), array_agg(false),
        array_agg(s.open_requests), array_agg(s.spent_at), array_agg(s.spent_day), array_agg(s.week_before),
        array_agg(s.month_before), array_agg(s.credit_line), array_agg(s.cap), array_agg(s.cap_period), array_agg(s.spent),
        array_agg(coalesce(s.concurrent, s.requests_per_minute, s.tokens_per_minute) IS NOT NULL)
      INTO account_ids, balances, account_helds, disableds, account_changed, account_opens, account_ats, account_days,
        account_weeks, account_months, credit_lines, account_caps, account_cap_periods, account_spents, account_limited
      FROM (SELECT * FROM account WHERE id = ANY (wanted_accounts) ORDER BY id FOR NO KEY UPDATE) s;
    SELECT array_agg(s.id), array_agg(s.account), array_agg(s.deleted), array_agg(s.expires_at), array_agg(s.cap),
        array_agg(s.spent), array_agg(s.held), array_agg(false), array_agg(s.revision), array_agg(s.cap_period),
        array_agg(s.open_requests), array_agg(s.spent_at), array_agg(s.spent_day), array_agg(s.week_before),
        array_agg(s.month_before), array_agg(s.person),
        array_agg((SELECT m.cap FROM member m WHERE m.account = s.account AND m.person = s.person)),
        array_agg(coalesce(s.concurrent, s.requests_per_minute, s.tokens_per_minute) IS NOT NULL)
      INTO key_ids, key_accounts, revokeds, expiries, caps, spents, key_helds, key_changed, revisions, cap_periods,
        key_opens, key_ats, key_days, key_weeks, key_months, key_persons, member_caps, key_limited
      FROM (SELECT * FROM api_key WHERE id = ANY (wanted_keys) ORDER BY id FOR NO KEY UPDATE) s;
  ELSE
    SELECT array_agg(s.id), array_agg(s.balance), array_agg(s.held), array_agg(s.disabled), array_agg(false),
        array_agg(s.open_requests), array_agg(s.spent_at), array_agg(s.spent_day), array_agg(s.week_before),
        array_agg(s.month_before), array_agg(s.credit_line), array_agg(s.cap), array_agg(s.cap_period), array_agg(s.spent),
        array_agg(coalesce(s.concurrent, s.requests_per_minute, s.tokens_per_minute) IS NOT NULL)
      INTO account_ids, balances, account_helds, disableds, account_changed, account_opens, account_ats, account_days,
        account_weeks, account_months, credit_lines, account_caps, account_cap_periods, account_spents, account_limited
      FROM (SELECT * FROM account WHERE id = ANY (wanted_accounts) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) s;
    SELECT array_agg(s.id), array_agg(s.account), array_agg(s.deleted), array_agg(s.expires_at), array_agg(s.cap),
        array_agg(s.spent), array_agg(s.held), array_agg(false), array_agg(s.revision), array_agg(s.cap_period),
        array_agg(s.open_requests), array_agg(s.spent_at), array_agg(s.spent_day), array_agg(s.week_before),
        array_agg(s.month_before), array_agg(s.person),
        array_agg((SELECT m.cap FROM member m WHERE m.account = s.account AND m.person = s.person)),
        array_agg(coalesce(s.concurrent, s.requests_per_minute, s.tokens_per_minute) IS NOT NULL)
      INTO key_ids, key_accounts, revokeds, expiries, caps, spents, key_helds, key_changed, revisions, cap_periods,
        key_opens, key_ats, key_days, key_weeks, key_months, key_persons, member_caps, key_limited
      FROM (SELECT * FROM api_key WHERE id = ANY (wanted_keys) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) s;
  END IF;
  any_limited := true = ANY (account_limited || key_limited);
  IF any_limited THEN
    SELECT array_agg(s.concurrent ORDER BY s.id), array_agg(s.requests_per_minute ORDER BY s.id),
        array_agg(s.tokens_per_minute ORDER BY s.id), array_agg(s.requests_window ORDER BY s.id),
        array_agg(s.tokens_window ORDER BY s.id)
      INTO account_concurrents, account_rpms, account_tpms, account_requests, account_tokens
      FROM account s WHERE s.id = ANY (account_ids);
    SELECT array_agg(s.concurrent ORDER BY s.id), array_agg(s.requests_per_minute ORDER BY s.id),
        array_agg(s.tokens_per_minute ORDER BY s.id), array_agg(s.requests_window ORDER BY s.id),
        array_agg(s.tokens_window ORDER BY s.id)
      INTO key_concurrents, key_rpms, key_tpms, key_requests, key_tokens
      FROM api_key s WHERE s.id = ANY (key_ids);
  END IF;
  now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  IF cardinality(array_remove(member_caps, NULL)) > 0 THEN
    -- The lock of an account covers the amounts of all its keys. A key that was last used before the longest period counts nothing.
    SELECT array_agg(m.cap ORDER BY x.at), array_agg(m.cap_period ORDER BY x.at), array_agg(CASE WHEN m.cap IS NOT NULL THEN (
        SELECT coalesce(sum(s.held + ledger_spent_in(m.cap_period, s.spent, s.spent_at, s.spent_day, s.week_before, s.month_before, now_ms)), 0)
        FROM api_key s WHERE s.account = m.account AND s.person = m.person AND s.id <> ALL (key_ids)
          AND (s.held <> 0 OR s.spent_at > now_ms - 2764800000)) END::bigint ORDER BY x.at)
      INTO member_caps, member_periods, member_others
      FROM unnest(key_accounts, key_persons) WITH ORDINALITY AS x (account, person, at)
      LEFT JOIN member m ON m.account = x.account AND m.person = x.person;
  END IF;

  FOR v IN
    SELECT x.*, r.id AS request, r.node_id AS request_node, r.epoch AS request_epoch, r.state, r.held, r.progress AS metered,
      r.cost AS charged, r.shortfall, r.outcome AS old_outcome, r.receipt AS old_receipt, r.held_at, r.tokens AS reserved,
      r.model AS request_model, r.upstream AS request_upstream, r.upstream_cost AS old_upstream_cost,
      coalesce(r.account, x.account) AS owner_account, coalesce(r.key, x.key) AS owner_key, node.epoch AS node_epoch, node.renewed_at,
      lease.epoch AS lease_epoch, lease.expires_at AS lease_expires_at
    FROM json_to_recordset(batch) AS x (place integer, verb text, id bigint, account bigint, key bigint, node_id integer,
      epoch integer, known bigint, amount bigint, minimum bigint, progress bigint, cost bigint, model text, upstream text,
      outcome text, receipt text, revision bigint, extensible boolean, tokens bigint, minimum_tokens bigint, deadline bigint, upstream_cost bigint)
    LEFT JOIN request r ON r.id = x.id LEFT JOIN node ON node.node_id = x.node_id
    LEFT JOIN lease ON lease.name = CASE WHEN x.node_id = -1 THEN 'task/' || x.id END
    ORDER BY x.place
  LOOP
    place := v.place;
    amount := 0;
    tokens := 0;
    change := 0;
    wanted_tokens := coalesce(v.tokens, 0);
    tokens_left := NULL;
    a := array_position(account_ids, v.owner_account);
    k := array_position(key_ids, v.owner_key);
    -- A task is ended by the latest holder of its lease, even after the lease has expired.
    is_owner := v.request_node = v.node_id
      AND CASE WHEN v.request_node = -1 THEN coalesce(v.lease_epoch = v.epoch, false) ELSE v.request_epoch = v.epoch END;
    -- Reaped, then voided by a repetition that its caller pays for instead: the cost is the operator's shortfall.
    is_lost := v.verb = 'settle' AND v.state = 2 AND v.request_node <> -1 AND v.old_outcome = 'reaped';

    -- Assigned apart from the decision: a condition with a query in it costs ten times one without, also where it asks nothing.
    is_busy := false;
    IF NOT wait_for_locks AND (a IS NULL OR k IS NULL) THEN
      is_busy := (a IS NULL AND EXISTS (SELECT FROM account WHERE id = v.owner_account))
        OR (k IS NULL AND EXISTS (SELECT FROM api_key WHERE id = v.owner_key));
    END IF;
    IF is_busy THEN
      verdict := 'busy';
    ELSIF v.verb = 'hold' THEN
      IF v.request IS NOT NULL THEN
        IF is_owner AND v.state = 0 THEN
          verdict := 'repeated';
          amount := v.held;
          tokens := v.reserved;
        ELSE
          verdict := 'not_open';
        END IF;
      ELSIF v.node_id = -1 AND (v.lease_epoch IS DISTINCT FROM v.epoch OR v.lease_expires_at <= now_ms) THEN
        verdict := 'lease_lost';
      ELSIF v.node_id <> -1 AND (v.node_epoch IS DISTINCT FROM v.epoch OR v.renewed_at <= now_ms - 10000) THEN
        verdict := 'node_lost';
      ELSIF a IS NULL OR k IS NULL OR key_accounts[k] <> v.account OR revokeds[k] <> 0 THEN
        verdict := 'key_invalid';
      ELSIF expiries[k] <= now_ms THEN
        verdict := 'key_expired';
      ELSIF disableds[a] <> 0 THEN
        verdict := 'account_disabled';
      ELSIF revisions[k] <> v.revision THEN
        verdict := 'key_changed';
      ELSE
        verdict := 'done';
      END IF;
    ELSIF v.request IS NULL THEN
      verdict := 'unknown_request';
    ELSIF v.verb = 'reap' THEN
      verdict := CASE WHEN v.state = 0 THEN 'done' ELSE 'not_open' END;
    ELSIF NOT is_owner OR (v.verb = 'extend' AND v.state <> 0) THEN
      verdict := 'not_open';
    ELSIF v.verb = 'extend' THEN
      IF a IS NULL OR k IS NULL THEN
        verdict := 'key_invalid';
      ELSIF v.held > v.known THEN
        -- More is held than the owner knows: this extension took effect and its response was lost.
        verdict := 'repeated';
        amount := v.held - v.known;
      ELSE
        verdict := 'done';
      END IF;
    ELSIF is_lost THEN
      verdict := 'done';
    ELSIF v.state IN (1, 2) THEN
      verdict := 'repeated';
      amount := v.charged;
    ELSE
      verdict := 'done';
    END IF;

    IF any_limited AND verdict = 'done' AND v.verb IN ('hold', 'extend') THEN
      -- The key's limits come before the account's. An extension is granted tokens in proportion to its money.
      room := CASE
        WHEN v.verb = 'hold' THEN coalesce(v.minimum_tokens, 0)
        WHEN v.amount = 0 THEN 0
        ELSE div(wanted_tokens::numeric * v.minimum + v.amount - 1, v.amount) END;
      IF key_limited[k] THEN
        SELECT coalesce(x.rejection, verdict), coalesce(x.wait, 0) INTO verdict, amount
          FROM ledger_limited('key', v.verb = 'hold', key_opens[k],
            CASE WHEN v.node_id <> -1 THEN key_concurrents[k] END, key_rpms[k], key_requests[k], key_tpms[k], key_tokens[k], room, now_ms) x;
        tokens_left := key_tpms[k] - least(ledger_window_used(key_tokens[k], now_ms), key_tpms[k]);
      END IF;
      IF verdict = 'done' AND account_limited[a] THEN
        SELECT coalesce(x.rejection, verdict), coalesce(x.wait, 0) INTO verdict, amount
          FROM ledger_limited('account', v.verb = 'hold', account_opens[a],
            CASE WHEN v.node_id <> -1 THEN account_concurrents[a] END, account_rpms[a], account_requests[a], account_tpms[a], account_tokens[a], room, now_ms) x;
        tokens_left := least(tokens_left,
          account_tpms[a] - least(ledger_window_used(account_tokens[a], now_ms), account_tpms[a]));
      END IF;
    END IF;

    total := 0;
    IF verdict = 'done' AND v.verb IN ('hold', 'extend') THEN
      -- Grants the amount, or a part down to the minimum, or rejects and returns the available amount.
      in_wallet := greatest(balances[a] + credit_lines[a] - account_helds[a], 0);
      under_key_cap := CASE WHEN caps[k] IS NULL THEN in_wallet
        ELSE ledger_left_under_cap(caps[k], cap_periods[k], spents[k], key_helds[k], key_ats[k],
          key_days[k], key_weeks[k], key_months[k], now_ms) END;
      under_account_cap := CASE WHEN account_caps[a] IS NULL THEN in_wallet
        ELSE ledger_left_under_cap(account_caps[a], account_cap_periods[a], account_spents[a], account_helds[a], account_ats[a],
          account_days[a], account_weeks[a], account_months[a], now_ms) END;
      under_member_cap := CASE WHEN member_caps[k] IS NULL THEN in_wallet
        ELSE ledger_left_under_member_cap(member_caps[k], member_periods[k], member_others[k], key_accounts[k], key_persons[k],
          key_accounts, key_persons, key_helds, spents, key_ats, key_days, key_weeks, key_months, now_ms) END;
      available := least(in_wallet, under_key_cap, under_member_cap, under_account_cap);
      IF in_wallet < v.minimum THEN
        verdict := 'no_balance';
        amount := in_wallet;
      ELSIF under_key_cap < v.minimum THEN
        verdict := 'key_cap_reached';
        amount := under_key_cap;
      ELSIF under_member_cap < v.minimum THEN
        verdict := 'member_cap_reached';
        amount := under_member_cap;
      ELSIF under_account_cap < v.minimum THEN
        verdict := 'account_cap_reached';
        amount := under_account_cap;
      ELSE
        -- A hold that can be extended takes at most a sixteenth of the available amount, or its minimum, so that others can start.
        total := least(v.amount, CASE WHEN v.extensible THEN greatest(available / 16, v.minimum) ELSE available END);
        IF tokens_left < wanted_tokens AND v.verb = 'extend' THEN
          total := least(total, div(v.amount::numeric * tokens_left, wanted_tokens)::bigint);
        END IF;
        tokens := CASE
          WHEN v.verb = 'hold' THEN least(wanted_tokens, tokens_left)
          WHEN v.amount = 0 THEN 0
          WHEN total = v.amount THEN wanted_tokens
          ELSE div(wanted_tokens::numeric * total + v.amount - 1, v.amount) END;
        amount := total;
        account_helds[a] := account_helds[a] + total;
        key_helds[k] := key_helds[k] + total;
        account_changed[a] := true;
        key_changed[k] := true;
      END IF;
      IF any_limited AND verdict = 'done' THEN
        account_tokens[a] := CASE WHEN account_tpms[a] IS NULL THEN account_tokens[a]
          ELSE ledger_window_changed(account_tokens[a], now_ms, tokens) END;
        key_tokens[k] := CASE WHEN key_tpms[k] IS NULL THEN key_tokens[k]
          ELSE ledger_window_changed(key_tokens[k], now_ms, tokens) END;
        account_requests[a] := CASE WHEN account_rpms[a] IS NULL OR v.verb = 'extend' THEN account_requests[a]
          ELSE ledger_window_changed(account_requests[a], now_ms, 1) END;
        key_requests[k] := CASE WHEN key_rpms[k] IS NULL OR v.verb = 'extend' THEN key_requests[k]
          ELSE ledger_window_changed(key_requests[k], now_ms, 1) END;
      END IF;
      IF verdict = 'done' AND v.verb = 'hold' THEN
        IF v.node_id <> -1 THEN
          account_opens[a] := account_opens[a] + 1;
          key_opens[k] := key_opens[k] + 1;
        END IF;
        new_ids := new_ids || v.id;
        new_accounts := new_accounts || v.account;
        new_keys := new_keys || v.key;
        new_nodes := new_nodes || v.node_id;
        new_epochs := new_epochs || v.epoch;
        new_deadlines := new_deadlines || v.deadline;
        new_helds := new_helds || total;
        new_tokens := new_tokens || tokens;
        new_models := new_models || v.model;
        new_upstreams := new_upstreams || v.upstream;
      END IF;
    ELSIF verdict = 'done' THEN
      -- Makes `total` the whole cost of the request: releases its hold, or corrects what was charged when it was reaped.
      -- What cannot be charged is the operator's shortfall.
      IF a IS NULL OR k IS NULL THEN
        -- Possibly created after the locks were taken; a retry then succeeds.
        RAISE EXCEPTION 'request % has no account or key', v.id USING ERRCODE = 'serialization_failure';
      END IF;
      -- The reaper charges a dead node's metered progress, and voids a task at its deadline for good.
      is_expired := v.verb = 'reap' AND v.request_node = -1;
      total := CASE WHEN v.verb = 'settle' THEN v.cost WHEN v.verb = 'reap' AND NOT is_expired THEN v.metered ELSE 0 END;
      IF v.state = 0 THEN
        account_helds[a] := account_helds[a] - v.held;
        key_helds[k] := key_helds[k] - v.held;
        IF v.request_node <> -1 THEN
          account_opens[a] := account_opens[a] - 1;
          key_opens[k] := key_opens[k] - 1;
        END IF;
      END IF;
      -- Reserved tokens become used tokens. Reservations older than the window, and those of reaped requests, are not released.
      more := CASE WHEN is_lost THEN 0 WHEN v.verb = 'settle' THEN wanted_tokens - v.reserved WHEN v.verb = 'reap' AND NOT is_expired THEN 0
        ELSE -v.reserved END;
      IF any_limited AND (more > 0 OR (more < 0 AND v.state <> 3 AND abs(now_ms / 1000 - v.held_at / 1000) <= 60)) THEN
        account_tokens[a] := CASE WHEN account_tpms[a] IS NULL THEN account_tokens[a]
          ELSE ledger_window_changed(account_tokens[a], now_ms, more) END;
        key_tokens[k] := CASE WHEN key_tpms[k] IS NULL THEN key_tokens[k]
          ELSE ledger_window_changed(key_tokens[k], now_ms, more) END;
      END IF;
      -- The hold is always paid. Beyond it only what is available and the caps leave is charged; other requests' holds are never touched. A
      -- task is never charged beyond its hold: what the period of its submit has left is not known once that period is over.
      paid := CASE WHEN is_lost THEN 0 ELSE total - v.charged END;
      room := CASE WHEN v.state = 0 THEN v.held ELSE 0 END;
      IF paid > room THEN
        paid := CASE WHEN v.request_node = -1 THEN room ELSE least(paid, greatest(room, least(
          greatest(balances[a] + credit_lines[a] - account_helds[a], 0),
          ledger_left_under_cap(caps[k], cap_periods[k], spents[k], key_helds[k], key_ats[k],
            key_days[k], key_weeks[k], key_months[k], now_ms),
          CASE WHEN member_caps[k] IS NOT NULL THEN ledger_left_under_member_cap(member_caps[k], member_periods[k], member_others[k], key_accounts[k], key_persons[k],
            key_accounts, key_persons, key_helds, spents, key_ats, key_days, key_weeks, key_months, now_ms) END,
          ledger_left_under_cap(account_caps[a], account_cap_periods[a], account_spents[a], account_helds[a], account_ats[a],
            account_days[a], account_weeks[a], account_months[a], now_ms)))) END;
      END IF;
      balances[a] := balances[a] - paid;
      account_spents[a] := account_spents[a] + paid;
      spents[k] := spents[k] + paid;
      account_changed[a] := true;
      key_changed[k] := true;
      short := total - v.charged - paid;
      IF paid <> 0 THEN
        -- Spending counts for the present day, that of a task for the day of its submit. The first charge of a batch checks
        -- whether a new day has begun. A clock that steps back over midnight renews nothing.
        is_task := v.request_node = -1;
        booked_ms := CASE WHEN is_task THEN v.held_at ELSE now_ms END;
        IF is_task AND booked_ms / 86400000 < account_ats[a] / 86400000 THEN
          account_weeks[a] := account_weeks[a]
            + CASE WHEN ledger_same_period('week', booked_ms, account_ats[a]) THEN paid ELSE 0 END;
          account_months[a] := account_months[a]
            + CASE WHEN ledger_same_period('month', booked_ms, account_ats[a]) THEN paid ELSE 0 END;
        ELSE
          IF account_ats[a] < booked_ms OR account_ats[a] - booked_ms >= 86400000 THEN
            IF account_ats[a] / 86400000 <> booked_ms / 86400000 THEN
              account_weeks[a] := CASE WHEN ledger_same_period('week', booked_ms, account_ats[a])
                THEN account_weeks[a] + account_days[a] ELSE 0 END;
              account_months[a] := CASE WHEN ledger_same_period('month', booked_ms, account_ats[a])
                THEN account_months[a] + account_days[a] ELSE 0 END;
              account_days[a] := 0;
            END IF;
            account_ats[a] := booked_ms;
          END IF;
          account_days[a] := account_days[a] + paid;
        END IF;
        IF is_task AND booked_ms / 86400000 < key_ats[k] / 86400000 THEN
          key_weeks[k] := key_weeks[k]
            + CASE WHEN ledger_same_period('week', booked_ms, key_ats[k]) THEN paid ELSE 0 END;
          key_months[k] := key_months[k]
            + CASE WHEN ledger_same_period('month', booked_ms, key_ats[k]) THEN paid ELSE 0 END;
        ELSE
          IF key_ats[k] < booked_ms OR key_ats[k] - booked_ms >= 86400000 THEN
            IF key_ats[k] / 86400000 <> booked_ms / 86400000 THEN
              key_weeks[k] := CASE WHEN ledger_same_period('week', booked_ms, key_ats[k])
                THEN key_weeks[k] + key_days[k] ELSE 0 END;
              key_months[k] := CASE WHEN ledger_same_period('month', booked_ms, key_ats[k])
                THEN key_months[k] + key_days[k] ELSE 0 END;
              key_days[k] := 0;
            END IF;
            key_ats[k] := booked_ms;
          END IF;
          key_days[k] := key_days[k] + paid;
        END IF;
        moved_requests := moved_requests || v.id;
        debits := debits || CASE WHEN paid > 0 THEN v.owner_account ELSE -1 END;
        credits := credits || CASE WHEN paid > 0 THEN -1 ELSE v.owner_account END;
        moved_amounts := moved_amounts || abs(paid);
      END IF;
      IF short <> v.shortfall THEN
        moved_requests := moved_requests || v.id;
        debits := debits || CASE WHEN short > v.shortfall THEN -4 ELSE -1 END::bigint;
        credits := credits || CASE WHEN short > v.shortfall THEN -1 ELSE -4 END::bigint;
        moved_amounts := moved_amounts || abs(short - v.shortfall);
      END IF;
      amount := v.charged + paid;
      change := paid;
      new_outcome := CASE WHEN is_expired THEN 'expired' WHEN v.verb = 'reap' THEN 'reaped' ELSE v.outcome END;
      new_upstream := CASE WHEN v.verb = 'settle' AND NOT is_lost THEN coalesce(v.upstream, v.request_upstream) ELSE v.request_upstream END;
      -- What the operator pays is not known for what the reaper ended, and 0 for what its owner voided.
      new_upstream_cost := CASE WHEN is_lost THEN v.old_upstream_cost WHEN v.verb = 'settle' THEN v.upstream_cost WHEN v.verb = 'void' THEN 0 END;
      -- What its caller does not pay for adds nothing, not even a row of zeros.
      IF NOT is_lost THEN
        FOR sign IN CASE WHEN v.state = 0 THEN 1 ELSE -1 END .. 1 BY 2 LOOP
          sum_accounts := sum_accounts || v.owner_account;
          sum_keys := sum_keys || v.owner_key;
          sum_models := sum_models || v.request_model;
          sum_upstreams := sum_upstreams || CASE WHEN sign < 0 THEN v.request_upstream ELSE new_upstream END;
          sum_outcomes := sum_outcomes || CASE WHEN sign < 0 THEN v.old_outcome ELSE new_outcome END;
          sum_requests := sum_requests || sign;
          sum_tokens := sum_tokens || CASE WHEN sign < 0 THEN -v.reserved ELSE v.reserved + more END;
          sum_costs := sum_costs || CASE WHEN sign < 0 THEN -v.charged ELSE amount END;
          sum_upstream_costs := sum_upstream_costs || coalesce(CASE WHEN sign < 0 THEN -v.old_upstream_cost ELSE new_upstream_cost END, 0);
          sum_unknowns := sum_unknowns || CASE WHEN (CASE WHEN sign < 0 THEN v.old_upstream_cost ELSE new_upstream_cost END) IS NULL THEN sign ELSE 0 END;
        END LOOP;
      END IF;
      old_ids := old_ids || v.id;
      old_upstreams := old_upstreams || new_upstream;
      old_upstream_costs := old_upstream_costs || new_upstream_cost;
      old_tokens := old_tokens || v.reserved + more;
      old_states := old_states || CASE WHEN v.verb = 'settle' THEN 1 WHEN v.verb = 'void' OR is_expired THEN 2 ELSE 3 END::smallint;
      old_helds := old_helds || v.held;
      old_progresses := old_progresses || v.metered;
      old_costs := old_costs || amount;
      old_shortfalls := old_shortfalls || short;
      old_outcomes := old_outcomes || new_outcome;
      old_receipts := old_receipts || CASE v.verb WHEN 'reap' THEN v.old_receipt ELSE v.receipt END;
    END IF;
    IF v.verb = 'extend' AND verdict NOT IN ('busy', 'unknown_request', 'not_open', 'key_invalid') THEN
      -- Progress is recorded even if the extension is rejected: it is what the reaper would charge.
      old_ids := old_ids || v.id;
      old_upstreams := old_upstreams || v.request_upstream;
      old_upstream_costs := old_upstream_costs || v.old_upstream_cost;
      old_tokens := old_tokens || v.reserved + tokens;
      old_states := old_states || 0::smallint;
      old_helds := old_helds || v.held + total;
      old_progresses := old_progresses || greatest(v.progress, v.metered);
      old_costs := old_costs || v.charged;
      old_shortfalls := old_shortfalls || v.shortfall;
      old_outcomes := old_outcomes || ''::text;
      old_receipts := old_receipts || v.old_receipt;
    END IF;
    RETURN NEXT;
  END LOOP;

  IF true = ANY (account_changed) THEN
    UPDATE account SET balance = x.balance, spent = x.spent, held = x.held, open_requests = x.open, spent_at = x.at, spent_day = x.day,
        week_before = x.week, month_before = x.month
      FROM unnest(account_ids, balances, account_spents, account_helds, account_opens, account_ats, account_days, account_weeks,
        account_months, account_changed) AS x (id, balance, spent, held, open, at, day, week, month, changed)
      WHERE account.id = x.id AND x.changed;
    UPDATE api_key SET spent = x.spent, held = x.held, open_requests = x.open, spent_at = x.at, spent_day = x.day,
        week_before = x.week, month_before = x.month
      FROM unnest(key_ids, spents, key_helds, key_opens, key_ats, key_days, key_weeks, key_months, key_changed)
        AS x (id, spent, held, open, at, day, week, month, changed)
      WHERE api_key.id = x.id AND x.changed;
  END IF;
  IF any_limited THEN
    UPDATE account SET requests_window = x.requests, tokens_window = x.tokens
      FROM unnest(account_ids, account_requests, account_tokens, account_changed, account_limited)
        AS x (id, requests, tokens, changed, limited)
      WHERE account.id = x.id AND x.changed AND x.limited;
    UPDATE api_key SET requests_window = x.requests, tokens_window = x.tokens
      FROM unnest(key_ids, key_requests, key_tokens, key_changed, key_limited)
        AS x (id, requests, tokens, changed, limited)
      WHERE api_key.id = x.id AND x.changed AND x.limited;
  END IF;
  IF cardinality(new_ids) > 0 THEN
    INSERT INTO request (id, account, key, node_id, epoch, deadline, state, held, held_at, tokens, model, upstream)
      SELECT x.id, x.account, x.key, x.node_id, x.epoch, x.deadline, 0, x.held, now_ms, x.tokens, x.model, x.upstream
      FROM unnest(new_ids, new_accounts, new_keys, new_nodes, new_epochs, new_deadlines, new_helds, new_tokens,
        new_models, new_upstreams) AS x (id, account, key, node_id, epoch, deadline, held, tokens, model, upstream);
  END IF;
  IF cardinality(old_ids) > 0 THEN
    UPDATE request SET state = x.state, held = x.held, tokens = x.tokens, progress = x.progress, cost = x.cost,
        shortfall = x.shortfall, upstream = x.upstream, upstream_cost = x.upstream_cost, outcome = x.outcome, receipt = x.receipt
      FROM unnest(old_ids, old_states, old_helds, old_tokens, old_progresses, old_costs, old_shortfalls, old_upstreams,
        old_upstream_costs, old_outcomes, old_receipts) AS x (id, state, held, tokens, progress, cost, shortfall, upstream,
        upstream_cost, outcome, receipt)
      WHERE request.id = x.id;
  END IF;
  IF cardinality(sum_accounts) > 0 THEN
    -- Only the holder of an account's lock adds to its sums.
    WITH ended AS (
      SELECT x.account, x.key, x.model, x.upstream, x.outcome, sum(x.requests) AS requests, sum(x.tokens) AS tokens,
        sum(x.cost) AS cost, sum(x.upstream_cost) AS upstream_cost, sum(x.unknown) AS unknown
      FROM unnest(sum_accounts, sum_keys, sum_models, sum_upstreams, sum_outcomes, sum_requests, sum_tokens, sum_costs,
        sum_upstream_costs, sum_unknowns)
        AS x (account, key, model, upstream, outcome, requests, tokens, cost, upstream_cost, unknown)
      GROUP BY x.account, x.key, x.model, x.upstream, x.outcome),
    by_hour AS (
      INSERT INTO hourly_spending AS known (account, hour, key, model, upstream, outcome, requests, tokens, cost, upstream_cost, unknown_costs, last_at)
        SELECT e.account, now_ms / 3600000 * 3600000, e.key, e.model, e.upstream, e.outcome, e.requests, e.tokens, e.cost,
          e.upstream_cost, e.unknown, now_ms FROM ended e
        ON CONFLICT (account, hour, key, model, upstream, outcome) DO UPDATE SET requests = known.requests + excluded.requests,
          tokens = known.tokens + excluded.tokens, cost = known.cost + excluded.cost,
          upstream_cost = known.upstream_cost + excluded.upstream_cost, unknown_costs = known.unknown_costs + excluded.unknown_costs,
          last_at = greatest(known.last_at, excluded.last_at)),
    by_key AS (
      INSERT INTO daily_key_spending AS known (key, day, model, upstream, outcome, account, requests, tokens, cost, upstream_cost, unknown_costs, last_at)
        SELECT e.key, now_ms / 86400000 * 86400000, e.model, e.upstream, e.outcome, e.account, e.requests, e.tokens, e.cost,
          e.upstream_cost, e.unknown, now_ms FROM ended e
        ON CONFLICT (key, day, model, upstream, outcome) DO UPDATE SET requests = known.requests + excluded.requests,
          tokens = known.tokens + excluded.tokens, cost = known.cost + excluded.cost,
          upstream_cost = known.upstream_cost + excluded.upstream_cost, unknown_costs = known.unknown_costs + excluded.unknown_costs,
          last_at = greatest(known.last_at, excluded.last_at))
    INSERT INTO daily_spending AS known (account, day, model, upstream, outcome, requests, tokens, cost, upstream_cost, unknown_costs, last_at)
      SELECT e.account, now_ms / 86400000 * 86400000, e.model, e.upstream, e.outcome, sum(e.requests), sum(e.tokens), sum(e.cost),
        sum(e.upstream_cost), sum(e.unknown), now_ms
      FROM ended e GROUP BY e.account, e.model, e.upstream, e.outcome
      ON CONFLICT (account, day, model, upstream, outcome) DO UPDATE SET requests = known.requests + excluded.requests,
        tokens = known.tokens + excluded.tokens, cost = known.cost + excluded.cost,
        upstream_cost = known.upstream_cost + excluded.upstream_cost, unknown_costs = known.unknown_costs + excluded.unknown_costs,
        last_at = greatest(known.last_at, excluded.last_at);
  END IF;
  IF cardinality(moved_requests) > 0 THEN
    INSERT INTO transfer (request, debit, credit, amount, at)
      SELECT x.request, x.debit, x.credit, x.amount, now_ms
      FROM unnest(moved_requests, debits, credits, moved_amounts) AS x (request, debit, credit, amount);
  END IF;
END $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Nodes
-- ---------------------------------------------------------------------------------------------------------------------

-- Ends the holds of dead nodes at their metered progress, and voids those of tasks past their deadline. A locked account is left for the next run, so that it does not keep
-- the others from being reaped.
CREATE FUNCTION ledger_reap(most bigint) RETURNS TABLE (amount bigint, change bigint)
LANGUAGE plpgsql
SET lock_timeout = '500ms'
AS $$
DECLARE
  now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  orphans bigint[];
  wallet bigint;
  locked bigint[] := '{}';
BEGIN
  SELECT array_agg(o.id) INTO orphans FROM (
    SELECT r.id FROM request r LEFT JOIN node n ON n.node_id = r.node_id
    WHERE r.state = 0 AND CASE WHEN r.node_id = -1 THEN r.deadline <= now_ms
      ELSE n.node_id IS NULL OR n.epoch > r.epoch OR n.renewed_at <= now_ms - 10000 END
    ORDER BY r.id LIMIT most) o;
  FOR wallet IN SELECT DISTINCT r.account FROM request r WHERE r.id = ANY (orphans) ORDER BY 1 LOOP
    BEGIN
      PERFORM FROM account WHERE id = wallet FOR NO KEY UPDATE;
      locked := locked || wallet;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END LOOP;
  RETURN QUERY SELECT count(*) FILTER (WHERE a.verdict = 'done'), coalesce(sum(a.change), 0)::bigint FROM ledger_apply((
    SELECT coalesce(json_agg(json_build_object('place', o.place, 'verb', 'reap', 'id', o.id)), '[]'::json)
    FROM (SELECT r.id, row_number() OVER (ORDER BY r.id) AS place FROM request r
      WHERE r.id = ANY (orphans) AND r.account = ANY (locked)) o), true) a;
END $$;

-- The row of a node id decides between processes that claim it at the same time; a missing row is first created as a dead node.
CREATE FUNCTION ledger_node(verb text, claimed integer, claimed_epoch integer, new_config text, takeover boolean)
RETURNS TABLE (verdict text, amount bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  found_node node%ROWTYPE;
  now_ms bigint;
BEGIN
  IF verb = 'join' THEN
    INSERT INTO node (node_id, epoch, renewed_at, config) VALUES (claimed, 0, 0, '') ON CONFLICT (node_id) DO NOTHING;
  END IF;
  SELECT * INTO found_node FROM node WHERE node_id = claimed FOR UPDATE;
  now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  verdict := 'done';
  amount := 0;
  IF verb = 'join' THEN
    IF found_node.renewed_at > now_ms - 10000 AND NOT takeover THEN
      verdict := 'node_taken';
    ELSE
      amount := found_node.epoch + 1;
      UPDATE node SET epoch = found_node.epoch + 1, renewed_at = now_ms, config = new_config WHERE node_id = claimed;
    END IF;
  ELSIF verb = 'renew' THEN
    IF found_node.epoch = claimed_epoch AND found_node.renewed_at > now_ms - 10000 THEN
      UPDATE node SET renewed_at = now_ms, config = new_config WHERE node_id = claimed;
    ELSE
      verdict := 'node_lost';
    END IF;
  ELSIF found_node.epoch = claimed_epoch THEN
    UPDATE node SET renewed_at = 0 WHERE node_id = claimed;
  ELSE
    verdict := 'repeated';
  END IF;
  RETURN NEXT;
END $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Leases
-- ---------------------------------------------------------------------------------------------------------------------

-- As in ledger_node, the row decides between processes, and a missing row is first created, as a released lease.
CREATE FUNCTION ledger_lease(
  verb text, wanted text, new_holder text, known_epoch integer, ttl_ms bigint, longest_ms bigint)
RETURNS TABLE (verdict text, amount bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  found_lease lease%ROWTYPE;
  now_ms bigint;
BEGIN
  IF verb = 'acquire_lease' THEN
    INSERT INTO lease (name, epoch, holder, expires_at) VALUES (wanted, 0, '', 0) ON CONFLICT (name) DO NOTHING;
  END IF;
  SELECT * INTO found_lease FROM lease WHERE name = wanted FOR UPDATE;
  IF NOT FOUND AND verb = 'acquire_lease' THEN
    RAISE EXCEPTION 'lease % was removed meanwhile', wanted USING ERRCODE = 'serialization_failure';
  END IF;
  now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  verdict := 'done';
  amount := 0;
  IF verb = 'acquire_lease' THEN
    -- One that lasts for longer than any was acquired before the clock was set back.
    IF found_lease.expires_at <= now_ms OR found_lease.expires_at - now_ms > longest_ms THEN
      amount := found_lease.epoch + 1;
      UPDATE lease SET epoch = found_lease.epoch + 1, holder = new_holder, expires_at = now_ms + ttl_ms
        WHERE name = wanted;
    ELSIF found_lease.holder = new_holder THEN
      verdict := 'repeated';
      amount := found_lease.epoch;
    ELSE
      verdict := 'lease_taken';
      amount := found_lease.expires_at - now_ms;
    END IF;
  ELSIF verb = 'renew_lease' THEN
    IF found_lease.epoch = known_epoch AND found_lease.expires_at > now_ms THEN
      UPDATE lease SET expires_at = now_ms + ttl_ms WHERE name = wanted;
    ELSE
      verdict := 'lease_lost';
    END IF;
  ELSIF found_lease.epoch = known_epoch AND found_lease.expires_at <> 0 THEN
    UPDATE lease SET holder = '', expires_at = 0 WHERE name = wanted;
  ELSE
    verdict := 'repeated';
  END IF;
  RETURN NEXT;
END $$;
