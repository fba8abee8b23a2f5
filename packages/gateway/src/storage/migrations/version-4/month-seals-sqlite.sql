-- Months of the ledger that are closed (sql/months/): what accounts and keys had at their end, in rows only for those with a change in
-- the month. Without its row in month_seal, which is written last, a month is not sealed yet. `ends_at`: the end of the month, UTC.
CREATE TABLE month_seal (
  ends_at INTEGER PRIMARY KEY,
  sealed_at INTEGER NOT NULL,
  -- Transfers below the first id are all in the seal, those above the last id are not.
  first_open INTEGER NOT NULL,
  last_sealed INTEGER NOT NULL,
  -- How many are in this seal and those before it.
  transfers INTEGER NOT NULL,
  -- SHA-256 over all that the seal has, and the hash of the month before.
  previous TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
-- Sums of everything until the end of the month: of transfers, of the requests that began before it, and of hourly_spending (`used_`).
CREATE TABLE month_seal_account (
  ends_at INTEGER NOT NULL,
  account INTEGER NOT NULL,
  balance INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  upstream_cost INTEGER NOT NULL,
  used_requests INTEGER NOT NULL,
  used_tokens INTEGER NOT NULL,
  used_cost INTEGER NOT NULL,
  PRIMARY KEY (ends_at, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX month_seal_account_last ON month_seal_account (account, ends_at);
CREATE TABLE month_seal_key (
  ends_at INTEGER NOT NULL,
  key INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  PRIMARY KEY (ends_at, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX month_seal_key_last ON month_seal_key (key, ends_at);
-- Requests of sealed months that may still be corrected: no sum above has them, and every audit reads them. What the transfers in this
-- seal say of them.
CREATE TABLE month_seal_request (
  ends_at INTEGER NOT NULL,
  request INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  shortfall INTEGER NOT NULL,
  PRIMARY KEY (ends_at, request)
) STRICT, WITHOUT ROWID;
