CREATE TABLE upstream_key_hour (
  hour bigint NOT NULL,
  upstream text NOT NULL,
  key text NOT NULL,
  calls bigint NOT NULL,
  failed bigint NOT NULL,
  PRIMARY KEY (hour, upstream, key)
);
