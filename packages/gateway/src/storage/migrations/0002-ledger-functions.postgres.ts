// The rules of money/ledger.ts as functions, so that a batch of verbs is one round trip and one commit.
//
// ledger_apply reads everything once, decides in memory in the order of the batch, and writes everything once. Locks are
// taken in one order by everybody: accounts by id, keys by id, then requests, which only the holder of their account's
// lock may change. Each statement of the function sees what was committed before it began, hence what came before its
// locks; the clock is read after them too, because waiting for a lock takes time.
//
// With `patient` off a locked account or key is not waited for: its verbs come back as `busy`, undecided.
// A request appears at most once in a batch; the caller sees to that.

/** 10000 ms: DEAD_AFTER_MS of money/ledger.ts. States: 0 held, 1 settled, 2 voided, 3 reaped. -1 revenue, -4 shortfall. */
const LEDGER_APPLY = `
CREATE FUNCTION ledger_apply(batch json, patient boolean)
RETURNS TABLE (place integer, outcome text, amount bigint)
LANGUAGE plpgsql
-- Plans are kept, and one made while the tables were empty would read all of them once they are not.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  now_ms bigint;
  wanted_accounts bigint[];
  wanted_keys bigint[];
  -- The locked accounts and keys, one array per column, and whether they have to be written.
  account_ids bigint[]; balances bigint[]; account_helds bigint[]; disableds smallint[]; account_changed boolean[];
  key_ids bigint[]; key_accounts bigint[]; revokeds smallint[]; expiries bigint[]; caps bigint[]; spents bigint[];
  key_helds bigint[]; key_changed boolean[];
  -- What is to be written besides.
  new_ids bigint[] := '{}'; new_accounts bigint[] := '{}'; new_keys bigint[] := '{}'; new_slots integer[] := '{}';
  new_epochs integer[] := '{}'; new_helds bigint[] := '{}'; new_models text[] := '{}'; new_upstreams text[] := '{}';
  old_ids bigint[] := '{}'; old_states smallint[] := '{}'; old_helds bigint[] := '{}'; old_progresses bigint[] := '{}';
  old_costs bigint[] := '{}'; old_shortfalls bigint[] := '{}'; old_endings text[] := '{}'; old_receipts text[] := '{}';
  moved_requests bigint[] := '{}'; debits bigint[] := '{}'; credits bigint[] := '{}'; moved_amounts bigint[] := '{}';
  v record;
  a integer;
  k integer;
  is_owner boolean;
  in_wallet bigint;
  under_cap bigint;
  total bigint;
  paid bigint;
  short bigint;
BEGIN
  SELECT array_agg(DISTINCT coalesce(r.account, x.account)), array_agg(DISTINCT coalesce(r.key, x.key))
    INTO wanted_accounts, wanted_keys
    FROM json_to_recordset(batch) AS x (id bigint, account bigint, key bigint) LEFT JOIN request r ON r.id = x.id;

  IF patient THEN
    SELECT array_agg(s.id), array_agg(s.balance), array_agg(s.held), array_agg(s.disabled), array_agg(false)
      INTO account_ids, balances, account_helds, disableds, account_changed
      FROM (SELECT * FROM account WHERE id = ANY (wanted_accounts) ORDER BY id FOR NO KEY UPDATE) s;
    SELECT array_agg(s.id), array_agg(s.account), array_agg(s.revoked), array_agg(s.expires_at), array_agg(s.cap),
        array_agg(s.spent), array_agg(s.held), array_agg(false)
      INTO key_ids, key_accounts, revokeds, expiries, caps, spents, key_helds, key_changed
      FROM (SELECT * FROM api_key WHERE id = ANY (wanted_keys) ORDER BY id FOR NO KEY UPDATE) s;
  ELSE
    SELECT array_agg(s.id), array_agg(s.balance), array_agg(s.held), array_agg(s.disabled), array_agg(false)
      INTO account_ids, balances, account_helds, disableds, account_changed
      FROM (SELECT * FROM account WHERE id = ANY (wanted_accounts) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) s;
    SELECT array_agg(s.id), array_agg(s.account), array_agg(s.revoked), array_agg(s.expires_at), array_agg(s.cap),
        array_agg(s.spent), array_agg(s.held), array_agg(false)
      INTO key_ids, key_accounts, revokeds, expiries, caps, spents, key_helds, key_changed
      FROM (SELECT * FROM api_key WHERE id = ANY (wanted_keys) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) s;
  END IF;
  now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

  FOR v IN
    SELECT x.*, r.id AS request, r.slot AS request_slot, r.epoch AS request_epoch, r.state, r.held, r.progress AS metered,
      r.cost AS charged, r.shortfall, r.receipt AS old_receipt, coalesce(r.account, x.account) AS owner_account,
      coalesce(r.key, x.key) AS owner_key, node.epoch AS node_epoch, node.renewed_at
    FROM json_to_recordset(batch) AS x (place integer, verb text, id bigint, account bigint, key bigint, slot integer,
      epoch integer, known bigint, amount bigint, minimum bigint, progress bigint, cost bigint, model text, upstream text, ending text,
      receipt text)
    LEFT JOIN request r ON r.id = x.id LEFT JOIN node ON node.slot = x.slot
    ORDER BY x.place
  LOOP
    place := v.place;
    amount := 0;
    a := array_position(account_ids, v.owner_account);
    k := array_position(key_ids, v.owner_key);
    is_owner := v.request_slot = v.slot AND v.request_epoch = v.epoch;

    IF NOT patient AND (
        (a IS NULL AND EXISTS (SELECT FROM account WHERE id = v.owner_account))
        OR (k IS NULL AND EXISTS (SELECT FROM api_key WHERE id = v.owner_key))) THEN
      outcome := 'busy';
    ELSIF v.verb = 'hold' THEN
      IF v.request IS NOT NULL THEN
        IF is_owner AND v.state = 0 THEN
          outcome := 'repeated';
          amount := v.held;
        ELSE
          outcome := 'not_open';
        END IF;
      ELSIF v.node_epoch IS DISTINCT FROM v.epoch OR v.renewed_at <= now_ms - 10000 THEN
        outcome := 'node_lost';
      ELSIF a IS NULL OR k IS NULL OR key_accounts[k] <> v.account OR revokeds[k] <> 0 THEN
        outcome := 'key_invalid';
      ELSIF expiries[k] <= now_ms THEN
        outcome := 'key_expired';
      ELSIF disableds[a] <> 0 THEN
        outcome := 'account_disabled';
      ELSE
        outcome := 'done';
      END IF;
    ELSIF v.request IS NULL THEN
      outcome := 'unknown_request';
    ELSIF v.verb = 'reap' THEN
      outcome := CASE WHEN v.state = 0 THEN 'done' ELSE 'not_open' END;
    ELSIF NOT is_owner OR (v.verb = 'extend' AND v.state <> 0) THEN
      outcome := 'not_open';
    ELSIF v.verb = 'extend' THEN
      IF a IS NULL OR k IS NULL THEN
        outcome := 'key_invalid';
      ELSIF v.held > v.known THEN
        -- More is held than its owner knows of: this extension took effect and its answer was lost.
        outcome := 'repeated';
        amount := v.held - v.known;
      ELSE
        outcome := 'done';
      END IF;
    ELSIF v.state IN (1, 2) THEN
      outcome := 'repeated';
      amount := v.charged;
    ELSE
      outcome := 'done';
    END IF;

    total := 0;
    IF outcome = 'done' AND v.verb IN ('hold', 'extend') THEN
      -- What of the amount can be had: all, the part down to the minimum, or a refusal that says what is available.
      in_wallet := greatest(balances[a] - account_helds[a], 0);
      under_cap := CASE WHEN caps[k] IS NULL THEN in_wallet ELSE greatest(caps[k] - spents[k] - key_helds[k], 0) END;
      IF in_wallet < v.minimum THEN
        outcome := 'no_balance';
        amount := in_wallet;
      ELSIF under_cap < v.minimum THEN
        outcome := 'cap_reached';
        amount := under_cap;
      ELSE
        total := least(v.amount, in_wallet, under_cap);
        amount := total;
        account_helds[a] := account_helds[a] + total;
        key_helds[k] := key_helds[k] + total;
        account_changed[a] := true;
        key_changed[k] := true;
      END IF;
      IF outcome = 'done' AND v.verb = 'hold' THEN
        new_ids := new_ids || v.id;
        new_accounts := new_accounts || v.account;
        new_keys := new_keys || v.key;
        new_slots := new_slots || v.slot;
        new_epochs := new_epochs || v.epoch;
        new_helds := new_helds || total;
        new_models := new_models || v.model;
        new_upstreams := new_upstreams || v.upstream;
      END IF;
    ELSIF outcome = 'done' THEN
      -- Makes total what the request costs in all: releases its hold, or corrects what was charged when it was reaped.
      -- Beyond the hold only what the wallet has free is taken, never more: the rest is the operator's shortfall.
      IF a IS NULL OR k IS NULL THEN
        -- Or it came into being after the locks were taken: tried again, that settles itself.
        RAISE EXCEPTION 'request % has no account or key', v.id USING ERRCODE = 'serialization_failure';
      END IF;
      total := CASE v.verb WHEN 'settle' THEN v.cost WHEN 'reap' THEN v.metered ELSE 0 END;
      IF v.state = 0 THEN
        account_helds[a] := account_helds[a] - v.held;
        key_helds[k] := key_helds[k] - v.held;
      END IF;
      paid := least(total - v.charged, greatest(balances[a] - account_helds[a], 0));
      balances[a] := balances[a] - paid;
      spents[k] := spents[k] + paid;
      account_changed[a] := true;
      key_changed[k] := true;
      short := total - v.charged - paid;
      IF paid <> 0 THEN
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
      old_ids := old_ids || v.id;
      old_states := old_states || CASE v.verb WHEN 'settle' THEN 1 WHEN 'void' THEN 2 ELSE 3 END::smallint;
      old_helds := old_helds || v.held;
      old_progresses := old_progresses || v.metered;
      old_costs := old_costs || amount;
      old_shortfalls := old_shortfalls || short;
      old_endings := old_endings || CASE v.verb WHEN 'reap' THEN 'reaped' ELSE v.ending END;
      old_receipts := old_receipts || CASE v.verb WHEN 'reap' THEN v.old_receipt ELSE v.receipt END;
    END IF;
    IF v.verb = 'extend' AND outcome IN ('done', 'repeated', 'no_balance', 'cap_reached') THEN
      -- The progress is kept even when the money is refused: it is what a reaper would charge.
      old_ids := old_ids || v.id;
      old_states := old_states || 0::smallint;
      old_helds := old_helds || v.held + total;
      old_progresses := old_progresses || greatest(v.progress, v.metered);
      old_costs := old_costs || v.charged;
      old_shortfalls := old_shortfalls || v.shortfall;
      old_endings := old_endings || ''::text;
      old_receipts := old_receipts || v.old_receipt;
    END IF;
    RETURN NEXT;
  END LOOP;

  IF true = ANY (account_changed) THEN
    UPDATE account SET balance = x.balance, held = x.held
      FROM unnest(account_ids, balances, account_helds, account_changed) AS x (id, balance, held, changed)
      WHERE account.id = x.id AND x.changed;
    UPDATE api_key SET spent = x.spent, held = x.held
      FROM unnest(key_ids, spents, key_helds, key_changed) AS x (id, spent, held, changed)
      WHERE api_key.id = x.id AND x.changed;
  END IF;
  IF cardinality(new_ids) > 0 THEN
    INSERT INTO request (id, account, key, slot, epoch, state, held, model, upstream)
      SELECT x.id, x.account, x.key, x.slot, x.epoch, 0, x.held, x.model, x.upstream
      FROM unnest(new_ids, new_accounts, new_keys, new_slots, new_epochs, new_helds, new_models, new_upstreams)
        AS x (id, account, key, slot, epoch, held, model, upstream);
  END IF;
  IF cardinality(old_ids) > 0 THEN
    UPDATE request SET state = x.state, held = x.held, progress = x.progress, cost = x.cost, shortfall = x.shortfall,
        ending = x.ending, receipt = x.receipt
      FROM unnest(old_ids, old_states, old_helds, old_progresses, old_costs, old_shortfalls, old_endings, old_receipts)
        AS x (id, state, held, progress, cost, shortfall, ending, receipt)
      WHERE request.id = x.id;
  END IF;
  IF cardinality(moved_requests) > 0 THEN
    INSERT INTO transfer (request, debit, credit, amount, at)
      SELECT x.request, x.debit, x.credit, x.amount, now_ms
      FROM unnest(moved_requests, debits, credits, moved_amounts) AS x (request, debit, credit, amount);
  END IF;
END $$`

