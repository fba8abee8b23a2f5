-- Files of the media store with rows of sealed months (archive/). Their names are those of the media store. `state`: -1 the file is being
-- removed, 0 it is being written, 1 it is complete, 2 its rows have left their table.
CREATE TABLE archive_part (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  -- The table of its rows, and the end of the month (UTC) with which they were archived.
  kind TEXT NOT NULL,
  ends_at INTEGER NOT NULL,
  first_id INTEGER NOT NULL DEFAULT 0,
  last_id INTEGER NOT NULL DEFAULT 0,
  row_count INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  sha256 TEXT NOT NULL DEFAULT '',
  -- Where each thousand of its rows is (archive/part-file.ts).
  blocks TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX archive_part_rows ON archive_part (kind, first_id) WHERE state > 0;
-- Transfers stay as they are, and leave their table only for a file. The ranges of files do not overlap.
DROP TRIGGER transfer_no_delete;
CREATE TRIGGER transfer_no_delete BEFORE DELETE ON transfer
  WHEN OLD.request IS NULL OR OLD.id > coalesce((SELECT last_id FROM archive_part
    WHERE kind = 'transfer' AND state > 0 AND first_id <= OLD.id ORDER BY first_id DESC LIMIT 1), 0)
  BEGIN SELECT RAISE(ABORT, 'transfers are append-only'); END;
