// A real gateway in its own process: the one way to start one in tests.
import { chownSync, rmSync } from 'node:fs'
import type { StreamTiming } from '../../../packages/gateway/src/paid-call/writing/stream-timing.ts'
import type { Migration } from '../../../packages/gateway/src/storage/migrations/migrations.ts'
import type { TaskTiming } from '../../../packages/gateway/src/tasks/timing.ts'
import { type CommandOutput, type Engine, environmentOf, type Home, newHomeWithTables, runCommand } from './home.ts'
import { watchGateway } from './lost.ts'
import { closeDatabase, runJson } from './operate.ts'
import { program } from './program.ts'

/** Only ends tests of a gateway that hangs: many start at once on a busy machine. */
const START_WITHIN_MS = 50_000

export type GatewayOptions = {
  engine?: Engine
  /** The configuration file's text. */
  config?: string
  env?: Record<string, string>
  /** Waits that this test shortens. */
  streamTiming?: Partial<StreamTiming>
  taskTiming?: Partial<TaskTiming>
  /** Passwords are hashed at the cost that production has. Otherwise hashes are cheap. */
  realPasswords?: boolean
  /** Versions of the stored data beyond those of this checkout. */
  migrations?: readonly Migration[]
  /** Addresses of names in callers' URLs; null: the name server does not answer. Other names do not resolve. */
  hosts?: Record<string, string[] | null>
  /** The limit of file descriptors of the process. */
  descriptors?: number
  /** Modes of files count: a process of root would ignore them. */
  isUnprivileged?: boolean
  /** The folder that it starts in; absent: that of the tests. */
  cwd?: string
  /** Another main.ts than this checkout's. */
  main?: string
  /** Uses the folder and the database of a gateway that has stopped. */
  home?: Home
}

export type Gateway = {
  url: string
  pid: number
  home: Home
  env: Record<string, string> | undefined
  /** The key that the first start prints. */
  firstKey: string | undefined
  output(): { stdout: string; stderr: string }
  /** Runs a command in a process beside the server. */
  cli(...args: string[]): Promise<CommandOutput>
  /** The same with --json, parsed, and without a process where the command only works on the store. */
  command<T>(...args: string[]): Promise<T>
  signal(name: NodeJS.Signals): void
  /** Whoever asks expects that it ends. */
  readonly exited: Promise<number>
  /** kill -9 */
  kill(): Promise<void>
  stop(): Promise<void>
}

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const home = options.home ?? (await newHomeWithTables(options.engine ?? 'sqlite', options.config))
  const { descriptors, streamTiming, taskTiming, realPasswords, hosts, migrations } = options
  const limited = descriptors ? ['sh', '-c', `ulimit -n ${descriptors} && exec "$0" "$@"`] : []
  if (options.isUnprivileged) {
    limited.unshift(...UNPRIVILEGED)
    if (UNPRIVILEGED.length > 0) chownSync(home.dataDir, NOBODY, NOBODY)
  }
  const main = options.main ?? (await program())
  const child = Bun.spawn([...limited, process.execPath, main, 'serve'], {
    // The fourth stream closes when the test process ends, which stops the server: a failed run leaves nothing behind.
    env: {
      ...environmentOf(home, options.env),
      TRIVIUM_LAUNCHER_FD: '3',
      TEST_SETTINGS: JSON.stringify({ stream: streamTiming, tasks: taskTiming, realPasswords, hosts, migrations }),
    },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  const collect = async (stream: ReadableStream<Uint8Array>, name: 'stdout' | 'stderr') => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) output[name] += decoder.decode(chunk, { stream: true })
  }
  const collected = Promise.all([collect(child.stdout, 'stdout'), collect(child.stderr, 'stderr')])
  const url = await untilReady(child, output, collected)
  const watch = watchGateway(child, output)
  return {
    url,
    pid: child.pid,
    home,
    env: options.env,
    get exited() {
      watch.expectEnd()
      return child.exited
    },
    cli: (...args) => runCommand(home, args, options.env),
    command: (...args) => runJson({ home, env: options.env }, ...args),
    firstKey: /sk-[A-Za-z0-9_-]+/.exec(output.stdout)?.[0],
    output: () => output,
    signal(name) {
      if (!HARMLESS.includes(name)) watch.expectEnd()
      child.kill(name)
    },
    async kill() {
      watch.forget()
      child.kill('SIGKILL')
      await child.exited
    },
    async stop() {
      watch.forget()
      child.kill('SIGKILL')
      await child.exited
      await closeDatabase(home)
      rmSync(home.dataDir, { recursive: true, force: true })
    },
  }
}

/** A gateway survives these. */
const HARMLESS: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGSTOP', 'SIGCONT']

const NOBODY = 65_534

/** Before a command: runs it as another user than root (setpriv of util-linux: Linux only). */
export const UNPRIVILEGED: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []

type Child = { exited: Promise<number>; exitCode: number | null }

/** `collected`: once the process has ended, and all that it wrote has been read. */
async function untilReady(
  child: Child,
  output: { stdout: string; stderr: string },
  collected: Promise<unknown>,
): Promise<string> {
  const end = performance.now() + START_WITHIN_MS
  while (performance.now() < end && child.exitCode === null) {
    const url = /address\s+(\S+)/.exec(output.stdout)?.[1]
    const ready = url && (await fetch(`${url}/ready`, { tls: { rejectUnauthorized: false } }).catch(() => undefined))
    if (ready && ready.status === 200) return url
    await Bun.sleep(20)
  }
  if (child.exitCode !== null) await collected
  throw new Error(`the gateway did not become ready (exit code ${child.exitCode}): ${output.stderr}${output.stdout}`)
}

/** A plain chat request. */
export function chat(
  url: string,
  secret: string,
  body: object | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** The receipt of a completed request, as its caller gets it. */
export async function receiptOf<T>(url: string, secret: string, { headers }: Response): Promise<T> {
  const authorization = `Bearer ${secret}`
  const receipt = await fetch(`${url}/v1/usage/${headers.get('x-request-id')}`, { headers: { authorization } })
  return (await receipt.json()) as T
}

export type UsageEntry = { request_id: string; model: string; outcome: string; cost_usd: string }
