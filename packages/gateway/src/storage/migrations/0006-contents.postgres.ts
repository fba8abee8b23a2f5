// The answers of requests with an idempotency key. SQLite has them in a file of their own: see sqlite/contents-file.ts.
export const contentsPostgres: readonly string[] = [
  `CREATE TABLE idempotency (
    account bigint NOT NULL,
    key bytea NOT NULL CHECK (length(key) = 32),
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    request bigint NOT NULL,
    slot integer NOT NULL,
    epoch integer NOT NULL,
    claimed_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    cost bigint,
    headers text,
    body bytea,
    PRIMARY KEY (account, key)
  )`,
  'CREATE INDEX idempotency_expires ON idempotency (expires_at)',
  // Answers are JSON that compresses well, but not for nothing, and most are never asked for again.
  'ALTER TABLE idempotency ALTER COLUMN body SET STORAGE EXTERNAL',
]