/** An account that somebody keeps locked is left for the next time: it must not keep the others from being reaped. */
const LEDGER_REAP = `
CREATE FUNCTION ledger_reap(most bigint) RETURNS bigint
LANGUAGE plpgsql
SET lock_timeout = '500ms'
AS $$
DECLARE
  dead_before bigint := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 10000;
  orphans bigint[];
  wallet bigint;
  locked bigint[] := '{}';
  reaped bigint;
BEGIN
  SELECT array_agg(o.id) INTO orphans FROM (
    SELECT r.id FROM request r LEFT JOIN node n ON n.slot = r.slot
    WHERE r.state = 0 AND (n.slot IS NULL OR n.epoch > r.epoch OR n.renewed_at <= dead_before)
    ORDER BY r.id LIMIT most) o;
  FOR wallet IN SELECT DISTINCT r.account FROM request r WHERE r.id = ANY (orphans) ORDER BY 1 LOOP
    BEGIN
      PERFORM FROM account WHERE id = wallet FOR NO KEY UPDATE;
      locked := locked || wallet;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END LOOP;
  SELECT count(*) FILTER (WHERE outcome = 'done') INTO reaped FROM ledger_apply((
    SELECT coalesce(json_agg(json_build_object('place', o.place, 'verb', 'reap', 'id', o.id)), '[]'::json)
    FROM (SELECT r.id, row_number() OVER (ORDER BY r.id) AS place FROM request r
      WHERE r.id = ANY (orphans) AND r.account = ANY (locked)) o), true);
  RETURN reaped;
END $$`

