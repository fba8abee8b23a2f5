// The numbers of a pending batch, apart from its texts: see sqlite/batch.ts. NULL: an earlier version wrote all as text.
export const pendingWordsSqlite: readonly string[] = ['ALTER TABLE pending ADD COLUMN words BLOB']
