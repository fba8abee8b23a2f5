-- Calls of upstreams within an hour, as histograms of their duration (observe/latency-buckets.ts): `good` and `failed` calls until their
-- end, `first_token` until the first output of good ones.
CREATE TABLE upstream_hour (
  hour INTEGER NOT NULL,
  upstream TEXT NOT NULL,
  measure TEXT NOT NULL CHECK (measure IN ('good', 'failed', 'first_token')),
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (hour, upstream, measure, bucket)
) STRICT, WITHOUT ROWID;
