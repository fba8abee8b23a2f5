// Commands in the test's own process: `run` as the program calls it, with what it prints.
import { spyOn } from 'bun:test'
import { createAccountCipher } from '../src/access/secrets/account-cipher.ts'
import type { CommandContext } from '../src/cli/context.ts'
import { run } from '../src/cli/run.ts'
import { readStored } from '../src/operate/configuration/secrets.ts'
import { assembleFile, loadFile } from '../src/server/config.ts'
import { readEnvironment } from '../src/server/environment.ts'
import { openPostgresSource } from '../src/storage/postgres/copying/source.ts'
import { openPostgresTarget } from '../src/storage/postgres/copying/target.ts'
import { openPostgres } from '../src/storage/postgres/open-postgres.ts'
import { openSqliteSource } from '../src/storage/sqlite/copying/source.ts'
import { openSqliteTarget } from '../src/storage/sqlite/copying/target.ts'
import { openSqlite } from '../src/storage/sqlite/open-sqlite.ts'

export type Ended = { code: number | undefined; stdout: string; stderr: string }

const SECRET = 'a secret of a test'

const assemble: CommandContext['assemble'] = async (file, stored, options) => assembleFile(file, stored, {}, options)

const contextOf = (dataDir: string, databaseUrl: string | undefined): CommandContext => ({
  version: '1.2.3',
  variables: {},
  environment: (options) =>
    readEnvironment({ TRIVIUM_DATA: dataDir, TRIVIUM_CONFIG: '', ...addressOf(databaseUrl) }, options).environment,
  async config() {
    const { config } = loadFile(undefined, {})
    if (!config) throw new Error('the defaults are wrong')
    return config
  },
  assemble,
  async configuration(_, storage) {
    const stored = await readStored(storage, createAccountCipher(SECRET))
    const assembled = await assemble(undefined, stored)
    if (!assembled.config) throw new Error('the defaults are wrong')
    return { file: undefined, stored, assembled }
  },
  openStorage: () =>
    databaseUrl ? openPostgres(databaseUrl, { mayCreate: false }) : openSqlite(dataDir, { mayCreate: false }),
  masterSecrets: async () => ({ current: SECRET, accepted: [SECRET] }),
  beginRotation: () => Promise.reject(new Error('not here')),
  endRotation: () => Promise.reject(new Error('not here')),
  describeDatabase: () => 'SQLite',
  openSource: ({ dataDir: folder, databaseUrl: url }, options) =>
    url ? openPostgresSource(url) : openSqliteSource(folder, options),
  openTarget: ({ dataDir: folder, databaseUrl: url }) => (url ? openPostgresTarget(url) : openSqliteTarget(folder)),
  serve: () => Promise.reject(new Error('not here')),
})

const addressOf = (databaseUrl: string | undefined) =>
  databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl, TRIVIUM_SECRET: 'not compared with the database' }

export async function createDatabase(dataDir: string): Promise<void> {
  await (await openSqlite(dataDir)).close()
}

export async function runHere(args: readonly string[], dataDir: string, databaseUrl?: string): Promise<Ended> {
  const printed = { stdout: '', stderr: '' }
  const out = spyOn(process.stdout, 'write').mockImplementation((text, ...rest: unknown[]) => {
    printed.stdout += text
    for (const each of rest) if (typeof each === 'function') each()
    return true
  })
  const error = spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed.stderr += text
    return true
  })
  try {
    return { code: await run(args, contextOf(dataDir, databaseUrl)), ...printed }
  } finally {
    out.mockRestore()
    error.mockRestore()
  }
}
