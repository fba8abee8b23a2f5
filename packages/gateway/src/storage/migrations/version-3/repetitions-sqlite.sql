-- Requests that run in place of an earlier one with the same idempotency key: see money/repetitions.ts.
CREATE TABLE repetition (
  request integer PRIMARY KEY,
  first integer NOT NULL,
  at integer NOT NULL
);
CREATE INDEX repetition_first ON repetition (first);
