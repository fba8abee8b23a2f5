-- What operators note of accounts. The author is written as in the audit log.
CREATE TABLE account_note (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL REFERENCES account (id),
  at INTEGER NOT NULL,
  author_type TEXT NOT NULL,
  author TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX account_note_account ON account_note (account, id);
