// What the engine needs of a database, which others that speak PostgreSQL's protocol may lack. Each is tried, and nothing is changed.
import type { Row } from '../sql/rows.ts'
import type { Requirement } from '../storage.ts'
import type { Connections, OneConnection } from './connections/connections.ts'
import { isLockTimeout } from './faults.ts'

/** The oldest that the tests have run on. */
const OLDEST_TESTED = 15
const LOCK_WITHIN_MS = 50
/** How often the clock is read. */
const READS = 20

type Using = { queries: Connections; changes: Connections; isPooled: OneConnection['isPooled'] }

export function postgresRequirements({ queries, changes, isPooled }: Using): Requirement[] {
  const read = async (sql: string): Promise<Row> => (await queries.query(sql, []))[0] ?? {}
  const setting = async (name: string): Promise<string> =>
    String((await read(`SELECT current_setting('${name}', true) AS value`)).value)

  return [
    {
      name: 'version',
      advice: 'use PostgreSQL, or an engine that passes the checks below (docs/operate/postgresql.md)',
      async check() {
        const { text } = await read('SELECT version() AS text')
        const major = Number(/^PostgreSQL (\d+)/.exec(String(text))?.[1] ?? 0)
        const isOld = major < OLDEST_TESTED
        const warnings = isOld ? [`it is not tested with versions of PostgreSQL before ${OLDEST_TESTED}`] : []
        return { note: String(text).slice(0, 80), warnings }
      },
    },
    {
      name: 'primary',
      advice: 'promote this server, or let DATABASE_URL lead to the primary, as a user whose transactions may write',
      async check() {
        const { standby } = await read('SELECT pg_is_in_recovery() AS standby')
        if (standby) throw new Error('the server is a standby')
        if ((await setting('transaction_read_only')) === 'on') throw new Error('transactions are read-only')
        return 'it accepts writes'
      },
    },
    {
      name: 'sessions',
      advice: 'use session or transaction mode in the pooler, not statement mode',
      async check() {
        await changes.transaction('', (query) => query('SELECT 1', []))
        return isPooled()
          ? 'a pooler shares them among clients; timeouts are set in each transaction'
          : 'each connection has its own, with its timeouts'
      },
    },
    {
      name: 'isolation',
      advice: "run ALTER ROLE ... SET default_transaction_isolation = 'read committed' for the user of DATABASE_URL",
      async check() {
        const level = await setting('default_transaction_isolation')
        if (level !== 'read committed')
          throw new Error(`transactions are '${level}' by default, and verbs need 'read committed'`)
        return level
      },
    },
    {
      name: 'locks',
      advice: 'use an engine with row locks (FOR NO KEY UPDATE), SKIP LOCKED and lock_timeout',
      check: () =>
        changes.transaction('', async (query) => {
          // Another examination has locked all of them, so that locks work.
          const [row] = await query('SELECT version FROM schema_version LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED', [])
          if (!row) return 'rows are locked'
          const same = `SELECT 1 FROM schema_version WHERE version = ${Number(row.version)} FOR NO KEY UPDATE`
          if ((await queries.query(`${same} SKIP LOCKED`, [])).length > 0)
            throw new Error('a row that is locked is not skipped')
          const waited = queries.transaction('', async (inside) => {
            await inside(`SET LOCAL lock_timeout = ${LOCK_WITHIN_MS}`, [])
            await inside(same, [])
          })
          const error = await waited.then(
            () => undefined,
            (thrown: unknown) => thrown,
          )
          if (error && !isLockTimeout(error)) throw error
          if (!error) throw new Error('a row was locked twice, or lock_timeout has no effect')
          return 'rows are locked, skipped, and waited for until lock_timeout'
        }),
    },
    {
      name: 'functions',
      advice:
        'use an engine with PL/pgSQL and functions that SET; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ... TO the user',
      async check() {
        const rows = await queries.query(FUNCTIONS, [])
        const forbidden = rows.filter(({ may }) => !may).map(({ name }) => name)
        if (forbidden.length > 0) throw new Error(`the user may not execute ${forbidden.join(', ')}`)
        const without = ['ledger_apply_2', 'ledger_reap'].filter(
          (name) => !rows.some((row) => row.name === name && row.has_settings),
        )
        if (without.length > 0) throw new Error(`settings of functions are not kept: ${without.join(', ')}`)
        const { used } = await read("SELECT ledger_window_used('60,2,61,3', 61000) AS used")
        if (Number(used) !== 5) throw new Error('a function in PL/pgSQL has a wrong result')
        return `${rows.length} in PL/pgSQL and SQL`
      },
    },
    {
      name: 'clock',
      advice: 'use an engine whose clock_timestamp() advances within a transaction',
      async check() {
        const times = await changes.transaction('', async (query) => {
          const all: number[] = []
          for (let each = 0; each < READS; each += 1) all.push(Number((await query(CLOCK, []))[0]?.micros))
          return all
        })
        if (times.some((time, at) => at > 0 && time < (times[at - 1] ?? 0))) throw new Error('it goes backwards')
        if (times[0] === times.at(-1)) throw new Error('it stands still within a transaction')
        return 'clock_timestamp() advances'
      },
    },
    {
      name: 'durability',
      advice: "run ALTER ROLE ... SET synchronous_commit = 'on', or set it in postgresql.conf",
      async check() {
        const [commit, fsync, pages] = await Promise.all(
          ['synchronous_commit', 'fsync', 'full_page_writes'].map(setting),
        )
        if (commit === 'off') throw new Error('synchronous_commit is off: a crash loses charges of delivered responses')
        const off = [fsync === 'off' && 'fsync', pages === 'off' && 'full_page_writes'].filter((each) => each)
        const warnings = off.map(
          (name) => `${name} is off: a crash can damage the database, unless its storage prevents it`,
        )
        return { note: `synchronous_commit is ${commit}`, warnings }
      },
    },
  ]
}

const CLOCK = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS micros'
const FUNCTIONS = `SELECT proname AS name, has_function_privilege(pg_proc.oid, 'EXECUTE') AS may, proconfig IS NOT NULL AS has_settings
  FROM pg_proc JOIN pg_language ON pg_language.oid = prolang
  WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'ledger%' AND lanname IN ('plpgsql', 'sql') ORDER BY proname`
