// In a table of their own: the row of an account is rewritten with every request, and a hash is longer than all of it.
export const passwordsSqlite: readonly string[] = [
  `CREATE TABLE credential (
    account INTEGER PRIMARY KEY REFERENCES account (id),
    password TEXT NOT NULL
  ) STRICT`,
]

export const passwordsPostgres: readonly string[] = [
  `CREATE TABLE credential (
    account bigint PRIMARY KEY REFERENCES account (id),
    password text NOT NULL
  )`,
]
