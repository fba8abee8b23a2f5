-- What account holders are told (notices/): of budgets, balances, keys and statements.
CREATE TABLE notice (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('budget', 'balance', 'key', 'statement')),
  -- The member whose key or cap it is about; NULL: only owners are told.
  person INTEGER,
  -- What letters and webhooks say, as JSON.
  facts TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- Why it is listed without being sent; empty: it is sent.
  withheld TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX notice_account ON notice (account, id);
-- The last crossing that was told of: of a budget, a cap, a balance or a key, in its last period. Written with the notice.
CREATE TABLE notice_mark (
  account INTEGER NOT NULL,
  subject TEXT NOT NULL,
  -- The beginning of the period; of a balance, the last credit.
  period INTEGER NOT NULL,
  -- The amount that the percentage is of: another amount is another crossing.
  basis INTEGER NOT NULL,
  -- The percentage.
  level INTEGER NOT NULL,
  PRIMARY KEY (account, subject)
) STRICT, WITHOUT ROWID;
-- The outbox: written with the notice. What was being sent when a process ended is never sent again: nobody knows whether it arrived.
CREATE TABLE notice_delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  notice INTEGER NOT NULL REFERENCES notice (id),
  account INTEGER NOT NULL,
  -- Who gets the email; NULL: the account's webhook gets it.
  person INTEGER,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending', 'sent', 'failed', 'unknown')),
  tries INTEGER NOT NULL DEFAULT 0,
  -- Waiting: of the next try. Sending: when it is taken for interrupted. Otherwise: when it ended.
  due_at INTEGER NOT NULL,
  error TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX notice_delivery_notice ON notice_delivery (notice);
CREATE INDEX notice_delivery_open ON notice_delivery (account, due_at) WHERE state IN ('waiting', 'sending');
-- Where an account wants its notices.
CREATE TABLE notice_webhook (
  account INTEGER PRIMARY KEY REFERENCES account (id),
  url TEXT NOT NULL,
  set_at INTEGER NOT NULL
) STRICT;
-- The kinds of notices that the person wants by email, as JSON; NULL: those that the operator has set.
ALTER TABLE preference ADD COLUMN notices TEXT;
CREATE INDEX api_key_expires ON api_key (expires_at) WHERE expires_at IS NOT NULL;
