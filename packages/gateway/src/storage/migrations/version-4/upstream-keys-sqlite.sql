-- Calls of upstreams within an hour, by the key that they were made with: `key` is a keyed fingerprint of it.
CREATE TABLE upstream_key_hour (
  hour INTEGER NOT NULL,
  upstream TEXT NOT NULL,
  key TEXT NOT NULL,
  calls INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (hour, upstream, key)
) STRICT, WITHOUT ROWID;
