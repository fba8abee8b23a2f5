-- The tables of contents.db: large values that are kept for a while. See schema.sql for the rules of editing.

-- Responses to requests with an idempotency key. cost is NULL while the request runs.
CREATE TABLE idempotency (
  account INTEGER NOT NULL,
  key BLOB NOT NULL CHECK (length(key) = 32),
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  request INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  cost INTEGER,
  headers TEXT,
  body BLOB,
  PRIMARY KEY (account, key)
) STRICT;
CREATE INDEX idempotency_expires ON idempotency (expires_at);

-- Stored images and videos, whose contents are files or objects of their own. size is NULL until the content is complete.
CREATE TABLE media (
  id TEXT PRIMARY KEY,
  owner INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  size INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX media_expires ON media (expires_at);
