-- Grows with every change of its budgets, so that processes know which list of them they have. 0: it never had any.
ALTER TABLE account ADD COLUMN budgets_version INTEGER NOT NULL DEFAULT 0;
