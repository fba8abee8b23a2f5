ALTER TABLE task ADD COLUMN type text NOT NULL DEFAULT 'video';
CREATE INDEX task_open ON task (account, type) WHERE type <> 'video' AND state NOT IN ('succeeded', 'failed', 'cancelled', 'expired');

-- The verb `begin` of money/ledger.ts: the hold of a task becomes that of the node that runs it. Locks are taken in the order of
-- ledger_apply.
CREATE FUNCTION ledger_begin(begun bigint, task_epoch integer, new_node integer, new_epoch integer)
RETURNS TABLE (verdict text, amount bigint, tokens bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  now_ms bigint;
  wallet account%ROWTYPE;
  used_key api_key%ROWTYPE;
  found request%ROWTYPE;
  is_own boolean;
  is_alive boolean;
BEGIN
  amount := 0;
  tokens := 0;
  SELECT * INTO found FROM request WHERE id = begun;
  SELECT * INTO wallet FROM account WHERE id = found.account FOR NO KEY UPDATE;
  SELECT * INTO used_key FROM api_key WHERE id = found.key FOR NO KEY UPDATE;
  -- Read again: only the holder of the lock of its account changes a request.
  SELECT * INTO found FROM request WHERE id = begun;
  now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  is_own := EXISTS (SELECT FROM lease WHERE name = 'task/' || begun AND epoch = task_epoch);
  is_alive := EXISTS (SELECT FROM node WHERE node_id = new_node AND epoch = new_epoch AND renewed_at > now_ms - 10000);
  IF found.id IS NULL THEN
    verdict := 'unknown_request';
  ELSIF found.state = 0 AND found.node_id = new_node AND found.epoch = new_epoch THEN
    verdict := 'repeated';
    amount := found.held;
    tokens := found.tokens;
  ELSIF found.state <> 0 OR found.node_id <> -1 OR NOT is_own THEN
    verdict := 'not_open';
  ELSIF NOT is_alive THEN
    verdict := 'node_lost';
  ELSIF wallet.id IS NULL OR used_key.id IS NULL OR used_key.deleted <> 0 THEN
    verdict := 'key_invalid';
  ELSIF used_key.expires_at <= now_ms THEN
    verdict := 'key_expired';
  ELSIF wallet.disabled <> 0 THEN
    verdict := 'account_disabled';
  ELSIF used_key.open_requests >= used_key.concurrent THEN
    verdict := 'key_concurrent';
  ELSIF wallet.open_requests >= wallet.concurrent THEN
    verdict := 'account_concurrent';
  ELSE
    verdict := 'done';
    amount := found.held;
    tokens := found.tokens;
    UPDATE account SET open_requests = open_requests + 1 WHERE id = wallet.id;
    UPDATE api_key SET open_requests = open_requests + 1 WHERE id = used_key.id;
    UPDATE request SET node_id = new_node, epoch = new_epoch, deadline = NULL WHERE id = begun;
  END IF;
  RETURN NEXT;
END $$;
