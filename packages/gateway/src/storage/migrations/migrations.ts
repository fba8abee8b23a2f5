// The versions of the stored data. Version 1 is that of the first release; every later change of a table or function is one more entry
// here, for both engines, and earlier entries never change (schema.test.ts).
//
// A migration adds: tables, columns with a default, indexes, functions. It runs in one transaction, so that a kill leaves the version
// before. On PostgreSQL nodes of the version before run beside it (a rolling restart): a ledger function whose meaning or columns
// change gets a new name (ledger_apply_2), and the one that the older program calls stays.

import CONTENTS from './version-1/contents-sqlite.sql' with { type: 'text' }
import LEDGER_FUNCTIONS from './version-1/ledger-postgres.sql' with { type: 'text' }
import LEDGER from './version-1/ledger-sqlite.sql' with { type: 'text' }
import POSTGRES from './version-1/tables-postgres.sql' with { type: 'text' }
import ADMIN_KEYS_POSTGRES from './version-2/admin-keys-postgres.sql' with { type: 'text' }
import ADMIN_KEYS from './version-2/admin-keys-sqlite.sql' with { type: 'text' }
import ALERT_MUTES_POSTGRES from './version-2/alert-mutes-postgres.sql' with { type: 'text' }
import ALERT_MUTES from './version-2/alert-mutes-sqlite.sql' with { type: 'text' }
import BACKGROUND_POSTGRES from './version-2/background-postgres.sql' with { type: 'text' }
import BACKGROUND from './version-2/background-sqlite.sql' with { type: 'text' }
import BOOKS_POSTGRES from './version-2/books-postgres.sql' with { type: 'text' }
import BOOKS from './version-2/books-sqlite.sql' with { type: 'text' }
import CONFIGURATION_POSTGRES from './version-2/configuration-postgres.sql' with { type: 'text' }
import CONFIGURATION from './version-2/configuration-sqlite.sql' with { type: 'text' }
import LISTS_POSTGRES from './version-2/lists-postgres.sql' with { type: 'text' }
import LISTS from './version-2/lists-sqlite.sql' with { type: 'text' }
import NOTES_POSTGRES from './version-2/notes-postgres.sql' with { type: 'text' }
import NOTES from './version-2/notes-sqlite.sql' with { type: 'text' }
import REFUNDS_POSTGRES from './version-2/refunds-postgres.sql' with { type: 'text' }
import REFUNDS from './version-2/refunds-sqlite.sql' with { type: 'text' }
import SEARCH_POSTGRES from './version-2/search-postgres.sql' with { type: 'text' }
import SEARCH from './version-2/search-sqlite.sql' with { type: 'text' }
import SIGN_IN_POSTGRES from './version-2/sign-in-postgres.sql' with { type: 'text' }
import SIGN_IN from './version-2/sign-in-sqlite.sql' with { type: 'text' }
import UPSTREAM_HOUR_POSTGRES from './version-2/upstream-hour-postgres.sql' with { type: 'text' }
import UPSTREAM_HOUR from './version-2/upstream-hour-sqlite.sql' with { type: 'text' }
import UPSTREAM_SWITCH_POSTGRES from './version-2/upstream-switch-postgres.sql' with { type: 'text' }
import UPSTREAM_SWITCH from './version-2/upstream-switch-sqlite.sql' with { type: 'text' }
import CHECKSUMS_POSTGRES from './version-3/checksums-postgres.sql' with { type: 'text' }
import CHECKSUMS from './version-3/checksums-sqlite.sql' with { type: 'text' }
import DISABLED_REASON_POSTGRES from './version-3/disabled-reason-postgres.sql' with { type: 'text' }
import DISABLED_REASON from './version-3/disabled-reason-sqlite.sql' with { type: 'text' }
import FOLDED_REQUESTS_POSTGRES from './version-3/folded-requests-postgres.sql' with { type: 'text' }
import FOLDED_REQUESTS from './version-3/folded-requests-sqlite.sql' with { type: 'text' }
import LINK_MAKERS_POSTGRES from './version-3/link-makers-postgres.sql' with { type: 'text' }
import LINK_MAKERS from './version-3/link-makers-sqlite.sql' with { type: 'text' }
import LOST_COMMITS_POSTGRES from './version-3/lost-commits-postgres.sql' with { type: 'text' }
import LOST_COMMITS from './version-3/lost-commits-sqlite.sql' with { type: 'text' }
import MAKERS_POSTGRES from './version-3/makers-postgres.sql' with { type: 'text' }
import MAKERS from './version-3/makers-sqlite.sql' with { type: 'text' }
import REPETITIONS_POSTGRES from './version-3/repetitions-postgres.sql' with { type: 'text' }
import REPETITIONS from './version-3/repetitions-sqlite.sql' with { type: 'text' }
import REQUEST_IDS_POSTGRES from './version-3/request-ids-postgres.sql' with { type: 'text' }
import REQUEST_IDS from './version-3/request-ids-sqlite.sql' with { type: 'text' }
import ARCHIVE_POSTGRES from './version-4/archive-postgres.sql' with { type: 'text' }
import ARCHIVE from './version-4/archive-sqlite.sql' with { type: 'text' }
import MONTH_SEALS_POSTGRES from './version-4/month-seals-postgres.sql' with { type: 'text' }
import MONTH_SEALS from './version-4/month-seals-sqlite.sql' with { type: 'text' }
import UPSTREAM_KEYS_POSTGRES from './version-4/upstream-keys-postgres.sql' with { type: 'text' }
import UPSTREAM_KEYS from './version-4/upstream-keys-sqlite.sql' with { type: 'text' }
import ATTRIBUTION_POSTGRES from './version-5/attribution-postgres.sql' with { type: 'text' }
import ATTRIBUTION from './version-5/attribution-sqlite.sql' with { type: 'text' }
import BUDGETS_POSTGRES from './version-5/budgets-postgres.sql' with { type: 'text' }
import BUDGETS from './version-5/budgets-sqlite.sql' with { type: 'text' }
import KEY_TAGS_POSTGRES from './version-5/key-tags-postgres.sql' with { type: 'text' }
import KEY_TAGS from './version-5/key-tags-sqlite.sql' with { type: 'text' }
import LEDGER_POSTGRES from './version-5/ledger-postgres.sql' with { type: 'text' }
import ATTRIBUTION_6_POSTGRES from './version-6/attribution-postgres.sql' with { type: 'text' }
import ATTRIBUTION_6 from './version-6/attribution-sqlite.sql' with { type: 'text' }
import BUDGET_CHANGES_POSTGRES from './version-6/budget-changes-postgres.sql' with { type: 'text' }
import BUDGET_CHANGES from './version-6/budget-changes-sqlite.sql' with { type: 'text' }
import MEMBER_TAGS_POSTGRES from './version-6/member-tags-postgres.sql' with { type: 'text' }
import MEMBER_TAGS from './version-6/member-tags-sqlite.sql' with { type: 'text' }
import NOTICES_POSTGRES from './version-6/notices-postgres.sql' with { type: 'text' }
import NOTICES from './version-6/notices-sqlite.sql' with { type: 'text' }
import TOKEN_KEYS_POSTGRES from './version-6/token-keys-postgres.sql' with { type: 'text' }
import TOKEN_KEYS from './version-6/token-keys-sqlite.sql' with { type: 'text' }
import UPSTREAM_LIMITS_POSTGRES from './version-6/upstream-limits-postgres.sql' with { type: 'text' }
import UPSTREAM_LIMITS from './version-6/upstream-limits-sqlite.sql' with { type: 'text' }

