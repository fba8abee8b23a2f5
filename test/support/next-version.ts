// A next version of the stored data as it might be: it changes tables that every request uses.
import { type Migration, programVersion } from '../../packages/gateway/src/storage/migrations/migrations.ts'

const COMMON = 'CREATE TABLE badge (name TEXT PRIMARY KEY); INSERT INTO badge (name) SELECT DISTINCT name FROM account;'

export const NEXT_VERSION: Migration = {
  version: programVersion() + 1,
  oldestProgram: programVersion(),
  ledger: `ALTER TABLE account ADD COLUMN nickname TEXT; ALTER TABLE request ADD COLUMN note TEXT; ${COMMON}`,
  contents: 'ALTER TABLE task ADD COLUMN note TEXT',
  postgres: `ALTER TABLE account ADD COLUMN nickname text; ALTER TABLE api_key ADD COLUMN nickname text NOT NULL DEFAULT '';
    ALTER TABLE request ADD COLUMN note text; ALTER TABLE task ADD COLUMN note text; ${COMMON}`,
}
