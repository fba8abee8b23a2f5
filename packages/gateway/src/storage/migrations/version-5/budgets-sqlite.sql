-- How much may be spent on one thing. Those with an account limit its holds, under the account's lock on PostgreSQL.
CREATE TABLE budget (
  id INTEGER PRIMARY KEY,
  -- NULL: across accounts. What is charged under it is in budget_sum, and nothing is held under it.
  account INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('account', 'member', 'key', 'key_model', 'tag', 'end_user', 'group', 'all')),
  key INTEGER,
  person INTEGER,
  model TEXT,
  -- The tag, the end user or the group.
  value TEXT,
  amount INTEGER NOT NULL,
  -- The highest that the audit allows: the highest amount, or what was spent and held when an amount was lowered below it.
  highest_amount INTEGER NOT NULL,
  period TEXT CHECK (period IN ('day', 'week', 'month', 'hours')),
  every_hours INTEGER,
  starts_at INTEGER,
  hard INTEGER NOT NULL CHECK (hard IN (0, 1)),
  -- Percentages, as JSON.
  alerts TEXT NOT NULL DEFAULT '[]',
  text TEXT NOT NULL DEFAULT '',
  set_by TEXT NOT NULL CHECK (set_by IN ('operator', 'holder')),
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  spent INTEGER NOT NULL DEFAULT 0,
  held INTEGER NOT NULL DEFAULT 0,
  -- The beginning of the last period in which something was held or charged, and what was charged in it.
  window_start INTEGER NOT NULL DEFAULT 0,
  window_spent INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX budget_account ON budget (account, id);
-- What was charged under a budget across accounts, by the node of the requests: in the period that begins then, and in all.
CREATE TABLE budget_sum (
  budget INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  window_start INTEGER NOT NULL,
  window_spent INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  PRIMARY KEY (budget, node_id)
) STRICT, WITHOUT ROWID;
-- The last epoch in which the process with this id knew budgets.
ALTER TABLE node ADD COLUMN budgets_epoch INTEGER NOT NULL DEFAULT 0;
