-- The tables of ledger.db in version 1. Later changes are migrations (storage/migrations/).
--
-- STRICT: otherwise SQLite would silently store text or a rounded float in a money column.
-- AUTOINCREMENT: an id that a cache or a receipt still names is never assigned again.
-- Amounts are nano-USD, times are milliseconds since 1970.

-- People sign in. Accounts own money, keys and usage. Members join them.
CREATE TABLE person (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  email TEXT NOT NULL UNIQUE,
  -- In the gateway; NULL: none, as for most people.
  role TEXT CHECK (role IN ('owner', 'admin', 'finance', 'support', 'viewer')),
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  -- Since when the address is known to be the person's: a link that was sent there was opened, or the operator entered it.
  proved_at INTEGER
) STRICT;

CREATE TABLE account (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Chosen by its owners: neither unique nor proof of anything.
  name TEXT NOT NULL,
  balance INTEGER NOT NULL DEFAULT 0,
  held INTEGER NOT NULL DEFAULT 0,
  -- How far holds may exceed the balance (4000000000000000000: without limit), and the highest that it ever was: the audit proves that
  -- held <= balance + highest_credit_line.
  credit_line INTEGER NOT NULL DEFAULT 0 CHECK (credit_line >= 0),
  highest_credit_line INTEGER NOT NULL DEFAULT 0,
  cap INTEGER,
  cap_period TEXT CHECK (cap_period IN ('day', 'week', 'month')),
  spent INTEGER NOT NULL DEFAULT 0,
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  -- Since when its people, keys and contents are gone; it stays disabled, and its money in the ledger.
  deleted_at INTEGER,
  -- Limits; NULL: none.
  requests_per_minute INTEGER,
  tokens_per_minute INTEGER,
  concurrent INTEGER,
  -- Usage (money/limits.ts). Spending is that of the day of spent_at, and of the days before it in the same week and month.
  open_requests INTEGER NOT NULL DEFAULT 0,
  spent_at INTEGER NOT NULL DEFAULT 0,
  spent_day INTEGER NOT NULL DEFAULT 0,
  week_before INTEGER NOT NULL DEFAULT 0,
  month_before INTEGER NOT NULL DEFAULT 0,
  -- Windows of one minute: alternating seconds and counts, separated by commas.
  requests_window TEXT NOT NULL DEFAULT '',
  tokens_window TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX account_name ON account (name);

-- An account may have no members: one that an operator made for a script.
CREATE TABLE member (
  account INTEGER NOT NULL REFERENCES account (id),
  person INTEGER NOT NULL REFERENCES person (id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  -- What the owner set for the keys that the person made, in sum; NULL: no cap.
  cap INTEGER CHECK (cap IS NULL OR role = 'member'),
  cap_period TEXT CHECK (cap_period IN ('day', 'week', 'month')),
  created_at INTEGER NOT NULL,
  CHECK ((cap IS NULL) = (cap_period IS NULL)),
  PRIMARY KEY (account, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_person ON member (person);

CREATE TABLE credential (
  person INTEGER PRIMARY KEY REFERENCES person (id),
  password TEXT,
  email_verified_at INTEGER,
  -- Trial credit of a sign-up that is granted once its address is proved, and the account that gets it.
  trial_due INTEGER NOT NULL DEFAULT 0 CHECK (trial_due >= 0),
  trial_account INTEGER REFERENCES account (id),
  -- The encrypted secret of the second factor, and the last step of time that a one-time password was accepted for.
  totp_secret BLOB,
  totp_step INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE recovery_code (
  person INTEGER NOT NULL REFERENCES person (id),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (person, hash)
) STRICT, WITHOUT ROWID;

-- What people have chosen in the console.
CREATE TABLE preference (
  person INTEGER PRIMARY KEY REFERENCES person (id),
  low_balance INTEGER,
  language TEXT
) STRICT;

-- Browsers that are signed in to the console, and the account that they show.
CREATE TABLE session (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person INTEGER NOT NULL REFERENCES person (id),
  account INTEGER NOT NULL REFERENCES account (id),
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  user_agent TEXT NOT NULL,
  address TEXT NOT NULL
) STRICT;
CREATE INDEX session_person ON session (person, id);
CREATE INDEX session_expires ON session (expires_at);

-- Links that work once. A new one replaces the former one.
CREATE TABLE link (
  person INTEGER NOT NULL REFERENCES person (id),
  purpose TEXT NOT NULL CHECK (purpose IN ('verify', 'reset', 'setup')),
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (person, purpose)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_expires ON link (expires_at);

-- Attempts to sign in and the like: how many since the first one, and when they are forgotten.
CREATE TABLE attempt (
  subject TEXT PRIMARY KEY,
  attempts INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX attempt_expires ON attempt (expires_at);

CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL REFERENCES account (id),
  -- The person who made it in the console; NULL: the operator.
  person INTEGER REFERENCES person (id),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  -- The secret before the last rotation, and until when it works.
  former_hash BLOB CHECK (length(former_hash) = 32),
  former_until INTEGER CHECK ((former_hash IS NULL) = (former_until IS NULL)),
  last_four TEXT NOT NULL DEFAULT '',
  purpose TEXT NOT NULL DEFAULT 'client' CHECK (purpose IN ('client', 'playground')),
  -- The session of a sign-up whose address nobody has proved, a console session, or the operator.
  made_by TEXT NOT NULL DEFAULT 'command-line' CHECK (made_by IN ('sign-up', 'console', 'command-line', 'first-start')),
  name TEXT NOT NULL,
  group_name TEXT NOT NULL,
  -- 1: the account holder chose the group, so it works only while it is offered to the account.
  holder_chose_group INTEGER NOT NULL DEFAULT 0 CHECK (holder_chose_group IN (0, 1)),
  deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1)),
  revision INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER,
  cap INTEGER,
  cap_period TEXT CHECK (cap_period IN ('day', 'week', 'month')),
  -- JSON lists; NULL: no restriction.
  models TEXT,
  networks TEXT,
  -- What of these terms the operator set, as a JSON object: the account holder can lower it, never raise or clear it.
  ceiling TEXT,
  spent INTEGER NOT NULL DEFAULT 0,
  held INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- Limits and usage, as in account.
  requests_per_minute INTEGER,
  tokens_per_minute INTEGER,
  concurrent INTEGER,
  open_requests INTEGER NOT NULL DEFAULT 0,
  spent_at INTEGER NOT NULL DEFAULT 0,
  spent_day INTEGER NOT NULL DEFAULT 0,
  week_before INTEGER NOT NULL DEFAULT 0,
  month_before INTEGER NOT NULL DEFAULT 0,
  requests_window TEXT NOT NULL DEFAULT '',
  tokens_window TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX api_key_hash ON api_key (hash);
CREATE UNIQUE INDEX api_key_former_hash ON api_key (former_hash) WHERE former_hash IS NOT NULL;
CREATE UNIQUE INDEX api_key_playground ON api_key (account, person) WHERE purpose = 'playground';
CREATE INDEX api_key_account ON api_key (account, id);
CREATE INDEX api_key_last_four ON api_key (last_four);
CREATE INDEX api_key_person ON api_key (account, person) WHERE person IS NOT NULL;

-- A request is first a hold and then a receipt. Ids grow with time, so that inserts go to the last page.
-- State: 0 held, 1 settled, 2 voided, 3 reaped.
CREATE TABLE request (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  key INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  -- Set if the hold belongs to a task (node id -1) instead of a node: the reaper voids it then.
  deadline INTEGER CHECK ((node_id = -1) = (deadline IS NOT NULL)),
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
  held INTEGER NOT NULL,
  held_at INTEGER NOT NULL,
  tokens INTEGER NOT NULL DEFAULT 0,
  progress INTEGER NOT NULL DEFAULT 0,
  cost INTEGER NOT NULL DEFAULT 0,
  shortfall INTEGER NOT NULL DEFAULT 0,
  model TEXT NOT NULL,
  upstream TEXT NOT NULL,
  -- What the operator pays; NULL: not known.
  upstream_cost INTEGER DEFAULT 0,
  outcome TEXT NOT NULL DEFAULT '',
  receipt TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX request_account ON request (account, id);
CREATE INDEX request_open ON request (node_id, epoch) WHERE state = 0;
CREATE INDEX request_failed ON request (id) WHERE outcome IN ('failed', 'cut', 'timeout', 'shutdown', 'expired', 'reaped');
CREATE INDEX request_shortfall ON request (shortfall) WHERE shortfall <> 0;

-- Account holders' wallets have positive ids, the ledger's own accounts negative ones (money/book.ts).
CREATE TABLE transfer (
  id INTEGER PRIMARY KEY,
  request INTEGER,
  debit INTEGER NOT NULL,
  credit INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  reason TEXT NOT NULL DEFAULT '',
  at INTEGER NOT NULL,
  -- The operator's own id of a credit, which makes a repeated one the same.
  reference TEXT
) STRICT;
CREATE UNIQUE INDEX transfer_reference ON transfer (reference) WHERE reference IS NOT NULL;
CREATE INDEX transfer_credited ON transfer (credit, at) WHERE request IS NULL;
CREATE INDEX transfer_debited ON transfer (debit, at) WHERE request IS NULL;
CREATE TRIGGER transfer_no_update BEFORE UPDATE ON transfer
  BEGIN SELECT RAISE(ABORT, 'transfers are append-only'); END;
CREATE TRIGGER transfer_no_delete BEFORE DELETE ON transfer
  BEGIN SELECT RAISE(ABORT, 'transfers are append-only'); END;

-- What was charged within an hour (its beginning, UTC), written with the transfers: their sums are equal. A request counts in the
-- hour of its end; a correction of what the reaper decided counts in its own hour, where a sum may be negative. Reports over all accounts
-- read it, and the sums of days, by their time.
CREATE TABLE hourly_spending (
  account INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  key INTEGER NOT NULL,
  model TEXT NOT NULL,
  upstream TEXT NOT NULL,
  outcome TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  -- What the operator pays, and of how many requests that is not known.
  upstream_cost INTEGER NOT NULL,
  unknown_costs INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (account, hour, key, model, upstream, outcome)
) STRICT, WITHOUT ROWID;
CREATE INDEX hourly_spending_hour ON hourly_spending (hour);

-- The same by day, for periods that are longer than a few days: whatever the key, of which an account may have thousands, and of each key.
CREATE TABLE daily_spending (
  account INTEGER NOT NULL,
  day INTEGER NOT NULL,
  model TEXT NOT NULL,
  upstream TEXT NOT NULL,
  outcome TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  upstream_cost INTEGER NOT NULL,
  unknown_costs INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (account, day, model, upstream, outcome)
) STRICT, WITHOUT ROWID;
CREATE INDEX daily_spending_day ON daily_spending (day);
CREATE TABLE daily_key_spending (
  key INTEGER NOT NULL,
  day INTEGER NOT NULL,
  model TEXT NOT NULL,
  upstream TEXT NOT NULL,
  outcome TEXT NOT NULL,
  account INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  upstream_cost INTEGER NOT NULL,
  unknown_costs INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (key, day, model, upstream, outcome)
) STRICT, WITHOUT ROWID;
CREATE INDEX daily_key_spending_day ON daily_key_spending (day);

-- Requests that were rejected before a hold, by minute (its beginning): they are never part of the usage. Key and account are 0 in rows
-- of the code 'other', which have what did not fit into the bounds.
CREATE TABLE rejected_request (
  account INTEGER NOT NULL,
  key INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  code TEXT NOT NULL,
  count INTEGER NOT NULL,
  last_request TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (account, key, minute, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX rejected_request_account ON rejected_request (account, minute, key, code);
CREATE INDEX rejected_request_minute ON rejected_request (minute, account, key, code);

-- Times to the first token within an hour, as histograms (observe/latency-buckets.ts).
CREATE TABLE latency (
  hour INTEGER NOT NULL,
  model TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (hour, model, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE node (
  node_id INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  renewed_at INTEGER NOT NULL,
  config TEXT NOT NULL
) STRICT;

-- At most one holder per name. The epoch grows with every holder; expires_at is 0 after a release.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Incremented by every change of a key or an account's state: nodes poll it and drop their caches.
CREATE TABLE change_counter (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL) STRICT;
INSERT INTO change_counter (id, value) VALUES (1, 0);

-- Email addresses that ever had an account: trial credit is given once forever. form: the SHA-256 of the canonical form
-- (sql/people/address-form.ts), so that the row of a deleted account does not name anybody.
CREATE TABLE taken_address (form TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER taken_address_no_update BEFORE UPDATE ON taken_address
  BEGIN SELECT RAISE(ABORT, 'taken addresses are never released'); END;
CREATE TRIGGER taken_address_no_delete BEFORE DELETE ON taken_address
  BEGIN SELECT RAISE(ABORT, 'taken addresses are never released'); END;

-- Sign-ups per network and trial credit per day, in days since 1970.
CREATE TABLE sign_up (
  day INTEGER NOT NULL, network TEXT NOT NULL, accounts INTEGER NOT NULL, PRIMARY KEY (day, network)
) STRICT, WITHOUT ROWID;
CREATE TABLE trial_day (day INTEGER PRIMARY KEY, given INTEGER NOT NULL) STRICT;

CREATE TABLE redemption_code (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  amount INTEGER NOT NULL CHECK (amount > 0),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  redeemed_by INTEGER REFERENCES account (id),
  redeemed_at INTEGER CHECK ((redeemed_by IS NULL) = (redeemed_at IS NULL)),
  revoked_at INTEGER CHECK (revoked_at IS NULL OR redeemed_at IS NULL),
  -- The batch that the operator made it in.
  label TEXT NOT NULL DEFAULT '',
  last_four TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX redemption_code_created ON redemption_code (created_at, hash);
CREATE INDEX redemption_code_label ON redemption_code (label);

-- What operations changed, and who asked for it. Only rows from before audit_kept_since can be removed; the job that removes old ones sets it.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL CHECK (actor_type IN ('person', 'admin-key', 'command-line', 'job')),
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  request INTEGER,
  action TEXT NOT NULL,
  object TEXT NOT NULL,
  -- JSON objects.
  before TEXT,
  after TEXT,
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_object ON audit_log (object, id);
CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
  WHEN OLD.at >= coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'audit_kept_since'), 0)
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- What nodes and the audit have measured for the alerts (alerts/); a node renews its rows, and those of a dead one expire. What the
-- numbers count depends on the rule: failed and all requests, used and all bytes.
CREATE TABLE alert_fact (
  source TEXT NOT NULL,
  rule TEXT NOT NULL,
  object TEXT NOT NULL,
  amount INTEGER NOT NULL,
  total INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (source, rule, object)
) STRICT, WITHOUT ROWID;

-- Conditions that alerts tell of. Not fired: it has not lasted long enough. clear_since: it is no longer true, but may return.
CREATE TABLE alert (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  rule TEXT NOT NULL,
  object TEXT NOT NULL,
  value TEXT NOT NULL,
  since INTEGER NOT NULL,
  fired_at INTEGER,
  clear_since INTEGER,
  resolved_at INTEGER CHECK (resolved_at IS NULL OR fired_at IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX alert_open ON alert (rule, object) WHERE resolved_at IS NULL;
CREATE INDEX alert_resolved ON alert (resolved_at);

-- The outbox: written with the change of its alert. Targets have no secrets, which are looked up in the configuration.
CREATE TABLE alert_delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  alert INTEGER NOT NULL REFERENCES alert (id),
  event TEXT NOT NULL CHECK (event IN ('fired', 'resolved')),
  target TEXT NOT NULL,
  body TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  ended_at INTEGER,
  error TEXT,
  UNIQUE (alert, target, event)
) STRICT;
CREATE INDEX alert_delivery_due ON alert_delivery (due_at) WHERE ended_at IS NULL;

-- Verbs that are decided and durable but not yet written to their rows, in reused pages (sqlite/pending.ts).
CREATE TABLE pending_page (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
