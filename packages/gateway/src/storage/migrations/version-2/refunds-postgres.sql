CREATE TABLE refund (
  request bigint PRIMARY KEY,
  amount bigint NOT NULL CHECK (amount > 0)
);