export type Migration = {
  version: number
  /** The oldest version whose programs may still use the data afterwards: they neither miss nor break what this adds. */
  oldestProgram: number
  /** Statements for ledger.db and contents.db of SQLite; empty: none. */
  ledger: string
  contents: string
  postgres: string
}

export const MIGRATIONS: Migration[] = [
  { version: 1, oldestProgram: 1, ledger: LEDGER, contents: CONTENTS, postgres: `${POSTGRES}\n${LEDGER_FUNCTIONS}` },
  {
    version: 2,
    oldestProgram: 1,
    ledger: [
      ADMIN_KEYS,
      CONFIGURATION,
      UPSTREAM_SWITCH,
      LISTS,
      SIGN_IN,
      REFUNDS,
      NOTES,
      ALERT_MUTES,
      SEARCH,
      UPSTREAM_HOUR,
      BOOKS,
    ].join('\n'),
    contents: BACKGROUND,
    postgres: [
      ADMIN_KEYS_POSTGRES,
      CONFIGURATION_POSTGRES,
      UPSTREAM_SWITCH_POSTGRES,
      LISTS_POSTGRES,
      SIGN_IN_POSTGRES,
      REFUNDS_POSTGRES,
      NOTES_POSTGRES,
      ALERT_MUTES_POSTGRES,
      SEARCH_POSTGRES,
      UPSTREAM_HOUR_POSTGRES,
      BOOKS_POSTGRES,
      BACKGROUND_POSTGRES,
    ].join('\n'),
  },
  {
    version: 3,
    oldestProgram: 1,
    ledger: [
      CHECKSUMS,
      FOLDED_REQUESTS,
      LOST_COMMITS,
      REQUEST_IDS,
      MAKERS,
      DISABLED_REASON,
      REPETITIONS,
      LINK_MAKERS,
    ].join('\n'),
    contents: [CHECKSUMS].join('\n'),
    postgres: [
      CHECKSUMS_POSTGRES,
      FOLDED_REQUESTS_POSTGRES,
      LOST_COMMITS_POSTGRES,
      REQUEST_IDS_POSTGRES,
      MAKERS_POSTGRES,
      DISABLED_REASON_POSTGRES,
      REPETITIONS_POSTGRES,
      LINK_MAKERS_POSTGRES,
    ].join('\n'),
  },
  {
    version: 4,
    oldestProgram: 1,
    ledger: [UPSTREAM_KEYS, MONTH_SEALS, ARCHIVE].join('\n'),
    contents: '',
    postgres: [UPSTREAM_KEYS_POSTGRES, MONTH_SEALS_POSTGRES, ARCHIVE_POSTGRES].join('\n'),
  },
  {
    version: 5,
    oldestProgram: 1,
    ledger: [ATTRIBUTION, BUDGETS, KEY_TAGS].join('\n'),
    contents: '',
    postgres: [ATTRIBUTION_POSTGRES, BUDGETS_POSTGRES, KEY_TAGS_POSTGRES, LEDGER_POSTGRES].join('\n'),
  },
  {
    version: 6,
    oldestProgram: 1,
    ledger: [ATTRIBUTION_6, BUDGET_CHANGES, MEMBER_TAGS, NOTICES, TOKEN_KEYS, UPSTREAM_LIMITS].join('\n'),
    contents: '',
    postgres: [
      ATTRIBUTION_6_POSTGRES,
      BUDGET_CHANGES_POSTGRES,
      MEMBER_TAGS_POSTGRES,
      NOTICES_POSTGRES,
      TOKEN_KEYS_POSTGRES,
      UPSTREAM_LIMITS_POSTGRES,
    ].join('\n'),
  },
]

