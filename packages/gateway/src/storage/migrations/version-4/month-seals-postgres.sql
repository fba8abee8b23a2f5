CREATE TABLE month_seal (
  ends_at bigint PRIMARY KEY,
  sealed_at bigint NOT NULL,
  first_open bigint NOT NULL,
  last_sealed bigint NOT NULL,
  transfers bigint NOT NULL,
  previous text NOT NULL,
  hash text NOT NULL
);
CREATE TABLE month_seal_account (
  ends_at bigint NOT NULL,
  account bigint NOT NULL,
  balance bigint NOT NULL,
  spent bigint NOT NULL,
  requests bigint NOT NULL,
  tokens bigint NOT NULL,
  upstream_cost bigint NOT NULL,
  used_requests bigint NOT NULL,
  used_tokens bigint NOT NULL,
  used_cost bigint NOT NULL,
  PRIMARY KEY (ends_at, account)
);
CREATE INDEX month_seal_account_last ON month_seal_account (account, ends_at);
CREATE TABLE month_seal_key (
  ends_at bigint NOT NULL,
  key bigint NOT NULL,
  spent bigint NOT NULL,
  PRIMARY KEY (ends_at, key)
);
CREATE INDEX month_seal_key_last ON month_seal_key (key, ends_at);
CREATE TABLE month_seal_request (
  ends_at bigint NOT NULL,
  request bigint NOT NULL,
  cost bigint NOT NULL,
  shortfall bigint NOT NULL,
  PRIMARY KEY (ends_at, request)
);
