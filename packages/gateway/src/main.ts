// The composition root: reads the environment, chooses the storage engine and runs the command.
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { replaceProcess } from '@trivium/http/system/replace-process.ts'
import { createAccountCipher } from './access/secrets/account-cipher.ts'
import { isUnfinished } from './backup/target-folder.ts'
import type { CommandContext } from './cli/context.ts'
import { CommandError, NoDatabaseYet } from './cli/errors.ts'
import { PROGRAM, START } from './cli/program.ts'
import { run } from './cli/run.ts'
import { formatMistakes } from './config/format-mistakes.ts'
import { createVault } from './config/secrets/vault.ts'
import { PROXY_VARIABLES } from './config/settings/variables.ts'
import { describeSystemError } from './config/system-error.ts'
import type { Environment } from './config/types.ts'
import { openBlobs } from './media/open-media.ts'
import { VERSION } from './observe/version.ts'
import { readStored } from './operate/configuration/secrets.ts'
import { crashLine, keepRunning } from './process/keep-running.mjs'
import type { Launch } from './process/supervisor.ts'
import { describeStart, type FromWorker, joinParent, type ToWorker, type Worker } from './process/worker.ts'
import { assembleFile, loadFile, readConfigFile } from './server/config.ts'
import { readEnvironment } from './server/environment.ts'
import { beginRotation, endRotation, masterSecrets } from './startup/master-secret.ts'
import { unfinished } from './storage/copying/copy.ts'
import { WrongSchema } from './storage/migrations/migrations.ts'
import { openPostgresSource } from './storage/postgres/copying/source.ts'
import { openPostgresTarget } from './storage/postgres/copying/target.ts'
import { openPostgres, type PostgresOptions } from './storage/postgres/open-postgres.ts'
import { openSqliteSource } from './storage/sqlite/copying/source.ts'
import { openSqliteTarget } from './storage/sqlite/copying/target.ts'
import { openSqlite, SQLITE_FILE, type SqliteOptions } from './storage/sqlite/open-sqlite.ts'
import { FolderInUse, NoDatabase, type Storage } from './storage/storage.ts'
import type { Mistake } from './yaml/document.ts'

/** The configuration may refer to variables of proxies, which are removed from the process. */
const env = { ...process.env }
for (const name of PROXY_VARIABLES) delete process.env[name]

const vault = createVault()
const assemble: CommandContext['assemble'] = (file, stored, { strictly, fresh } = {}) =>
  vault.assembled((lookUp) => assembleFile(file, stored, env, { strictly, lookUp }), fresh)

const context: CommandContext = {
  version: VERSION,
  variables: env,
  environment(options) {
    const { environment, mistakes } = readEnvironment(env, options)
    if (mistakes.length > 0) throw mistakesError(mistakes)
    return environment
  },
  async config({ configFile }: Environment, { mayBeEmpty = true, withoutVault = false } = {}) {
    const loaded = await (withoutVault
      ? loadFile(configFile, env, mayBeEmpty)
      : vault.assembled((lookUp) => loadFile(configFile, env, mayBeEmpty, lookUp)))
    if (!loaded.config) throw mistakesError(loaded.mistakes)
    return loaded.config
  },
  assemble,
  async configuration(environment, storage) {
    const read = readConfigFile(environment.configFile)
    if ('mistakes' in read) throw mistakesError(read.mistakes)
    const stored = await readStored(storage, createAccountCipher(await masterSecrets(storage, environment)))
    const assembled = await assemble(read.file, stored)
    if (!assembled.config) throw mistakesError(assembled.mistakes)
    return { file: read.file, stored, assembled }
  },
  async openStorage(environment, { mayCreate, onDamage, onUpgrade } = { mayCreate: false }) {
    const { databaseUrl, dataDir } = environment
    if (isUnfinished(dataDir)) throw new CommandError(unfinished(`the data folder ${dataDir}`))
    // Only a server creates the tables of an empty database: it would seem to have lost all accounts.
    if (databaseUrl && mayCreate) rejectUsedFolder(dataDir)
    const storage = await (databaseUrl
      ? reachPostgres(databaseUrl, { mayCreate, onUpgrade })
      : ownSqlite(dataDir, { mayCreate, onDamage, onUpgrade }))
    try {
      await masterSecrets(storage, environment)
      storage.archive.attach(async () =>
        openBlobs(environment, (await context.configuration(environment, storage)).assembled.config ?? {}),
      )
      return storage
    } catch (error) {
      await storage.close()
      throw error
    }
  },
  masterSecrets: (environment, storage) => masterSecrets(storage, environment),
  beginRotation: (environment, storage) => beginRotation(storage, environment),
  endRotation: (storage, secrets) => endRotation(storage, secrets),
  describeDatabase: ({ databaseUrl, dataDir }) =>
    databaseUrl ? `PostgreSQL database ${placeOf(databaseUrl)}` : `SQLite database ${join(dataDir, SQLITE_FILE)}`,
  openSource: ({ databaseUrl, dataDir }, options) =>
    databaseUrl ? openPostgresSource(databaseUrl) : openSqliteSource(dataDir, options),
  openTarget: ({ databaseUrl, dataDir }) => (databaseUrl ? openPostgresTarget(databaseUrl) : openSqliteTarget(dataDir)),
  async serve() {
    // Commands need none of it.
    const { serve } = await import('./server/serve.ts')
    return serve({ ...context, launch: launchWorker, worker: asWorker(), ready: reportReady })
  },
}

const mistakesError = (mistakes: readonly Mistake[]) => new CommandError(formatMistakes(mistakes), mistakes)

