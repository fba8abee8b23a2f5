// What a gateway's database holds, as a person with a database shell would ask for it.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { SQLITE_FILE } from '../../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { ask } from '../postgres/schemas.ts'
import type { Home } from './home.ts'

export async function askStore({ dataDir, databaseUrl }: Home, query: string): Promise<Record<string, unknown>[]> {
  if (databaseUrl !== undefined) return ask(databaseUrl, query)
  const database = new Database(join(dataDir, SQLITE_FILE), { readonly: true })
  try {
    return database.query(query).all() as Record<string, unknown>[]
  } finally {
    database.close()
  }
}

/** Changes it, as no program does. */
export async function changeStore({ dataDir, databaseUrl }: Home, change: string): Promise<void> {
  if (databaseUrl !== undefined) return void (await ask(databaseUrl, change))
  const database = new Database(join(dataDir, SQLITE_FILE), { readwrite: true })
  try {
    database.run('PRAGMA busy_timeout = 5000')
    database.run(change)
  } finally {
    database.close()
  }
}
