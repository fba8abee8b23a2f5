ALTER TABLE node ADD COLUMN renewals bigint NOT NULL DEFAULT 0;

-- join, renew and leave of money/nodes.ts. `known_renewals` and `known_ended`: the witness of a renewal; NULL: there is none.
CREATE FUNCTION ledger_node_2(verb text, claimed integer, claimed_epoch integer, new_config text, takeover boolean,
  known_renewals bigint, known_ended bigint)
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
      UPDATE node SET epoch = found_node.epoch + 1, renewed_at = now_ms, renewals = 0, config = new_config WHERE node_id = claimed;
    END IF;
  ELSIF verb = 'renew' THEN
    IF known_renewals IS NOT NULL AND (found_node.node_id IS NULL OR found_node.epoch < claimed_epoch
      OR found_node.epoch = claimed_epoch AND found_node.renewals < known_renewals
      OR known_ended IS NOT NULL AND NOT EXISTS (SELECT FROM request WHERE id = known_ended AND state <> 0)) THEN
      verdict := 'commits_lost';
    ELSIF found_node.epoch = claimed_epoch AND found_node.renewed_at > now_ms - 10000 THEN
      amount := found_node.renewals + 1;
      UPDATE node SET renewed_at = now_ms, renewals = found_node.renewals + 1, config = new_config WHERE node_id = claimed;
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

-- The verb `restore` of money/ledger.ts: a request that was lost with its commits is running again, with nothing held. Locks are taken
-- in the order of ledger_apply.
CREATE FUNCTION ledger_restore(lost bigint, of_account bigint, of_key bigint, of_node integer, of_epoch integer, of_model text,
  of_upstream text)
RETURNS TABLE (verdict text, amount bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  amount := 0;
  PERFORM FROM account WHERE id = of_account FOR NO KEY UPDATE;
  PERFORM FROM api_key WHERE id = of_key FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM request WHERE id = lost) THEN
    verdict := 'repeated';
  ELSIF NOT EXISTS (SELECT FROM api_key WHERE id = of_key AND account = of_account) THEN
    verdict := 'key_invalid';
  ELSE
    verdict := 'done';
    UPDATE account SET open_requests = open_requests + 1 WHERE id = of_account;
    UPDATE api_key SET open_requests = open_requests + 1 WHERE id = of_key;
    INSERT INTO request (id, account, key, node_id, epoch, state, held, held_at, tokens, model, upstream)
      VALUES (lost, of_account, of_key, of_node, of_epoch, 0, 0, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, 0,
        of_model, of_upstream);
  END IF;
  RETURN NEXT;
END $$;
