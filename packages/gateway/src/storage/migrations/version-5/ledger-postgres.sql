-- ledger_apply_2: the verbs of ledger_apply, with budgets and attribution (money/budgets/). The contract suite compares it with the rules,
-- verb by verb. What ledger_apply is called by (ledger_reap, ledger_collect, ledger_take_over, and nodes of the versions before) counts
-- against budgets, too.

-- The beginning of the period in which `at` lies; 0 for a budget without one.
CREATE FUNCTION ledger_period_start(b budget, at bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE b.period
    WHEN 'day' THEN at / 86400000 * 86400000
    WHEN 'week' THEN ((at / 86400000 + 3) / 7 * 7 - 3) * 86400000
    WHEN 'month' THEN extract(epoch FROM date_trunc('month', (date '1970-01-01' + (at / 86400000)::integer)::timestamp))::bigint * 1000
    WHEN 'hours' THEN at - ((at - coalesce(b.starts_at, 0)) % (b.every_hours * 3600000) + b.every_hours * 3600000)
      % (b.every_hours * 3600000)
    ELSE 0
  END
$$;

-- The same of now; a clock that steps back begins no earlier period.
CREATE FUNCTION ledger_present_start(b budget, now_ms bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT ledger_period_start(b, CASE WHEN now_ms < b.window_start AND b.window_start - now_ms < 86400000 THEN b.window_start ELSE now_ms END)
$$;

-- What is neither spent in the present period nor held; NULL: it is across accounts, and limits no hold.
CREATE FUNCTION ledger_left_under_budget(b budget, now_ms bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN b.account IS NOT NULL THEN greatest(b.amount - b.held
    - CASE WHEN b.window_start = ledger_present_start(b, now_ms) THEN greatest(b.window_spent, 0) ELSE 0 END, 0) END
$$;

-- The budget in the period that begins at `start`.
CREATE FUNCTION ledger_budget_in(b budget, start bigint) RETURNS budget
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF b.window_start <> start THEN
    b.window_start := start;
    b.window_spent := 0;
  END IF;
  RETURN b;
END $$;

-- Books `paid` in a day that is not that of the last charge. The charge of a task may be of an earlier one.
CREATE FUNCTION ledger_booked(paid bigint, booked_ms bigint, is_task boolean,
  INOUT spent_at bigint, INOUT day bigint, INOUT week bigint, INOUT month bigint)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  is_week boolean := ledger_same_period('week', booked_ms, spent_at);
  is_month boolean := ledger_same_period('month', booked_ms, spent_at);
BEGIN
  IF is_task AND booked_ms < spent_at THEN
    week := week + CASE WHEN is_week THEN paid ELSE 0 END;
    month := month + CASE WHEN is_month THEN paid ELSE 0 END;
  ELSIF booked_ms < spent_at AND spent_at - booked_ms < 86400000 THEN
    day := day + paid;
  ELSE
    week := CASE WHEN is_week THEN week + day ELSE 0 END;
    month := CASE WHEN is_month THEN month + day ELSE 0 END;
    day := paid;
    spent_at := booked_ms;
  END IF;
END $$;

-- Reads every row once, decides in memory in batch order, and writes every row once.
--
-- Locks are always taken in the same order: accounts by id, keys by id, then requests and budgets, which only the holder of their
-- account's lock may change; sums of budgets across accounts come last. Each statement sees what was committed before it began, hence everything before its locks; the clock is read
-- after the locks as well, because waiting for a lock takes time.
--
-- With `wait_for_locks` false, verbs on a locked account or key are not decided: their verdict is `busy`.
-- The caller puts each request into a batch at most once. `reached`: the budget that a rejected hold would exceed. `lefts`: what was left
-- under each budget that a hold names before it, joined by commas. `names_any`: some verbs of the batch have budgets or an attribution.
CREATE FUNCTION ledger_apply_2(batch json, wait_for_locks boolean, names_any boolean)
RETURNS TABLE (place integer, verdict text, amount bigint, tokens bigint, change bigint, reached bigint, lefts text)
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
  -- What the verbs name, by place from 0 on, if any does; and what is to be written of it.
  named_budgets text[]; named_tags text[]; named_users text[]; named_sessions text[];
  new_budgets text[]; new_tags text[]; new_users text[]; new_sessions text[];
  old_ids bigint[] := '{}'; old_states smallint[] := '{}'; old_helds bigint[] := '{}'; old_progresses bigint[] := '{}';
  old_costs bigint[] := '{}'; old_shortfalls bigint[] := '{}'; old_outcomes text[] := '{}'; old_receipts text[] := '{}';
  old_tokens bigint[] := '{}'; old_upstreams text[] := '{}'; old_upstream_costs bigint[] := '{}';
  -- What ended requests add to the sums of spending; a correction takes back what was added before.
  sum_accounts bigint[] := '{}'; sum_keys bigint[] := '{}'; sum_models text[] := '{}'; sum_upstreams text[] := '{}';
  sum_outcomes text[] := '{}'; sum_requests integer[] := '{}'; sum_tokens bigint[] := '{}'; sum_costs bigint[] := '{}';
  sum_upstream_costs bigint[] := '{}'; sum_unknowns integer[] := '{}';
  -- The same of what has tags or an end user: places in the arrays above.
  attributed integer[] := '{}'; attributed_tags text[] := '{}'; attributed_users text[] := '{}';
  -- The budgets that the batch names, and what it adds to those across accounts.
  any_budgets boolean; budget_ids bigint[]; budget_rows budget[];
  shared_ids bigint[] := '{}'; shared_nodes integer[] := '{}'; shared_starts bigint[] := '{}'; shared_paid bigint[] := '{}';
  -- Of the verb: the places of its budgets in the arrays, their ids, and what each leaves.
  used integer[]; used_ids text; left_texts text[];
  one budget;
  i integer;
  named bigint;
  under_budgets bigint;
  full_budget bigint;
  full_left bigint;
  started_ms bigint;
  booked record;
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
  SELECT array_agg(DISTINCT coalesce(r.account, x.account)), array_agg(DISTINCT coalesce(r.key, x.key)),
      coalesce(bool_or(r.budgets <> ''), false)
    INTO wanted_accounts, wanted_keys, any_budgets
    FROM json_to_recordset(batch) AS x (id bigint, account bigint, key bigint) LEFT JOIN request r ON r.id = x.id;
  IF names_any THEN
    SELECT array_agg(x.budgets ORDER BY x.place), array_agg(x.tags ORDER BY x.place), array_agg(x.end_user ORDER BY x.place),
        array_agg(x.session ORDER BY x.place), any_budgets OR bool_or(x.budgets IS NOT NULL)
      INTO named_budgets, named_tags, named_users, named_sessions, any_budgets
      FROM json_to_recordset(batch) AS x (place integer, budgets text, tags text, end_user text, session text);
  END IF;

  IF NOT wait_for_locks THEN
    SELECT array_agg(s.id) INTO wanted_accounts
      FROM (SELECT id FROM account WHERE id = ANY (wanted_accounts) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) s;
    SELECT array_agg(s.id) INTO wanted_keys
      FROM (SELECT id FROM api_key WHERE id = ANY (wanted_keys) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) s;
  END IF;
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
  IF any_budgets THEN
    SELECT array_agg(b.id ORDER BY b.id), array_agg(b ORDER BY b.id) INTO budget_ids, budget_rows
      FROM budget b WHERE b.id IN (SELECT unnest(string_to_array(coalesce(r.budgets, x.budgets), ',')::bigint[])
        FROM json_to_recordset(batch) AS x (id bigint, budgets text) LEFT JOIN request r ON r.id = x.id);
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
      r.budgets AS request_budgets, r.tags AS request_tags, r.end_user AS request_user, r.model AS request_model, r.upstream AS request_upstream, r.upstream_cost AS old_upstream_cost,
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
    IF used IS NOT NULL THEN
      used := NULL;
      reached := NULL;
      lefts := NULL;
      under_budgets := NULL;
      full_budget := NULL;
    END IF;
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

    -- A new request counts against those of its budgets that are in force, and then until its end, whatever becomes of them.
    IF verdict = 'done' AND coalesce(v.request_budgets, named_budgets[v.place + 1]) <> '' THEN
      IF NOT any_budgets THEN
        -- Created after they were looked for; a retry then succeeds.
        RAISE EXCEPTION 'request % has budgets', v.id USING ERRCODE = 'serialization_failure';
      END IF;
      used := '{}';
      used_ids := NULL;
      left_texts := '{}';
      FOREACH named IN ARRAY string_to_array(coalesce(v.request_budgets, named_budgets[v.place + 1]), ',')::bigint[] LOOP
        i := array_position(budget_ids, named);
        one := budget_rows[i];
        IF i IS NULL OR v.request IS NULL AND (one.deleted_at IS NOT NULL OR one.account <> v.account) THEN
          left_texts := left_texts || ''::text;
          CONTINUE;
        END IF;
        used := used || i;
        used_ids := concat_ws(',', used_ids, named);
        IF v.verb NOT IN ('hold', 'extend') THEN
          IF v.state = 0 AND one.account IS NOT NULL THEN
            one.held := one.held - v.held;
            budget_rows[i] := one;
          END IF;
        END IF;
        room := ledger_left_under_budget(one, now_ms);
        left_texts := left_texts || coalesce(room::text, '');
        IF one.hard = 1 AND one.deleted_at IS NULL AND room IS NOT NULL THEN
          IF full_budget IS NULL AND room < v.minimum THEN
            full_budget := named;
            full_left := room;
          END IF;
          under_budgets := least(under_budgets, room);
        END IF;
      END LOOP;
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
      available := least(in_wallet, under_key_cap, under_member_cap, under_account_cap, under_budgets);
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
      ELSIF full_budget IS NOT NULL THEN
        verdict := 'budget_reached';
        amount := full_left;
        reached := full_budget;
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
        IF used IS NOT NULL THEN
          FOREACH i IN ARRAY used LOOP
            one := budget_rows[i];
            IF one.account IS NOT NULL THEN
              one := ledger_budget_in(one, ledger_present_start(one, now_ms));
              one.held := one.held + total;
              budget_rows[i] := one;
            END IF;
          END LOOP;
          IF v.verb = 'hold' THEN
            lefts := array_to_string(left_texts, ',');
          END IF;
        END IF;
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
        IF names_any THEN
          new_budgets := new_budgets || CASE WHEN used IS NOT NULL THEN used_ids END;
          new_tags := new_tags || named_tags[v.place + 1];
          new_users := new_users || named_users[v.place + 1];
          new_sessions := new_sessions || named_sessions[v.place + 1];
        END IF;
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
            account_days[a], account_weeks[a], account_months[a], now_ms),
          under_budgets))) END;
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
        IF booked_ms / 86400000 = account_ats[a] / 86400000 THEN
          account_ats[a] := greatest(account_ats[a], booked_ms);
          account_days[a] := account_days[a] + paid;
        ELSE
          booked := ledger_booked(paid, booked_ms, is_task, account_ats[a], account_days[a], account_weeks[a], account_months[a]);
          account_ats[a] := booked.spent_at;
          account_days[a] := booked.day;
          account_weeks[a] := booked.week;
          account_months[a] := booked.month;
        END IF;
        IF booked_ms / 86400000 = key_ats[k] / 86400000 THEN
          key_ats[k] := greatest(key_ats[k], booked_ms);
          key_days[k] := key_days[k] + paid;
        ELSE
          booked := ledger_booked(paid, booked_ms, is_task, key_ats[k], key_days[k], key_weeks[k], key_months[k]);
          key_ats[k] := booked.spent_at;
          key_days[k] := booked.day;
          key_weeks[k] := booked.week;
          key_months[k] := booked.month;
        END IF;
        IF used IS NOT NULL THEN
          FOREACH i IN ARRAY used LOOP
            one := budget_rows[i];
            IF one.account IS NULL THEN
              shared_ids := shared_ids || one.id;
              shared_nodes := shared_nodes || v.request_node;
              shared_starts := shared_starts || ledger_period_start(one, booked_ms);
              shared_paid := shared_paid || paid;
            ELSE
              -- A task is charged in the period of its submit, and in none if that is over.
              started_ms := CASE WHEN is_task THEN ledger_period_start(one, booked_ms) ELSE ledger_present_start(one, now_ms) END;
              IF NOT is_task OR started_ms > one.window_start THEN
                one := ledger_budget_in(one, started_ms);
              END IF;
              IF started_ms = one.window_start THEN
                one.window_spent := one.window_spent + paid;
              END IF;
              one.spent := one.spent + paid;
              budget_rows[i] := one;
            END IF;
          END LOOP;
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
          IF v.request_tags <> '' OR v.request_user <> '' THEN
            attributed := attributed || cardinality(sum_accounts);
            attributed_tags := attributed_tags || v.request_tags;
            attributed_users := attributed_users || v.request_user;
          END IF;
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
    INSERT INTO request (id, account, key, node_id, epoch, deadline, state, held, held_at, tokens, model, upstream,
        budgets, tags, end_user, session)
      SELECT x.id, x.account, x.key, x.node_id, x.epoch, x.deadline, 0, x.held, now_ms, x.tokens, x.model, x.upstream,
        coalesce(x.budgets, ''), coalesce(x.tags, ''), coalesce(x.end_user, ''), coalesce(x.session, '')
      FROM unnest(new_ids, new_accounts, new_keys, new_nodes, new_epochs, new_deadlines, new_helds, new_tokens,
        new_models, new_upstreams, new_budgets, new_tags, new_users, new_sessions)
        AS x (id, account, key, node_id, epoch, deadline, held, tokens, model, upstream, budgets, tags, end_user, session);
  END IF;
  IF any_budgets THEN
    UPDATE budget SET spent = x.spent, held = x.held, window_start = x.window_start, window_spent = x.window_spent
      FROM unnest(budget_rows) AS x
      WHERE budget.id = x.id AND x.account IS NOT NULL AND (budget.spent, budget.held, budget.window_start, budget.window_spent)
        IS DISTINCT FROM (x.spent, x.held, x.window_start, x.window_spent);
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
  IF cardinality(attributed) > 0 THEN
    -- At most 10,000 values a day and dimension have sums of their own: '', which no tag and no end user is, has those of the rest.
    WITH valued AS (
      SELECT d.dimension, d.value, sum_accounts[a.place] AS account, sum_keys[a.place] AS key, sum_models[a.place] AS model,
        sum_upstreams[a.place] AS upstream, sum_outcomes[a.place] AS outcome, sum_requests[a.place] AS requests,
        sum_tokens[a.place] AS tokens, sum_costs[a.place] AS cost, sum_upstream_costs[a.place] AS upstream_cost,
        sum_unknowns[a.place] AS unknown, now_ms / 86400000 * 86400000 AS day
      FROM unnest(attributed, attributed_tags, attributed_users) AS a (place, tags, end_user),
        LATERAL (SELECT 'tag' AS dimension, unnest(string_to_array(a.tags, ',')) AS value
          UNION ALL SELECT 'end_user', a.end_user WHERE a.end_user <> '') AS d),
    known AS (
      SELECT v.*, NOT EXISTS (SELECT FROM daily_attribution_spending s
          WHERE s.account = v.account AND s.dimension = v.dimension AND s.day = v.day AND s.value = v.value) AS is_new,
        coalesce((SELECT n.known FROM daily_attribution_values n
          WHERE n.account = v.account AND n.dimension = v.dimension AND n.day = v.day), 0) AS known
      FROM valued v),
    kept AS (
      SELECT k.*, NOT k.is_new OR k.known + dense_rank() OVER (PARTITION BY k.account, k.dimension, k.is_new ORDER BY k.value) <= 10000
        AS has_place FROM known k),
    counted AS (
      INSERT INTO daily_attribution_values AS n (account, dimension, day, known)
        SELECT k.account, k.dimension, k.day, count(DISTINCT k.value) FROM kept k WHERE k.is_new AND k.has_place
        GROUP BY k.account, k.dimension, k.day
        ON CONFLICT (account, dimension, day) DO UPDATE SET known = n.known + excluded.known)
    INSERT INTO daily_attribution_spending AS s (account, dimension, day, value, key, model, upstream, outcome, requests, tokens, cost,
        upstream_cost, unknown_costs, last_at)
      SELECT k.account, k.dimension, k.day, CASE WHEN k.has_place THEN k.value ELSE '' END, k.key, k.model, k.upstream, k.outcome,
        sum(k.requests), sum(k.tokens), sum(k.cost), sum(k.upstream_cost), sum(k.unknown), now_ms
      FROM kept k GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
      ON CONFLICT (account, dimension, day, value, key, model, upstream, outcome) DO UPDATE SET requests = s.requests + excluded.requests,
        tokens = s.tokens + excluded.tokens, cost = s.cost + excluded.cost, upstream_cost = s.upstream_cost + excluded.upstream_cost,
        unknown_costs = s.unknown_costs + excluded.unknown_costs, last_at = greatest(s.last_at, excluded.last_at);
  END IF;
  IF cardinality(moved_requests) > 0 THEN
    INSERT INTO transfer (request, debit, credit, amount, at)
      SELECT x.request, x.debit, x.credit, x.amount, now_ms
      FROM unnest(moved_requests, debits, credits, moved_amounts) AS x (request, debit, credit, amount);
  END IF;
  IF cardinality(shared_ids) > 0 THEN
    INSERT INTO budget_sum AS s (budget, node_id, window_start, window_spent, spent)
      SELECT x.id, x.node, x.last, sum(x.paid) FILTER (WHERE x.start = x.last), sum(x.paid)
      FROM (SELECT p.*, max(p.start) OVER (PARTITION BY p.id, p.node) AS last
        FROM unnest(shared_ids, shared_nodes, shared_starts, shared_paid) AS p (id, node, start, paid)) x
      GROUP BY x.id, x.node, x.last ORDER BY x.id, x.node
      ON CONFLICT (budget, node_id) DO UPDATE SET spent = s.spent + excluded.spent,
        window_start = greatest(s.window_start, excluded.window_start),
        window_spent = CASE WHEN s.window_start > excluded.window_start THEN s.window_spent
          WHEN s.window_start = excluded.window_start THEN s.window_spent + excluded.window_spent ELSE excluded.window_spent END;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION ledger_apply(batch json, wait_for_locks boolean)
