CREATE TABLE upstream_hour (
  hour bigint NOT NULL,
  upstream text NOT NULL,
  measure text NOT NULL CHECK (measure IN ('good', 'failed', 'first_token')),
  bucket bigint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (hour, upstream, measure, bucket)
);
