-- What was refunded of a request in all. Each refund is a credit in `transfer`; this row is what bounds them.
CREATE TABLE refund (
  request INTEGER PRIMARY KEY,
  amount INTEGER NOT NULL CHECK (amount > 0)
) STRICT;
