-- Requests that run in place of an earlier one with the same idempotency key: see money/repetitions.ts.
CREATE TABLE repetition (
  request bigint PRIMARY KEY,
  first bigint NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX repetition_first ON repetition (first);

-- As in ledger_apply, plans that were made while the tables were empty must not scan them.
--
-- The verb `take_over` of money/repetitions.ts. Locks are taken in the order of ledger_apply, which makes the changes.
CREATE FUNCTION ledger_take_over(of_request bigint, by_request bigint) RETURNS TABLE (verdict text, amount bigint)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  first_id bigint := coalesce((SELECT first FROM repetition WHERE request = of_request), of_request);
  now_ms bigint;
BEGIN
  PERFORM FROM account WHERE id = (SELECT account FROM request WHERE id = first_id) FOR NO KEY UPDATE;
  now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  verdict := 'done';
  amount := 0;
  IF EXISTS (SELECT FROM ledger_repeated(first_id) WHERE state = 0) THEN
    verdict := 'not_open';
  ELSIF EXISTS (SELECT FROM ledger_repeated(first_id) WHERE cost > 0 OR state = 1 AND shortfall > 0) THEN
    verdict := 'repeated';
    amount := (SELECT cost FROM ledger_repeated(first_id) WHERE cost > 0 OR state = 1 AND shortfall > 0
      ORDER BY cost > 0 DESC, id LIMIT 1);
  ELSE
    PERFORM ledger_void_reaped(first_id);
    IF EXISTS (SELECT FROM request WHERE id = first_id AND state = 2 AND node_id <> -1 AND outcome = 'reaped') THEN
      amount := first_id;
      INSERT INTO repetition (request, first, at) VALUES (by_request, first_id, now_ms) ON CONFLICT (request) DO NOTHING;
    END IF;
  END IF;
  RETURN NEXT;
END $$;

-- The verb `collect`. What is locked by others is left for the next time.
CREATE FUNCTION ledger_collect(most bigint) RETURNS TABLE (amount bigint, change bigint)
LANGUAGE plpgsql
SET lock_timeout = '500ms' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  first_id bigint;
  lost request%ROWTYPE;
  charged bigint;
BEGIN
  amount := 0;
  change := 0;
  DELETE FROM repetition WHERE at <= now_ms - 2592000000;
  FOR first_id IN SELECT DISTINCT x.first FROM (SELECT first, request AS id FROM repetition UNION SELECT first, first FROM repetition) x
    JOIN request r ON r.id = x.id WHERE r.state = 1 AND (r.cost > 0 OR r.shortfall > 0) ORDER BY 1 LIMIT most
  LOOP
    BEGIN
      PERFORM FROM account WHERE id = (SELECT account FROM request WHERE id = first_id) FOR NO KEY UPDATE;
    EXCEPTION WHEN lock_not_available THEN
      CONTINUE;
    END;
    IF EXISTS (SELECT FROM ledger_repeated(first_id) WHERE state = 1 AND cost > 0) THEN
      DELETE FROM repetition WHERE first = first_id;
      CONTINUE;
    END IF;
    -- What the reaper charged may still be corrected to nothing.
    CONTINUE WHEN EXISTS (SELECT FROM ledger_repeated(first_id) WHERE state = 0 OR cost > 0)
      OR EXISTS (SELECT FROM repetition p WHERE p.first = first_id AND p.at > now_ms - 30000
        AND NOT EXISTS (SELECT FROM request r WHERE r.id = p.request));
    SELECT * INTO lost FROM ledger_repeated(first_id) WHERE state = 1 AND shortfall > 0 ORDER BY id LIMIT 1;
    CONTINUE WHEN NOT FOUND;
    PERFORM ledger_void_reaped(first_id);
    UPDATE request SET state = 3, outcome = 'reaped' WHERE id = lost.id;
    SELECT a.change INTO charged FROM ledger_apply(json_build_array(json_build_object('place', 0, 'verb', 'settle', 'id', lost.id,
      'node_id', lost.node_id, 'epoch', lost.epoch, 'cost', lost.shortfall, 'tokens', lost.tokens, 'outcome', lost.outcome,
      'receipt', lost.receipt)), true) a;
    amount := amount + 1;
    change := change + charged;
    DELETE FROM repetition WHERE first = first_id;
  END LOOP;
  RETURN NEXT;
END $$;

-- A request and its repetitions, as far as they have placed a hold.
CREATE FUNCTION ledger_repeated(first_id bigint) RETURNS SETOF request
LANGUAGE sql STABLE AS $$
  SELECT r.* FROM (SELECT first_id AS id UNION SELECT request FROM repetition WHERE first = first_id) x JOIN request r ON r.id = x.id
$$;

-- Voids those that the reaper ended, in the name of their owners, who may still return.
CREATE FUNCTION ledger_void_reaped(first_id bigint) RETURNS void
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
BEGIN
  PERFORM ledger_apply((SELECT coalesce(json_agg(json_build_object('place', r.place, 'verb', 'void', 'id', r.id, 'node_id', r.node_id,
    'epoch', r.epoch, 'outcome', 'reaped', 'receipt', r.receipt)), '[]'::json)
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM ledger_repeated(first_id) WHERE state = 3) r), true);
END $$;
