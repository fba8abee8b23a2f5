// Who may register: addresses that have been used, sign-ups by network and day, trial credit by day.

// Existing accounts take their addresses with them, in the form that sql/address-form.ts gives them (but for the names
// of domains in other scripts, which SQL cannot spell in ASCII: of those only the same spelling is known as taken).
const taken = (local: string, domain: string, tagAt: string, head: string) => `
  INSERT INTO taken_address (form, at)
  SELECT CASE WHEN domain IN ('gmail.com', 'googlemail.com') AND replace(name, '.', '') <> ''
      THEN replace(name, '.', '') || '@gmail.com' ELSE name || '@' || domain END AS form, min(created_at)
  FROM (SELECT created_at, domain, CASE WHEN ${tagAt} > 1 THEN ${head} ELSE local END AS name
    FROM (SELECT created_at, ${local} AS local, ${domain} AS domain FROM account) parts) names
  GROUP BY 1`

export const registrationSqlite: readonly string[] = [
  `CREATE TABLE taken_address (form TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  // A trial is given once for ever, whatever becomes of the account.
  `CREATE TRIGGER taken_address_no_update BEFORE UPDATE ON taken_address
    BEGIN SELECT RAISE(ABORT, 'addresses are never given back'); END`,
  `CREATE TRIGGER taken_address_no_delete BEFORE DELETE ON taken_address
    BEGIN SELECT RAISE(ABORT, 'addresses are never given back'); END`,
  taken(
    `substr(email, 1, instr(email, '@') - 1)`,
    `substr(email, instr(email, '@') + 1)`,
    `instr(local, '+')`,
    `substr(local, 1, instr(local, '+') - 1)`,
  ),
  `CREATE TABLE sign_up (
    day INTEGER NOT NULL, network TEXT NOT NULL, accounts INTEGER NOT NULL, PRIMARY KEY (day, network)
  ) STRICT, WITHOUT ROWID`,
  'CREATE TABLE trial_day (day INTEGER PRIMARY KEY, given INTEGER NOT NULL) STRICT',
]

export const registrationPostgres: readonly string[] = [
  'CREATE TABLE taken_address (form text PRIMARY KEY, at bigint NOT NULL)',
  `CREATE FUNCTION taken_address_for_ever() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'addresses are never given back'; END $$`,
  `CREATE TRIGGER taken_address_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON taken_address
    FOR EACH STATEMENT EXECUTE FUNCTION taken_address_for_ever()`,
  taken(`split_part(email, '@', 1)`, `split_part(email, '@', 2)`, `strpos(local, '+')`, `split_part(local, '+', 1)`),
  `CREATE TABLE sign_up (
    day integer NOT NULL, network text NOT NULL, accounts integer NOT NULL, PRIMARY KEY (day, network)
  )`,
  'CREATE TABLE trial_day (day integer PRIMARY KEY, given bigint NOT NULL)',
]
