// Child processes, with a clean environment and the highest limit of open files.
import { createServer } from 'node:net'
import { join } from 'node:path'

export type Child = {
  pid: number
  say(text: string): void
  output(): string
  readonly ended: boolean
  /** SIGTERM. Resolves with the exit code. */
  terminate(): Promise<number>
  stop(): Promise<void>
}

const CERTIFICATES = join(import.meta.dir, '../../packages/gateway/fixtures')
/** The certificate of the https upstream, for localhost and 127.0.0.1. */
export const CERTIFICATE = join(CERTIFICATES, 'localhost.cert.pem')
export const PRIVATE_KEY = join(CERTIFICATES, 'localhost.key.pem')

const ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  // Bun's HTTP client opens at most 256 requests at once unless this is set before it starts.
  BUN_CONFIG_MAX_HTTP_REQUESTS: '65000',
  NODE_EXTRA_CA_CERTS: CERTIFICATE,
}

/** Running children: none outlives this process, whichever signal ends it. */
const running = new Set<{ kill(signal: NodeJS.Signals): void }>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

export function childOf(name: string, command: readonly string[], env: Record<string, string> = {}): Child {
  // `exec` keeps the shell's process id for the program.
  const raised = ['/bin/sh', '-c', 'ulimit -n "$(ulimit -Hn)"; exec "$@"', name, ...command]
  const child = Bun.spawn(raised, {
    env: { ...ENVIRONMENT, ...env },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  running.add(child)
  void child.exited.then(() => running.delete(child))
  let output = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const piece of stream) output += decoder.decode(piece, { stream: true })
  }
  void collect(child.stdout)
  void collect(child.stderr)
  return {
    pid: child.pid,
    say(text) {
      child.stdin.write(text)
      child.stdin.flush()
    },
    output: () => output,
    get ended() {
      return child.exitCode !== null || child.signalCode !== null
    },
    async terminate() {
      child.kill('SIGTERM')
      return await child.exited
    },
    async stop() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** The first line of the child's output that matches. */
export async function untilLine(child: Child, pattern: RegExp, withinMs: number): Promise<string> {
  const end = performance.now() + withinMs
  for (;;) {
    const ended = child.ended
    const line = pattern.exec(child.output())
    if (line) return line[1] ?? line[0]
    if (ended || performance.now() > end) throw new Error(`no answer from a child process: ${child.output()}`)
    await Bun.sleep(2)
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
