CREATE TABLE alert_mute (
  rule text NOT NULL,
  object text NOT NULL,
  until bigint NOT NULL,
  actor text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (rule, object)
);

ALTER TABLE alert ADD COLUMN is_muted smallint NOT NULL DEFAULT 0 CHECK (is_muted IN (0, 1));
