-- What is left of requests at price 0 whose rows have been removed: sums by account, which the audit needs.
CREATE TABLE folded_request (
  account bigint PRIMARY KEY,
  requests bigint NOT NULL,
  tokens bigint NOT NULL,
  upstream_cost bigint NOT NULL
);
CREATE INDEX request_free ON request (id) WHERE held = 0 AND state <> 0;
