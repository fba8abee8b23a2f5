-- What requests are spent for, and the budgets that they count against: tags and ids, each joined by commas.
ALTER TABLE request ADD COLUMN tags text NOT NULL DEFAULT '';
ALTER TABLE request ADD COLUMN end_user text NOT NULL DEFAULT '';
ALTER TABLE request ADD COLUMN session text NOT NULL DEFAULT '';
ALTER TABLE request ADD COLUMN budgets text NOT NULL DEFAULT '';
CREATE INDEX request_session ON request (account, session, id) WHERE session <> '';
-- Sums of charges of one day (UTC) by tag, and by end user. A request counts for each of its tags.
CREATE TABLE daily_attribution_spending (
  account bigint NOT NULL,
  dimension text NOT NULL CHECK (dimension IN ('tag', 'end_user')),
  day bigint NOT NULL,
  value text NOT NULL,
  key bigint NOT NULL,
  model text NOT NULL,
  upstream text NOT NULL,
  outcome text NOT NULL,
  requests bigint NOT NULL,
  tokens bigint NOT NULL,
  cost bigint NOT NULL,
  upstream_cost bigint NOT NULL,
  unknown_costs bigint NOT NULL,
  last_at bigint NOT NULL,
  PRIMARY KEY (account, dimension, day, value, key, model, upstream, outcome)
);
CREATE INDEX daily_attribution_spending_value ON daily_attribution_spending (dimension, value, day);
-- How many distinct values these sums have: further ones are added up as one.
CREATE TABLE daily_attribution_values (
  account bigint NOT NULL,
  dimension text NOT NULL,
  day bigint NOT NULL,
  known bigint NOT NULL,
  PRIMARY KEY (account, dimension, day)
);
