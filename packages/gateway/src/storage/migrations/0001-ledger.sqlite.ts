// STRICT: without it SQLite would store a text or a rounded float in a money column without a word.
export const ledgerSqlite: readonly string[] = [
  // AUTOINCREMENT: an id that a cache or a receipt still names is never given out again.
  `CREATE TABLE account (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL UNIQUE,
    balance INTEGER NOT NULL DEFAULT 0,
    held INTEGER NOT NULL DEFAULT 0,
    disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
    created_at INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE api_key (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES account (id),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    name TEXT NOT NULL,
    group_name TEXT NOT NULL,
    revoked INTEGER NOT NULL DEFAULT 0 CHECK (revoked IN (0, 1)),
    expires_at INTEGER,
    cap INTEGER,
    spent INTEGER NOT NULL DEFAULT 0,
    held INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
  ) STRICT`,
  'CREATE UNIQUE INDEX api_key_hash ON api_key (hash)',
  'CREATE INDEX api_key_account ON api_key (account, id)',
  // First the hold, then the receipt. Ids grow with time, so an insert lands on the last page.
  `CREATE TABLE request (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL,
    key INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
    held INTEGER NOT NULL,
    progress INTEGER NOT NULL DEFAULT 0,
    cost INTEGER NOT NULL DEFAULT 0,
    shortfall INTEGER NOT NULL DEFAULT 0,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    ending TEXT NOT NULL DEFAULT '',
    receipt TEXT NOT NULL DEFAULT ''
  ) STRICT`,
  'CREATE INDEX request_account ON request (account, id)',
  'CREATE INDEX request_open ON request (slot, epoch) WHERE state = 0',
  // Zero debit or credit accounts do not exist: wallets are positive, the ledger's own accounts negative.
  `CREATE TABLE transfer (
    id INTEGER PRIMARY KEY,
    request INTEGER,
    debit INTEGER NOT NULL,
    credit INTEGER NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    reason TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL
  ) STRICT`,
  `CREATE TRIGGER transfer_no_update BEFORE UPDATE ON transfer
    BEGIN SELECT RAISE(ABORT, 'transfers are append-only'); END`,
  `CREATE TRIGGER transfer_no_delete BEFORE DELETE ON transfer
    BEGIN SELECT RAISE(ABORT, 'transfers are append-only'); END`,
  `CREATE TABLE node (
    slot INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL,
    config TEXT NOT NULL
  ) STRICT`,
  'CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID',
  'CREATE TABLE change_counter (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL) STRICT',
  'INSERT INTO change_counter (id, value) VALUES (1, 0)',
]
