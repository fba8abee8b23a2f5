// What the tests of this engine share: an empty place in the harness's server, and a shell beside the engine.
import { SQL } from 'bun'
import { startPostgres } from './postgres.ts'

let database: Promise<string> | undefined
let schemas = 0

/** A schema of its own in one database: quicker than a database, and as empty. */
export async function freshSchema(): Promise<string> {
  database ??= startPostgres().then((server) => server.freshDatabase())
  const url = await database
  schemas += 1
  await ask(url, `create schema test_${schemas}`)
  return `${url}?search_path=test_${schemas}`
}

/**
 * A clock that the test sets. The engine's functions name `clock_timestamp` without its schema, and here another one
 * stands before PostgreSQL's own.
 */
export async function ownClock(
  address: string,
  start: number,
): Promise<{ url: string; set(now: number): Promise<void>; close(): Promise<void> }> {
  const url = `${address},pg_catalog`
  const sql = new SQL(address, { max: 1, bigint: true })
  // With a key, because the engine's functions forbid to read a table without an index.
  await sql.unsafe('create table test_clock (id integer primary key, now bigint)')
  await sql.unsafe(`insert into test_clock values (1, ${start})`)
  await sql.unsafe(`create function clock_timestamp() returns timestamptz language sql volatile as
    $$ select timestamptz 'epoch' + now * interval '1 millisecond' from test_clock where id = 1 $$`)
  return {
    url,
    async set(now) {
      await sql.unsafe(`update test_clock set now = ${now}`)
    },
    close: () => sql.close(),
  }
}

/** One query as a person with a database shell would ask it. */
export async function ask(url: string, query: string): Promise<Record<string, unknown>[]> {
  const sql = new SQL(url, { max: 1, bigint: true })
  try {
    return await sql.unsafe(query)
  } finally {
    await sql.close()
  }
}

/** An open transaction that keeps these accounts locked. */
export async function lockAccounts(url: string, accounts: readonly bigint[]): Promise<{ release(): Promise<void> }> {
  const sql = new SQL(url, { max: 1, bigint: true })
  await sql.unsafe('begin')
  await sql.unsafe(`select id from account where id in (${accounts.join(',')}) order by id for update`)
  return {
    async release() {
      await sql.unsafe('commit')
      await sql.close()
    },
  }
}

const waitingForLock = (connection: string) => `from pg_stat_activity
  where datname = current_database() and application_name = '${connection}' and wait_event_type = 'Lock'`

/** For a query on pg_stat_activity: the engine's connections outside of lanes that wait for a lock. */
export const WAITING_FOR_LOCK = waitingForLock('trivium work')

/** `connection`: the name of the engine's connection that is to wait. */
export async function untilOneWaits(url: string, connection = 'trivium work'): Promise<void> {
  const waiting = `select count(*) as n ${waitingForLock(connection)}`
  while (Number((await ask(url, waiting))[0]?.n) === 0) await Bun.sleep(5)
}
