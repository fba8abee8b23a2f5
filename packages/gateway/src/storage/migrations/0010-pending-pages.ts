// Batches that are decided and durable but not yet written into their rows, in pages that are used over and over: see
// sqlite/pending.ts. `pending` is only read, for what an earlier version left in it.
export const pendingPagesSqlite: readonly string[] = [
  'CREATE TABLE pending_page (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT',
]