/** The version that this program writes. */
export const programVersion = (): number => MIGRATIONS.at(-1)?.version ?? 0

/** A version that was applied to a database; without a checksum it was by a program that wrote none. */
export type Applied = { version: number; oldestProgram: number; checksum: string | undefined }

/** The version of a database. */
export type Found = { version: number; oldestProgram: number }

/** `from`: the version that a server found. */
export type Upgrade = { from: number; to: number; tookMs: number }

/** The table in which each database keeps its versions. */
export const CREATE_VERSIONS = `CREATE TABLE schema_version (
  version integer PRIMARY KEY,
  oldest_program integer NOT NULL,
  applied_at bigint NOT NULL
)`

/** The data has a version that this program cannot use. */
export class WrongSchema extends Error {
  override name = 'WrongSchema'
}

/** A copy has all tables, and no others: it is made by the program whose version they have. */
export function demandOwnVersion({ version }: Found, store: string): number {
  if (version === programVersion()) return version
  throw new WrongSchema(
    `${store}: the database is at version ${version}, this program has ${programVersion()}: use the program of the server for this`,
  )
}

/** `store`, `place`: the file or database, and what an operator would move away. */
export const fromBeforeRelease = (place: string): WrongSchema =>
  new WrongSchema(
    `${place} holds data from before the first release, which is not upgraded. Move it away and start with an empty one.`,
  )

/**
 * What has to be applied to data of this version, in order; undefined: an empty database. Throws for data that this program must not
 * use. `mayChange`: only a server upgrades data.
 */
export function missing(found: Found | undefined, store: string, mayChange: boolean): Migration[] {
  const known = programVersion()
  if (!found) return MIGRATIONS
  const { version, oldestProgram } = found
  if (oldestProgram > known)
    throw new WrongSchema(
      `${store}: the database is at version ${version}, this program knows ${known}: start the version that wrote it, or a later one`,
    )
  const later = MIGRATIONS.filter((each) => each.version > version)
  if (later.length > 0 && !mayChange)
    throw new WrongSchema(
      `${store}: the database is at version ${version}, and this program needs ${known}: start the server of this version, which upgrades it`,
    )
  return later
}
