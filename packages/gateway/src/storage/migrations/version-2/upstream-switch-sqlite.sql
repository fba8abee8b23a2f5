-- Switches of upstreams, whichever source configures them; no row: enabled. A switch outlives the entry of the upstream. `resets` grows with
-- each reset: a node that sees another number than before forgets what it knew of the upstream's health.
CREATE TABLE upstream_switch (
  upstream TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('enabled', 'draining', 'disabled')),
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  resets INTEGER NOT NULL DEFAULT 0
) STRICT;
