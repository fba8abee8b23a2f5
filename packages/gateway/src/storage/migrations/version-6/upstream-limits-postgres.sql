-- As in upstream-limits-sqlite.sql.
CREATE TABLE upstream_limit_use (
  name text NOT NULL,
  kind text NOT NULL,
  slot bigint NOT NULL,
  used bigint NOT NULL,
  PRIMARY KEY (name, kind, slot)
);
CREATE TABLE upstream_limit_share (
  name text NOT NULL,
  kind text NOT NULL,
  node_id integer NOT NULL,
  held bigint NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (name, kind, node_id)
);
