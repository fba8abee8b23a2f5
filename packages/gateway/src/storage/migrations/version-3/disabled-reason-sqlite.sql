-- Why an operator disabled the account, for its callers.
ALTER TABLE account ADD COLUMN disabled_reason TEXT NOT NULL DEFAULT '';
