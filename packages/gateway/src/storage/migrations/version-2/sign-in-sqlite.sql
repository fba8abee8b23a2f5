-- Who a person is at a provider of sign-ins, and what the mapping of the provider's groups gave at the last sign-in.
CREATE TABLE identity (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  person INTEGER NOT NULL REFERENCES person (id),
  role TEXT CHECK (role IN ('owner', 'admin', 'finance', 'support', 'viewer')),
  -- The role by hand that the one above replaced.
  kept_role TEXT CHECK (kept_role IN ('owner', 'admin', 'finance', 'support', 'viewer')),
  -- JSON: ids of groups.
  price_groups TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identity_person ON identity (person);

-- Links that let a person join: an account, the gateway with a role, or both.
CREATE TABLE invitation (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  gateway_role TEXT CHECK (gateway_role IN ('owner', 'admin', 'finance', 'support', 'viewer')),
  account INTEGER REFERENCES account (id),
  member_role TEXT CHECK (member_role IN ('owner', 'member')),
  -- Only this address may accept; NULL: whoever has the link.
  email TEXT,
  -- The person who made it; NULL: the command line.
  made_by INTEGER REFERENCES person (id),
  -- 1: an operator made it, and not an owner of the account.
  by_operator INTEGER NOT NULL CHECK (by_operator IN (0, 1)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- Accepted or revoked.
  ended_at INTEGER,
  accepted_by INTEGER REFERENCES person (id),
  CHECK ((account IS NULL) = (member_role IS NULL)),
  CHECK (account IS NOT NULL OR gateway_role IS NOT NULL)
) STRICT;
CREATE INDEX invitation_open ON invitation (expires_at) WHERE ended_at IS NULL;
CREATE INDEX invitation_account ON invitation (account, id) WHERE ended_at IS NULL;

-- When a code of the second factor was last given in this session; NULL: never.
ALTER TABLE session ADD COLUMN proved_at INTEGER;
