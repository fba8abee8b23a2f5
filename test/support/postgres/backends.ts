import { SQL } from 'bun'
import type { Gateway } from '../gateway/gateway.ts'

/** The ids of the processes that serve the gateway's connections to PostgreSQL; none on SQLite. */
export async function backendsOf({ home }: Pick<Gateway, 'home'>): Promise<number[]> {
  if (home.databaseUrl === undefined) return []
  const sql = new SQL(home.databaseUrl, { max: 1 })
  try {
    const found =
      await sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
    return found.map(({ pid }: { pid: number }) => Number(pid))
  } finally {
    await sql.close()
  }
}
