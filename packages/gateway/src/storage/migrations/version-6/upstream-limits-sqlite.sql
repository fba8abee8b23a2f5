-- What was used of a limit of an upstream or a route, in each slot of time: five seconds, or a day.
CREATE TABLE upstream_limit_use (
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  slot INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (name, kind, slot)
) STRICT;
-- What each process may use of it without asking again. Node 0 stands for all: its row is the lock of the limit.
CREATE TABLE upstream_limit_share (
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  node_id INTEGER NOT NULL,
  held INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (name, kind, node_id)
) STRICT;
