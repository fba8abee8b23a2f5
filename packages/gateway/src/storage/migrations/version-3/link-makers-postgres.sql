ALTER TABLE link ADD COLUMN made_by_key bigint;
CREATE INDEX link_maker ON link (made_by_key) WHERE made_by_key IS NOT NULL;
