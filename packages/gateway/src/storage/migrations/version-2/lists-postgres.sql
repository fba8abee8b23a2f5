CREATE TABLE daily_total (
  day bigint NOT NULL,
  model text NOT NULL,
  upstream text NOT NULL,
  outcome text NOT NULL,
  requests bigint NOT NULL,
  tokens bigint NOT NULL,
  cost bigint NOT NULL,
  upstream_cost bigint NOT NULL,
  unknown_costs bigint NOT NULL,
  PRIMARY KEY (day, model, upstream, outcome)
);
CREATE INDEX transfer_without_request ON transfer (id) WHERE request IS NULL;
CREATE INDEX api_key_group ON api_key (group_name, id);
ALTER TABLE person ADD COLUMN signed_in_at bigint;
CREATE TABLE node_state (
  node_id integer PRIMARY KEY,
  epoch bigint NOT NULL,
  version text NOT NULL,
  started_at bigint NOT NULL,
  revision bigint NOT NULL,
  ready integer NOT NULL CHECK (ready IN (0, 1)),
  faults text NOT NULL,
  reported_at bigint NOT NULL
);
CREATE TABLE job_run (
  name text PRIMARY KEY,
  scope text NOT NULL CHECK (scope IN ('node', 'cluster')),
  interval_ms bigint,
  node_id integer NOT NULL,
  began_at bigint NOT NULL,
  duration_ms bigint NOT NULL,
  next_at bigint NOT NULL,
  error text,
  failed_at bigint,
  is_failing integer NOT NULL CHECK (is_failing IN (0, 1))
);
