-- What is left of requests at price 0 whose rows have been removed: sums by account, which the audit needs.
CREATE TABLE folded_request (
  account INTEGER PRIMARY KEY,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  upstream_cost INTEGER NOT NULL
) STRICT;
CREATE INDEX request_free ON request (id) WHERE held = 0 AND state <> 0;
