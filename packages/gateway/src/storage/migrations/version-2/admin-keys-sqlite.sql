-- Keys of the admin API: they have a role in the gateway, and call no models. `made_by`: the person whose disabling stops the key; NULL: made
-- on the command line.
CREATE TABLE admin_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  last_four TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'finance', 'support', 'viewer')),
  made_by INTEGER REFERENCES person (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  -- A JSON list of IP ranges; NULL: any.
  networks TEXT,
  last_used_at INTEGER,
  deleted_at INTEGER
) STRICT;
CREATE INDEX admin_key_person ON admin_key (made_by) WHERE made_by IS NOT NULL;
