-- What requests are spent for, and the budgets that they count against: tags and ids, each joined by commas.
ALTER TABLE request ADD COLUMN tags TEXT NOT NULL DEFAULT '';
ALTER TABLE request ADD COLUMN end_user TEXT NOT NULL DEFAULT '';
ALTER TABLE request ADD COLUMN session TEXT NOT NULL DEFAULT '';
ALTER TABLE request ADD COLUMN budgets TEXT NOT NULL DEFAULT '';
CREATE INDEX request_session ON request (account, session, id) WHERE session <> '';
-- Sums of charges of one day (UTC) by tag, and by end user. A request counts for each of its tags.
CREATE TABLE daily_attribution_spending (
  account INTEGER NOT NULL,
  dimension TEXT NOT NULL CHECK (dimension IN ('tag', 'end_user')),
  day INTEGER NOT NULL,
  value TEXT NOT NULL,
  key INTEGER NOT NULL,
  model TEXT NOT NULL,
  upstream TEXT NOT NULL,
  outcome TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  upstream_cost INTEGER NOT NULL,
  unknown_costs INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (account, dimension, day, value, key, model, upstream, outcome)
) STRICT, WITHOUT ROWID;
CREATE INDEX daily_attribution_spending_value ON daily_attribution_spending (dimension, value, day);
-- How many distinct values these sums have: further ones are added up as one.
CREATE TABLE daily_attribution_values (
  account INTEGER NOT NULL,
  dimension TEXT NOT NULL,
  day INTEGER NOT NULL,
  known INTEGER NOT NULL,
  PRIMARY KEY (account, dimension, day)
) STRICT, WITHOUT ROWID;
