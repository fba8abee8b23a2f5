CREATE TABLE configuration_revision (
  revision bigint PRIMARY KEY CHECK (revision > 0),
  at bigint NOT NULL,
  actor_type text NOT NULL,
  actor text NOT NULL,
  request bigint,
  action text NOT NULL,
  reason text NOT NULL
);
CREATE TABLE configuration_change (
  revision bigint NOT NULL REFERENCES configuration_revision (revision),
  kind text NOT NULL CHECK (kind IN ('upstream', 'model', 'group', 'setting')),
  id text NOT NULL,
  before text,
  after text,
  PRIMARY KEY (revision, kind, id)
);
CREATE TABLE stored_entry (
  kind text NOT NULL CHECK (kind IN ('upstream', 'model', 'group', 'setting')),
  id text NOT NULL,
  value text NOT NULL,
  revision bigint NOT NULL REFERENCES configuration_revision (revision),
  PRIMARY KEY (kind, id)
);
CREATE TABLE stored_secret (
  id text PRIMARY KEY,
  owner text NOT NULL,
  sealed bytea,
  fingerprint text NOT NULL,
  last_four text NOT NULL,
  created_at bigint NOT NULL,
  erased_at bigint
);
