// The composition root: reads the environment, names the engines, hands both to the command that was asked for.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { CommandContext } from './cli/context.ts'
import { CommandError } from './cli/errors.ts'
import { START } from './cli/program.ts'
import { run } from './cli/run.ts'
import { formatMistakes } from './config/format-mistakes.ts'
import { describeSystemError } from './config/sections/server.ts'
import type { Environment, Mistake } from './config/types.ts'
import { loadFile, readEnvironment } from './config.ts'
import { keepRunning } from './process/keep-running.mjs'
import type { Launch } from './process/supervisor.ts'
import { describeStart, type FromWorker, joinParent, type ToWorker, type Worker } from './process/worker.ts'
import { serve } from './serve.ts'
import { masterSecret } from './startup/master-secret.ts'
import { openPostgres } from './storage/postgres.ts'
import { openSqlite, SQLITE_FILE } from './storage/sqlite.ts'
import { FolderInUse, NoDatabase, type Storage } from './storage/storage.ts'
import { VERSION } from './version.ts'

/** Bun's client obeys these by itself; proxies come from the configuration alone. What they said may still be read there. */
const PROXY_VARIABLES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']

const env = { ...process.env }
for (const name of PROXY_VARIABLES) delete process.env[name]

const loadConfig = (file: string) => loadFile(file, env)

const setup: CommandContext = {
  version: VERSION,
  environment() {
    const { environment, mistakes } = readEnvironment(env)
    if (mistakes.length > 0) throw mistakesError(mistakes)
    return environment
  },
  config(environment: Environment, { mayBeEmpty } = { mayBeEmpty: true }) {
    const loaded = loadFile(environment.configFile, env, mayBeEmpty)
    if (!loaded.config) throw mistakesError(loaded.mistakes)
    return loaded.config
  },
  async openStorage(environment, { mayCreate } = { mayCreate: false }) {
    const { databaseUrl, dataDir } = environment
    const storage = await (databaseUrl ? reachPostgres(databaseUrl, mayCreate) : ownSqlite(dataDir, mayCreate))
    try {
      await masterSecret(storage, environment)
      return storage
    } catch (error) {
      await storage.close()
      throw error
    }
  },
  describeDatabase: ({ databaseUrl, dataDir }) =>
    databaseUrl ? `PostgreSQL database ${placeOf(databaseUrl)}` : `SQLite database ${join(dataDir, SQLITE_FILE)}`,
  serve: () => serve({ ...setup, loadConfig, launch: launchWorker, worker: asWorker(), ready: tellReady }),
}

const mistakesError = (mistakes: readonly Mistake[]) => new CommandError(formatMistakes(mistakes), mistakes)

async function ownSqlite(dataDir: string, mayCreate: boolean): Promise<Storage> {
  try {
    return await openSqlite(dataDir, { mayCreate })
  } catch (error) {
    if (error instanceof NoDatabase)
      throw new CommandError(
        `${error.message}: set TRIVIUM_DATA to the server's data folder, or start the server once to create it (${START})`,
      )
    // Without a code it is ours, or names the file already.
    if (!(error instanceof Error && 'code' in error) || error instanceof FolderInUse) throw error
    throw new CommandError(`cannot use the data folder ${dataDir}: ${describeSystemError(error)}`)
  }
}

/** The address without the user and the password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

async function reachPostgres(url: string, mayCreate: boolean): Promise<Storage> {
  try {
    return await openPostgres(url, { mayCreate })
  } catch (error) {
    if (error instanceof NoDatabase)
      throw new CommandError(
        `${error.message}: ${placeOf(url)} of DATABASE_URL is empty; start the server once to create them (${START})`,
      )
    throw new CommandError(`cannot use the database ${placeOf(url)} of DATABASE_URL: ${describeSystemError(error)}`)
  }
}

/** The launcher holds the other end: when it is gone, however it went, so are we. */
function endWithLauncher(): void {
  const descriptor = Number(env.TRIVIUM_LAUNCHER_FD ?? Number.NaN)
  if (Number.isNaN(descriptor)) return
  const gone = () => process.kill(process.pid, 'SIGTERM')
  createReadStream('', { fd: descriptor })
    .on('error', () => {})
    .on('end', gone)
    .resume()
}

const launchWorker: Launch = (start, hear) => {
  const { TRIVIUM_LAUNCHER_FD: _, ...ours } = env
  const child = Bun.spawn(againWith(['serve']), {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...ours, ...FOR_BUN, PORT: String(start.port), TRIVIUM_WORKER: describeStart(start) },
    serialization: 'json',
    ipc: (message: FromWorker) => hear(message),
  })
  return {
    // Who has just died hears nothing more.
    send: (message) => void (child.exitCode === null && child.send(message)),
    kill: (signal) => child.kill(signal),
    exited: child.exited,
  }
}

/** Not undefined in a process that `launchWorker` has started. Without its parent it ends as if it had been told to. */
function asWorker(): Worker | undefined {
  if (!env.TRIVIUM_WORKER) return undefined
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  return joinParent(env.TRIVIUM_WORKER, {
    send: (message) => void process.send?.(message),
    onMessage: (hear) => void process.on('message', (message) => hear(message as ToWorker)),
  })
}

/**
 * What Bun reads from its environment before anything runs. Its HTTP client opens at most 256 requests at once unless told
 * otherwise. Its allocator hands free memory between what is in use back at every pause, to be zeroed and fetched again a
 * moment later: under load that is work for nothing, and whole free blocks are handed back all the same.
 */
const FOR_BUN = { BUN_CONFIG_MAX_HTTP_REQUESTS: '65000', MIMALLOC_PURGE_HOLES: '0' }

/** This process becomes the parent of the server, as tools/run.mjs is elsewhere. */
function startAgain(args: readonly string[]): void {
  const { signal } = keepRunning({
    start: (ready) =>
      Bun.spawn(againWith(args), {
        // The fourth stream tells the child when we are gone: whoever kills us means the server.
        stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
        env: { ...env, ...FOR_BUN, TRIVIUM_LAUNCHER_FD: '3' },
        serialization: 'json',
        // All that is ever sent.
        ipc: ready,
      }),
    exit: (code) => process.exit(code),
    report: (message) => process.stderr.write(`trivium: ${message}\n`),
  })
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => signal(name))
}

/** Told to the parent, which starts a server that was ready again if it crashes. */
const tellReady = () => void process.send?.('ready')

/** A compiled executable carries its script; `bun main.ts` has to be told it again. */
const ownScript = () => (Bun.main.startsWith('/$bunfs/') ? [] : [Bun.main])
const againWith = (args: readonly string[]) => [process.execPath, ...process.execArgv, ...ownScript(), ...args]

// Whoever reads along may stop reading (`| head`); that is no reason to end or to say anything.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const args = process.argv.slice(2)
const serving = args[0] === 'serve'
// The parent of workers calls no upstream, and starts them with the right environment.
const isParent = Number(env.TRIVIUM_WORKERS) > 1
if (serving && !isParent && !env.BUN_CONFIG_MAX_HTTP_REQUESTS) {
  startAgain(args)
} else {
  if (serving) endWithLauncher()
  const code = await run(args, setup)
  if (code !== undefined) process.exit(code)
}
