-- Which type of task it is; rows of earlier versions are videos. Open tasks of other types are counted by account.
ALTER TABLE task ADD COLUMN type TEXT NOT NULL DEFAULT 'video';
CREATE INDEX task_open ON task (account, type) WHERE type <> 'video' AND state NOT IN ('succeeded', 'failed', 'cancelled', 'expired');
