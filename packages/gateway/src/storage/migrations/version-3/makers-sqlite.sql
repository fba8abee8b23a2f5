-- Who made a key, if an operator did: a person, or a key of the admin API. NULL: others (`person`), or the command line.
ALTER TABLE api_key ADD COLUMN operator_person INTEGER;
ALTER TABLE api_key ADD COLUMN operator_key INTEGER;
-- The key sees only what was made with it since then: whoever learned its secret may not read the rest of the account. NULL: no such bound.
ALTER TABLE api_key ADD COLUMN own_since INTEGER;
CREATE INDEX api_key_maker ON api_key (person) WHERE person IS NOT NULL;
CREATE INDEX api_key_operator ON api_key (operator_person) WHERE operator_person IS NOT NULL;

-- 1: an operator made the person a member, not an owner of the account.
ALTER TABLE member ADD COLUMN by_operator INTEGER NOT NULL DEFAULT 0 CHECK (by_operator IN (0, 1));

-- The admin key that made it: it ends with that key.
ALTER TABLE admin_key ADD COLUMN made_by_key INTEGER;
ALTER TABLE invitation ADD COLUMN made_by_key INTEGER;
-- A JSON list: those of the role's permissions that the key has. NULL: all of them.
ALTER TABLE admin_key ADD COLUMN permissions TEXT;
CREATE INDEX admin_key_maker ON admin_key (made_by_key) WHERE made_by_key IS NOT NULL;

-- When the session ends, however often it is used; NULL: after the usual time.
ALTER TABLE session ADD COLUMN ends_at INTEGER;
