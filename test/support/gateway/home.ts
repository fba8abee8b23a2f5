// What outlives a gateway's process: its folder, its database, its secret. Commands run on it in processes of their own.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { masterSecrets } from '../../../packages/gateway/src/startup/master-secret.ts'
import { openPostgres } from '../../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqlite } from '../../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { newDataFolder } from '../data-folder.ts'
import { type PostgresServer, startPostgres } from '../postgres/postgres.ts'
import { program } from './program.ts'

export type Engine = 'sqlite' | 'postgres'
export const ENGINES: readonly Engine[] = ['sqlite', 'postgres']

const SHARED_SECRET = 'a secret that the tests share'

export type Home = { dataDir: string; configFile: string; databaseUrl: string | undefined }

export async function newHome(engine: Engine, config = ''): Promise<Home> {
  const databaseUrl = engine === 'postgres' ? await (await startPostgres()).freshDatabase() : undefined
  return newFolder(databaseUrl, config)
}

/** The same, with tables in its database: a server that creates them takes far longer than a copy of empty ones. */
export async function newHomeWithTables(engine: Engine, config = ''): Promise<Home> {
  if (engine !== 'postgres') return newHome(engine, config)
  const server = await startPostgres()
  const template = templates.get(server) ?? createTables(server)
  templates.set(server, template)
  return newFolder(await server.freshDatabase(await template), config)
}

const templates = new WeakMap<PostgresServer, Promise<string>>()

async function createTables(server: PostgresServer): Promise<string> {
  const url = await server.freshDatabase()
  await (await openPostgres(url)).close()
  return url
}

/** The home of another node on the same database. */
export const homeOnSameDatabase = ({ databaseUrl }: Home, config: string): Home => newFolder(databaseUrl, config)

function newFolder(databaseUrl: string | undefined, config: string): Home {
  const dataDir = newDataFolder('trivium-test-')
  const configFile = join(dataDir, 'trivium.yaml')
  writeFileSync(configFile, config)
  return { dataDir, configFile, databaseUrl }
}

/** Creates what the first start of a server creates, for commands that run without one. */
export async function createDatabase({ dataDir, databaseUrl }: Home): Promise<void> {
  const storage = databaseUrl ? await openPostgres(databaseUrl) : await openSqlite(dataDir)
  await masterSecrets(storage, { dataDir, secret: databaseUrl ? SHARED_SECRET : undefined, secretOld: undefined })
  await storage.close()
}

export function environmentOf(home: Home, extra: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOST: '127.0.0.1',
    PORT: '0',
    TRIVIUM_DATA: home.dataDir,
    TRIVIUM_CONFIG: home.configFile,
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65000',
    ...(home.databaseUrl ? { DATABASE_URL: home.databaseUrl, TRIVIUM_SECRET: SHARED_SECRET } : {}),
    ...extra,
  }
}

export type CommandOutput = { code: number; stdout: string; stderr: string }

/** Runs a command in a process of its own, as an operator does. */
export async function runCommand(
  home: Home,
  args: readonly string[],
  env: Record<string, string> = {},
  stdin = '',
): Promise<CommandOutput> {
  const child = Bun.spawn([process.execPath, await program(), ...args], {
    env: environmentOf(home, env),
    stdin: Buffer.from(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr }
}
