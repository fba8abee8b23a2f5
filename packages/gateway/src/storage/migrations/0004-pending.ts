// Verbs that are decided and durable but not yet written into their rows: see sqlite/transactions.ts. PostgreSQL writes
// rows at once. The text of a batch holds NULs, which a database shell shows as the end of it.
export const pendingSqlite: readonly string[] = [
  'CREATE TABLE pending (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, verbs TEXT NOT NULL) STRICT',
]
