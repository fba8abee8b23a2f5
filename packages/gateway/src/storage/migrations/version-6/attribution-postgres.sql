-- Whether it was logged that an account had more distinct values than are told apart.
ALTER TABLE daily_attribution_values ADD COLUMN reported smallint NOT NULL DEFAULT 0 CHECK (reported IN (0, 1));
CREATE INDEX daily_attribution_values_day ON daily_attribution_values (day);
CREATE INDEX daily_attribution_values_full ON daily_attribution_values (day) WHERE known >= 10000 AND reported = 0;
-- Deleted accounts whose requests still say what they were for: those with ids up to this one no longer do.
CREATE TABLE attribution_removal (
  account bigint PRIMARY KEY,
  done_to bigint NOT NULL
);
