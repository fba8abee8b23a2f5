ALTER TABLE api_key ADD COLUMN operator_person bigint;
ALTER TABLE api_key ADD COLUMN operator_key bigint;
ALTER TABLE api_key ADD COLUMN own_since bigint;
CREATE INDEX api_key_maker ON api_key (person) WHERE person IS NOT NULL;
CREATE INDEX api_key_operator ON api_key (operator_person) WHERE operator_person IS NOT NULL;

ALTER TABLE member ADD COLUMN by_operator smallint NOT NULL DEFAULT 0 CHECK (by_operator IN (0, 1));

ALTER TABLE admin_key ADD COLUMN made_by_key bigint;
ALTER TABLE invitation ADD COLUMN made_by_key bigint;
ALTER TABLE admin_key ADD COLUMN permissions text;
CREATE INDEX admin_key_maker ON admin_key (made_by_key) WHERE made_by_key IS NOT NULL;

ALTER TABLE session ADD COLUMN ends_at bigint;
