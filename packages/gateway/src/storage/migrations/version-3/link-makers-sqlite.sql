-- The admin key that made the link, which ends with it. NULL: a person, the command line, or the gateway itself.
ALTER TABLE link ADD COLUMN made_by_key INTEGER;
CREATE INDEX link_maker ON link (made_by_key) WHERE made_by_key IS NOT NULL;