RETURNS TABLE (place integer, verdict text, amount bigint, tokens bigint, change bigint)
LANGUAGE sql AS $$
  SELECT place, verdict, amount, tokens, change FROM ledger_apply_2(batch, wait_for_locks, false)
$$;

-- The verb `restore` of money/ledger.ts, with what the request counts against.
CREATE FUNCTION ledger_restore_2(lost bigint, of_account bigint, of_key bigint, of_node integer, of_epoch integer, of_model text,
  of_upstream text, of_budgets text, of_tags text, of_user text, of_session text)
RETURNS TABLE (verdict text, amount bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  SELECT r.verdict, r.amount INTO verdict, amount
    FROM ledger_restore(lost, of_account, of_key, of_node, of_epoch, of_model, of_upstream) r;
  IF verdict = 'done' THEN
    UPDATE request SET tags = of_tags, end_user = of_user, session = of_session, budgets = coalesce((
        SELECT string_agg(b.id::text, ',' ORDER BY n.place)
        FROM unnest(string_to_array(of_budgets, ',')::bigint[]) WITH ORDINALITY AS n (id, place) JOIN budget b ON b.id = n.id
        WHERE b.deleted_at IS NULL AND (b.account IS NULL OR b.account = of_account)), '')
      WHERE id = lost;
  END IF;
  RETURN NEXT;
END $$;
