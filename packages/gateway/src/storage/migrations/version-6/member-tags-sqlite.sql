-- What requests with keys of this member carry by default, joined by commas.
ALTER TABLE member ADD COLUMN tags TEXT NOT NULL DEFAULT '';
