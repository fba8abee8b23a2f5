-- How often the node has renewed its lease in this epoch: a database that knows of fewer than it has confirmed has lost commits.
ALTER TABLE node ADD COLUMN renewals INTEGER NOT NULL DEFAULT 0;
