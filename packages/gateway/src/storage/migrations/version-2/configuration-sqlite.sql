-- Configuration that is stored: entries beside those of the file, in revisions without gaps. Rows of revisions, changes and secrets stay,
-- so that any revision can be restored.
CREATE TABLE configuration_revision (
  revision INTEGER PRIMARY KEY CHECK (revision > 0),
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL,
  actor TEXT NOT NULL,
  request INTEGER,
  action TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;
-- JSON; NULL: there was no entry, or is none now. A secret in it is {"$secret": id}.
CREATE TABLE configuration_change (
  revision INTEGER NOT NULL REFERENCES configuration_revision (revision),
  kind TEXT NOT NULL CHECK (kind IN ('upstream', 'model', 'group', 'setting')),
  id TEXT NOT NULL,
  before TEXT,
  after TEXT,
  PRIMARY KEY (revision, kind, id)
) STRICT;
-- The entries of the newest revision. `revision`: that of its last change.
CREATE TABLE stored_entry (
  kind TEXT NOT NULL CHECK (kind IN ('upstream', 'model', 'group', 'setting')),
  id TEXT NOT NULL,
  value TEXT NOT NULL,
  revision INTEGER NOT NULL REFERENCES configuration_revision (revision),
  PRIMARY KEY (kind, id)
) STRICT;
-- Encrypted with the master secret; NULL once it is erased. `owner`: the entry that it was written for, such as upstream/main.
CREATE TABLE stored_secret (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  sealed BLOB,
  fingerprint TEXT NOT NULL,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  erased_at INTEGER
) STRICT;
