-- Runs of the audit of the ledger, the last of them. One that is not renewed any more was stopped. The actor is written as in the audit log.
CREATE TABLE ledger_audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  started_at INTEGER NOT NULL,
  renewed_at INTEGER NOT NULL,
  ended_at INTEGER,
  actor_type TEXT NOT NULL,
  actor TEXT NOT NULL,
  -- How much of it is done.
  step INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  -- NULL: it has no result.
  ok INTEGER CHECK (ok IN (0, 1)),
  -- JSON.
  report TEXT
) STRICT;

-- What requests cost beyond their wallets, by time. Few settlements write it.
CREATE INDEX transfer_shortfall ON transfer (at) WHERE debit = -4 OR credit = -4;
