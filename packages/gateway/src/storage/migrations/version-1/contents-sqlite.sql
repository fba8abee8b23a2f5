-- The tables of contents.db: large values that are kept for a while. Version 1; later changes are migrations (storage/migrations/).

-- What accounts have stored: the bytes of their responses and of the answers to their idempotent requests.
CREATE TABLE stored_size (account INTEGER PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
CREATE INDEX stored_size_bytes ON stored_size (bytes);

-- Responses to requests with an idempotency key. cost is NULL while the request runs. bytes: of the answer, 0 without one.
CREATE TABLE idempotency (
  account INTEGER NOT NULL,
  key BLOB NOT NULL CHECK (length(key) = 32),
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  request INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  cost INTEGER,
  bytes INTEGER NOT NULL DEFAULT 0,
  headers TEXT,
  body BLOB,
  PRIMARY KEY (account, key)
) STRICT;
CREATE INDEX idempotency_expires ON idempotency (expires_at);
CREATE INDEX idempotency_answers ON idempotency (account, claimed_at) WHERE bytes > 0;

CREATE TRIGGER idempotency_changed AFTER UPDATE OF bytes ON idempotency WHEN NEW.bytes <> OLD.bytes BEGIN
  INSERT INTO stored_size (account, bytes) VALUES (NEW.account, NEW.bytes - OLD.bytes)
    ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER idempotency_removed AFTER DELETE ON idempotency WHEN OLD.bytes > 0 BEGIN
  UPDATE stored_size SET bytes = bytes - OLD.bytes WHERE account = OLD.account;
END;

-- Stored images and videos, whose contents are files or objects of their own. size is NULL until the content is complete.
CREATE TABLE media (
  id TEXT PRIMARY KEY,
  account INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  size INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX media_expires ON media (expires_at);
CREATE INDEX media_account ON media (account, created_at);

-- The bytes of objects that are complete, by account. Those of a stored response, which never expire by themselves, are counted with it.
CREATE TABLE media_size (account INTEGER PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
CREATE INDEX media_size_bytes ON media_size (bytes);
CREATE TRIGGER media_changed AFTER UPDATE OF size, expires_at ON media BEGIN
  INSERT INTO media_size (account, bytes) VALUES (NEW.account,
      iif(NEW.expires_at < 9007199254740991, coalesce(NEW.size, 0), 0)
      - iif(OLD.expires_at < 9007199254740991, coalesce(OLD.size, 0), 0))
    ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER media_removed AFTER DELETE ON media WHEN OLD.expires_at < 9007199254740991 BEGIN
  UPDATE media_size SET bytes = bytes - coalesce(OLD.size, 0) WHERE account = OLD.account;
END;

-- Video tasks. id is that of the request. due_at is NULL when there is nothing left to do; claimed_until is 0 when no process has the
-- task; expires_at is NULL until it is known when the row is removed. data is last because it is long and most queries do not read it.
CREATE TABLE task (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  key INTEGER NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  status TEXT NOT NULL,
  model TEXT NOT NULL,
  service_tier TEXT,
  upstream TEXT NOT NULL,
  upstream_key TEXT NOT NULL,
  upstream_task TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  due_at INTEGER,
  claimed_until INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER,
  data TEXT NOT NULL
) STRICT;
-- Has all columns of the filters, so that counting the tasks of an account does not read their rows.
CREATE INDEX task_account ON task (account, id, key, state, status, model, service_tier);
CREATE INDEX task_due ON task (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX task_expires ON task (expires_at) WHERE expires_at IS NOT NULL;

-- Stored responses. continued: how many rows have this one as their parent; a row stays as long as there are any. A hidden row has
-- expired. items and media are JSON lists of ids. bytes: of the row and of its media. Columns that only some queries read come last, because they are long.
CREATE TABLE response (
  account INTEGER NOT NULL,
  id TEXT NOT NULL,
  key INTEGER NOT NULL,
  parent TEXT,
  continued INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  items TEXT NOT NULL,
  media TEXT NOT NULL,
  bytes INTEGER NOT NULL DEFAULT 0,
  turn BLOB NOT NULL,
  record BLOB NOT NULL,
  PRIMARY KEY (account, id)
) STRICT;
CREATE INDEX response_removable ON response (expires_at) WHERE continued = 0;
CREATE INDEX response_last ON response (account, created_at) WHERE continued = 0;

CREATE TABLE response_item (
  account INTEGER NOT NULL,
  item TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  response TEXT NOT NULL,
  PRIMARY KEY (account, item, created_at, response)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER response_added AFTER INSERT ON response BEGIN
  UPDATE response SET continued = continued + 1 WHERE account = NEW.account AND id = NEW.parent;
  INSERT INTO response_item (account, item, created_at, response)
    SELECT NEW.account, value, NEW.created_at, NEW.id FROM json_each(NEW.items);
  UPDATE media SET expires_at = 9007199254740991 WHERE id IN (SELECT value FROM json_each(NEW.media));
  INSERT INTO stored_size (account, bytes) VALUES (NEW.account, NEW.bytes)
    ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER response_removed AFTER DELETE ON response BEGIN
  UPDATE response SET continued = continued - 1 WHERE account = OLD.account AND id = OLD.parent;
  DELETE FROM response_item WHERE account = OLD.account AND item IN (SELECT value FROM json_each(OLD.items))
    AND created_at = OLD.created_at AND response = OLD.id;
  UPDATE media SET expires_at = 0 WHERE id IN (SELECT value FROM json_each(OLD.media));
  UPDATE stored_size SET bytes = bytes - OLD.bytes WHERE account = OLD.account;
END;

-- Reasoning state that clients cannot carry, and the bytes of its values by account.
CREATE TABLE reasoning (
  account INTEGER NOT NULL,
  key BLOB NOT NULL CHECK (length(key) = 32),
  stored_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (account, key)
) STRICT;
CREATE INDEX reasoning_expires ON reasoning (expires_at);
CREATE INDEX reasoning_stored ON reasoning (account, stored_at, key);

CREATE TABLE reasoning_size (account INTEGER PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
CREATE TRIGGER reasoning_added AFTER INSERT ON reasoning BEGIN
  INSERT INTO reasoning_size (account, bytes) VALUES (NEW.account, length(NEW.value))
    ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER reasoning_replaced AFTER UPDATE ON reasoning BEGIN
  UPDATE reasoning_size SET bytes = bytes + length(NEW.value) - length(OLD.value) WHERE account = NEW.account;
END;
CREATE TRIGGER reasoning_removed AFTER DELETE ON reasoning BEGIN
  UPDATE reasoning_size SET bytes = bytes - length(OLD.value) WHERE account = OLD.account;
END;