/** The row of a slot decides between processes that claim it at once; a missing one is made first, as never alive. */
const LEDGER_NODE = `
CREATE FUNCTION ledger_node(verb text, claimed integer, claimed_epoch integer, new_config text, takeover boolean)
RETURNS TABLE (outcome text, amount bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  found_node node%ROWTYPE;
  now_ms bigint;
BEGIN
  IF verb = 'join' THEN
    INSERT INTO node (slot, epoch, renewed_at, config) VALUES (claimed, 0, 0, '') ON CONFLICT (slot) DO NOTHING;
  END IF;
  SELECT * INTO found_node FROM node WHERE slot = claimed FOR UPDATE;
  now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  outcome := 'done';
  amount := 0;
  IF verb = 'join' THEN
    IF found_node.renewed_at > now_ms - 10000 AND NOT takeover THEN
      outcome := 'slot_taken';
    ELSE
      amount := found_node.epoch + 1;
      UPDATE node SET epoch = found_node.epoch + 1, renewed_at = now_ms, config = new_config WHERE slot = claimed;
    END IF;
  ELSIF verb = 'renew' THEN
    IF found_node.epoch = claimed_epoch AND found_node.renewed_at > now_ms - 10000 THEN
      UPDATE node SET renewed_at = now_ms, config = new_config WHERE slot = claimed;
    ELSE
      outcome := 'node_lost';
    END IF;
  ELSIF found_node.epoch = claimed_epoch THEN
    UPDATE node SET renewed_at = 0 WHERE slot = claimed;
  ELSE
    outcome := 'repeated';
  END IF;
  RETURN NEXT;
END $$`

export const ledgerFunctionsPostgres: readonly string[] = [LEDGER_APPLY, LEDGER_REAP, LEDGER_NODE]
