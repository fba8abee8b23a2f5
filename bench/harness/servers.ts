// The servers of a run, each in a process of its own: the upstream, and those that are compared in front of it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GatewayHome, gatewayEnvironment, MAIN } from './home.ts'
import { type Child, childOf, freePort, untilLine } from './processes.ts'
import type { Server, UpstreamProtocol, UpstreamServer } from './server.ts'
import { CHAT } from './wire.ts'

const START_WITHIN_MS = 20_000

/** `command`: what it is started through, such as `taskset`. */
export async function startUpstream(
  command: readonly string[] = [],
  protocol: UpstreamProtocol = 'http',
): Promise<UpstreamServer> {
  const server = await startScript(protocol === 'http' ? 'fixed-upstream' : 'https-upstream', [], command)
  return { ...server, url: `${protocol === 'http' ? 'http' : 'https'}://127.0.0.1:${server.port}`, protocol }
}

export async function startBare({ url, protocol }: UpstreamServer): Promise<Server> {
  return { ...(await startScript('bare-proxy', [url, protocol])), name: 'bare' }
}

async function startScript(name: string, args: string[], command: readonly string[] = []): Promise<Server> {
  const child = childOf(name, [...command, process.execPath, `${import.meta.dir}/${name}.ts`, ...args])
  const port = Number(await untilLine(child, /^port (\d+)$/m, START_WITHIN_MS))
  return { name, port, ...passing(child) }
}

const passing = (child: Child) => ({
  pid: child.pid,
  pathOf: (upstreamPath: string) => upstreamPath + CHAT,
  terminate: child.terminate,
  stop: child.stop,
})

/** The gateway with everything on: ledger in SQLite, every commit durable. */
export async function startGateway(
  home: GatewayHome,
  name = 'gateway',
  main = MAIN,
  env: Record<string, string> = {},
): Promise<Server> {
  const child = childOf(name, [process.execPath, main, 'serve'], { ...gatewayEnvironment(home, 0), ...env })
  const port = Number(await untilLine(child, /address\s+http:\/\/[^:]+:(\d+)/, START_WITHIN_MS))
  await untilReady(port, child)
  return { name, port, ...passing(child), pathOf: () => `/v1${CHAT}` }
}

export async function untilReady(port: number, child: Child): Promise<void> {
  const end = performance.now() + START_WITHIN_MS
  while (!child.ended && performance.now() < end) {
    const answer = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined)
    if (answer?.status === 200) return
    await Bun.sleep(2)
  }
  throw new Error(`the gateway did not become ready: ${child.output()}`)
}

export const nginxVersion = (): string | undefined => {
  const nginx = Bun.which('nginx')
  return nginx ? Bun.spawnSync([nginx, '-v']).stderr.toString().trim().split('/').at(-1) : undefined
}

/** One process without a master: what it costs is all in one place. */
export async function startNginx(upstreamPort: number, isSecure = false): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-bench-nginx-'))
  const port = await freePort()
  writeFileSync(join(folder, 'nginx.conf'), nginxConfig(folder, port, upstreamPort, isSecure))
  const program = Bun.which('nginx') ?? 'nginx'
  const child = childOf('nginx', [program, '-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'])
  const { stop } = child
  while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))) {
    if (child.ended) throw new Error(`nginx did not start: ${child.output()}`)
    await Bun.sleep(5)
  }
  const stopAndRemove = async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { name: 'nginx', port, ...passing(child), stop: stopAndRemove }
}

function nginxConfig(folder: string, port: number, upstreamPort: number, isSecure: boolean): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`)
  return `
daemon off; master_process off; worker_processes 1; worker_rlimit_nofile 16384; pid ${folder}/pid; error_log stderr crit;
events { worker_connections 8192; }
http {
  access_log off; ${temporary.join(' ')}
  keepalive_requests 100000000; client_max_body_size 64m; client_body_buffer_size 256k;
  upstream fixed { server 127.0.0.1:${upstreamPort}; keepalive 512; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location = / { return 204; }
    location / {
      proxy_pass ${isSecure ? 'https' : 'http'}://fixed; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
    }
  }
}
`
}