async function ownSqlite(dataDir: string, options: SqliteOptions): Promise<Storage> {
  try {
    return await openSqlite(dataDir, options)
  } catch (error) {
    if (error instanceof NoDatabase)
      throw new NoDatabaseYet(
        `${error.message}: set TRIVIUM_DATA to the server's data folder, or start the server once to create it (${START})`,
      )
    // Errors without a code are ours and already name the file.
    if (!(error instanceof Error && 'code' in error) || error instanceof FolderInUse) throw error
    throw new CommandError(`cannot use the data folder ${dataDir}: ${describeSystemError(error)}`)
  }
}

/** With DATABASE_URL the data of a SQLite folder would silently be left behind. */
function rejectUsedFolder(dataDir: string): void {
  const file = join(dataDir, SQLITE_FILE)
  if (!existsSync(file)) return
  throw new CommandError(
    `DATABASE_URL is set, but ${file} has the data of this gateway, which would not be used. Move it there with '${PROGRAM} migrate' (docs/operate/backup.md), unset DATABASE_URL to go on with SQLite, or move ${SQLITE_FILE}* and contents.db* out of ${dataDir} to start with the PostgreSQL database`,
  )
}

/** Host and database name, without user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

async function reachPostgres(url: string, options: Pick<PostgresOptions, 'mayCreate' | 'onUpgrade'>): Promise<Storage> {
  try {
    return await openPostgres(url, options)
  } catch (error) {
    if (error instanceof WrongSchema) throw error
    if (error instanceof NoDatabase)
      throw new NoDatabaseYet(
        `${error.message}: ${placeOf(url)} of DATABASE_URL is empty; start the server once to create them (${START})`,
      )
    const message = `cannot use the database ${placeOf(url)} of DATABASE_URL: ${describeSystemError(error)}`
    throw new CommandError(message, undefined, { cause: error })
  }
}

/** The launcher holds the other end of this pipe: when the launcher exits, for whatever reason, this process stops, too. */
function stopWithLauncher(): void {
  const descriptor = Number(env.TRIVIUM_LAUNCHER_FD ?? Number.NaN)
  if (Number.isNaN(descriptor)) return
  const stop = () => process.kill(process.pid, 'SIGTERM')
  createReadStream('', { fd: descriptor })
    .on('error', () => {})
    .on('end', stop)
    .resume()
}

const launchWorker: Launch = (start, hear) => {
  const { TRIVIUM_LAUNCHER_FD: _, ...ours } = env
  const child = Bun.spawn(ownCommand(['serve']), {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...ours, ...BUN_SETTINGS, PORT: String(start.port), TRIVIUM_WORKER: describeStart(start) },
    serialization: 'json',
    ipc: (message: FromWorker) => hear(message),
  })
  return {
    // A worker that has exited cannot receive messages.
    send: (message) => void (child.exitCode === null && child.send(message)),
    kill: (signal) => child.kill(signal),
    exited: child.exited,
  }
}

/** Defined in a process that `launchWorker` has started. When the parent disappears, the worker stops as on SIGTERM. */
function asWorker(): Worker | undefined {
  if (!env.TRIVIUM_WORKER) return undefined
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  return joinParent(env.TRIVIUM_WORKER, {
    send: (message) => void process.send?.(message),
    onMessage: (hear) => void process.on('message', (message) => hear(message as ToWorker)),
  })
}

/**
 * Bun reads these before any code runs. Its HTTP client sends at most 256 requests at a time by default. Its allocator
 * returns free memory between used blocks to the system at every pause, which must then be zeroed and fetched again: wasted
 * work under load. Entirely free blocks are returned anyway.
 */
const BUN_SETTINGS = { BUN_CONFIG_MAX_HTTP_REQUESTS: '65000', MIMALLOC_PURGE_HOLES: '0' }

/** This process becomes the parent of the server, as tools/run.mjs does for `npm start`. */
function restartAsParent(args: readonly string[]): void {
  const { signal } = keepRunning({
    start: (ready) =>
      Bun.spawn(ownCommand(args), {
        // The fourth stream closes when this process exits: killing it is meant to stop the server.
        stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
        env: { ...env, ...BUN_SETTINGS, TRIVIUM_LAUNCHER_FD: '3' },
        serialization: 'json',
        // `ready` is the only message.
        ipc: ready,
      }),
    exit: (code) => process.exit(code),
    report: (message) => process.stderr.write(crashLine(message, process.stderr.isTTY, env.TRIVIUM_LOG_FORMAT)),
  })
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => signal(name))
  // By default it would end this process.
  process.on('SIGUSR1', () => {})
}

/** The parent restarts a server that crashes only if the server has been ready. */
const reportReady = () => void process.send?.('ready')

/** A compiled executable contains its script; `bun main.ts` needs it as an argument. */
const isCompiled = Bun.main.startsWith('/$bunfs/')
const ownCommand = (args: readonly string[]) => [
  process.execPath,
  ...process.execArgv,
  ...(isCompiled ? [] : [Bun.main]),
  ...args,
]

// The reader of a pipe may close it (`| head`): that is not an error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const args = process.argv.slice(2)
const isServe = args[0] === 'serve'
// The parent of workers calls no upstream, and sets the environment of its workers itself.
const isParent = Number(env.TRIVIUM_WORKERS) > 1
if (isServe && !isParent && !env.BUN_CONFIG_MAX_HTTP_REQUESTS) {
  // An executable is run by a service manager, which restarts it: a parent of its own would only take memory.
  if (isCompiled) replaceProcess(ownCommand(args), { ...env, ...BUN_SETTINGS })
  restartAsParent(args)
} else {
  if (isServe) stopWithLauncher()
  void run(args, context).then((code) => void (code !== undefined && process.exit(code)))
}
