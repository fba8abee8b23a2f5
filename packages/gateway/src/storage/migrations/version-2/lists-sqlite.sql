-- Sums over all accounts of days that are over, which a job adds up from daily_spending: reports by model, upstream, outcome and day read
-- these few rows. `usage_rolled_until` in `meta` is the beginning of the first day that is not here.
CREATE TABLE daily_total (
  day INTEGER NOT NULL,
  model TEXT NOT NULL,
  upstream TEXT NOT NULL,
  outcome TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  upstream_cost INTEGER NOT NULL,
  unknown_costs INTEGER NOT NULL,
  PRIMARY KEY (day, model, upstream, outcome)
) STRICT, WITHOUT ROWID;

-- Lists over all accounts. Neither index is written by a hold or a settlement.
CREATE INDEX transfer_without_request ON transfer (id) WHERE request IS NULL;
CREATE INDEX api_key_group ON api_key (group_name, id);

-- When the person last signed in to the console.
ALTER TABLE person ADD COLUMN signed_in_at INTEGER;

-- What a node tells of itself beside its lease; rows of former epochs are replaced when the id is taken again.
CREATE TABLE node_state (
  node_id INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  version TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  ready INTEGER NOT NULL CHECK (ready IN (0, 1)),
  -- A JSON list of what keeps it from being ready.
  faults TEXT NOT NULL,
  reported_at INTEGER NOT NULL
) STRICT;

-- The last run of each background job, once for all nodes.
CREATE TABLE job_run (
  name TEXT PRIMARY KEY,
  scope TEXT NOT NULL CHECK (scope IN ('node', 'cluster')),
  -- NULL: it decides after each run.
  interval_ms INTEGER,
  node_id INTEGER NOT NULL,
  began_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  -- The last one, and when; NULL: none since the row exists.
  error TEXT,
  failed_at INTEGER,
  is_failing INTEGER NOT NULL CHECK (is_failing IN (0, 1))
) STRICT, WITHOUT ROWID;
