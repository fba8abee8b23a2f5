-- Tags that requests with a key carry, joined by commas, and whether the operator has fixed them.
ALTER TABLE api_key ADD COLUMN tags text NOT NULL DEFAULT '';
ALTER TABLE api_key ADD COLUMN tags_locked smallint NOT NULL DEFAULT 0 CHECK (tags_locked IN (0, 1));
