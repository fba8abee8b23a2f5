// A real gateway in a process of its own, started and asked as its users do.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { masterSecret } from '../../../packages/gateway/src/secret.ts'
import { openPostgres } from '../../../packages/gateway/src/storage/postgres.ts'
import { openSqlite } from '../../../packages/gateway/src/storage/sqlite.ts'
import { startPostgres } from '../postgres/postgres.ts'

export type Engine = 'sqlite' | 'postgres'
export const ENGINES: readonly Engine[] = ['sqlite', 'postgres']

const MAIN = join(import.meta.dir, '../../../packages/gateway/src/main.ts')
const START_WITHIN_MS = 20_000

export type GatewayOptions = {
  engine?: Engine
  /** The configuration file's text. */
  config?: string
  env?: Record<string, string>
  /** How many descriptors the process may have. */
  descriptors?: number
  /** Continue in the folder and database of a gateway that has ended. */
  home?: Home
}

/** What outlives a process: its folder, its database, its secret. */
export type Home = { dataDir: string; configFile: string; databaseUrl: string | undefined }

export type Answer = { code: number; stdout: string; stderr: string }

export type Gateway = {
  url: string
  pid: number
  home: Home
  /** The ready-made key, printed at the first start. */
  firstKey: string | undefined
  output(): { stdout: string; stderr: string }
  /** Runs a command beside the server. */
  cli(...args: string[]): Promise<Answer>
  /** The same with --json, parsed; throws unless it exits 0. */
  ask<T>(...args: string[]): Promise<T>
  /** An account with a key; gives the key's secret. `options`: more of `key create`. */
  newKey(options?: {
    credit?: string
    group?: string
    options?: string[]
  }): Promise<{ secret: string; email: string; keyId: string }>
  signal(name: NodeJS.Signals): void
  exited: Promise<number>
  /** kill -9 */
  kill(): Promise<void>
  stop(): Promise<void>
}

export async function newHome(engine: Engine, config = ''): Promise<Home> {
  const dataDir = mkdtempSync(join(tmpdir(), 'trivium-test-'))
  const configFile = join(dataDir, 'trivium.yaml')
  writeFileSync(configFile, config)
  const databaseUrl = engine === 'postgres' ? await (await startPostgres()).freshDatabase() : undefined
  return { dataDir, configFile, databaseUrl }
}

const SHARED_SECRET = 'a secret that the tests share'

/** What the first start of a server does, for commands that run without one. */
export async function createDatabase({ dataDir, databaseUrl }: Home): Promise<void> {
  const storage = databaseUrl ? await openPostgres(databaseUrl) : await openSqlite(dataDir)
  await masterSecret(storage, { dataDir, secret: databaseUrl ? SHARED_SECRET : undefined })
  await storage.close()
}

function environmentOf(home: Home, extra: Record<string, string> = {}): Record<string, string> {
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

export async function runCommand(
  home: Home,
  args: readonly string[],
  env: Record<string, string> = {},
  stdin = '',
): Promise<Answer> {
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    env: environmentOf(home, env),
    stdin: Buffer.from(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr }
}

let accounts = 0

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const home = options.home ?? (await newHome(options.engine ?? 'sqlite', options.config))
  const { descriptors } = options
  const limited = descriptors ? ['sh', '-c', `ulimit -n ${descriptors} && exec "$0" "$@"`] : []
  const child = Bun.spawn([...limited, process.execPath, MAIN, 'serve'], {
    // The fourth stream ends with the test process, and the server with it: a failed run leaves nothing behind.
    env: { ...environmentOf(home, options.env), TRIVIUM_LAUNCHER_FD: '3' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  const collect = async (stream: ReadableStream<Uint8Array>, name: 'stdout' | 'stderr') => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) output[name] += decoder.decode(chunk, { stream: true })
  }
  void collect(child.stdout, 'stdout')
  void collect(child.stderr, 'stderr')
  const url = await untilReady(child, output)
  const cli = (...args: string[]) => runCommand(home, args, options.env)

  async function ask<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await cli(...args, '--json')
    if (code !== 0) throw new Error(`trivium ${args.join(' ')} exited ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }

  return {
    ...{ url, pid: child.pid, home, exited: child.exited, cli, ask },
    firstKey: /sk-[A-Za-z0-9_-]+/.exec(output.stdout)?.[0],
    output: () => output,
    async newKey({ credit = '10', group, options = [] } = {}) {
      const email = `account-${++accounts}-${process.pid}@example.com`
      await ask('account', 'create', '--email', email, '--credit', credit)
      const inGroup = group ? ['--group', group] : []
      const key = await ask<{ id: string; secret: string }>(
        'key',
        'create',
        '--account',
        email,
        '--name',
        'test',
        ...inGroup,
        ...options,
      )
      return { secret: key.secret, email, keyId: key.id }
    },
    signal: (name) => child.kill(name),
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(home.dataDir, { recursive: true, force: true })
    },
  }
}

type Child = { exited: Promise<number>; exitCode: number | null }

async function untilReady(child: Child, output: { stdout: string; stderr: string }): Promise<string> {
  const end = performance.now() + START_WITHIN_MS
  while (performance.now() < end && child.exitCode === null) {
    const url = /address\s+(\S+)/.exec(output.stdout)?.[1]
    const ready = url && (await fetch(`${url}/ready`, { tls: { rejectUnauthorized: false } }).catch(() => undefined))
    if (ready && ready.status === 200) return url
    await Bun.sleep(20)
  }
  throw new Error(`the gateway did not become ready (exit code ${child.exitCode}): ${output.stderr}${output.stdout}`)
}

/** A chat call as raw as it gets. */
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

/** What became of an answered request, as its caller is told. */
export async function receiptOf<T>(url: string, secret: string, { headers }: Response): Promise<T> {
  const authorization = `Bearer ${secret}`
  const receipt = await fetch(`${url}/v1/usage/${headers.get('x-request-id')}`, { headers: { authorization } })
  return (await receipt.json()) as T
}

export type UsageEntry = { request_id: string; model: string; ending: string; cost_usd: string }
