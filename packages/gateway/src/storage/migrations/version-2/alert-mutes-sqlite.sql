-- Alerts that are listed but not sent until a time. Object '*': every alert of the rule.
CREATE TABLE alert_mute (
  rule TEXT NOT NULL,
  object TEXT NOT NULL,
  until INTEGER NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (rule, object)
) STRICT, WITHOUT ROWID;

-- 1: it fired while it was muted, and nothing was sent of it.
ALTER TABLE alert ADD COLUMN is_muted INTEGER NOT NULL DEFAULT 0 CHECK (is_muted IN (0, 1));
