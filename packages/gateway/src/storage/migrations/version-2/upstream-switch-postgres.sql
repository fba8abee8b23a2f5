CREATE TABLE upstream_switch (
  upstream text PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('enabled', 'draining', 'disabled')),
  at bigint NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  resets bigint NOT NULL DEFAULT 0
);
