// The parent process restarts a crashed server.
import { afterAll, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../test/support/eventually.ts'
import { type Engine, environmentOf, newHome } from '../../test/support/gateway/home.ts'
import { childrenOf } from '../../test/support/postgres/postgres.ts'

// Nine servers start from their sources here, which takes long on a busy machine.
const ROOT = join(import.meta.dir, '../..')
const MAIN = join(ROOT, 'packages/gateway/src/main.ts')
/** Loaded before the server: throws an uncaught error on SIGUSR2. */
const BREAKER = `process.on('SIGUSR2', () => setTimeout(() => { throw new Error('a bug') }))`

const launched: ChildProcess[] = []
afterAll(() => {
  for (const child of launched) child.kill('SIGKILL')
})

async function launch(command: string, args: string[], engine: Engine = 'sqlite', more: Record<string, string> = {}) {
  const home = await newHome(engine, 'server: { drain: 0s }')
  const breaker = join(home.dataDir, 'breaker.ts')
  writeFileSync(breaker, BREAKER)
  // Only a program that has this variable serves without a parent process.
  const { BUN_CONFIG_MAX_HTTP_REQUESTS: _, ...env } = environmentOf(home, more)
  const child = spawn(command, args, {
    cwd: ROOT,
    env: {
      ...env,
      BUN_OPTIONS: `--preload=${breaker}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  launched.push(child)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (bytes) => (output[name] += bytes))
  const addresses = () => [...output.stdout.matchAll(/address\s+(\S+)/g)].map(([, address]) => address ?? '')
  return {
    child,
    output,
    exited: once(child, 'exit') as Promise<[number | null, string | null]>,
    /** Waits until the first, second or third server is ready and returns its process id. */
    async server(number: number): Promise<number> {
      await eventually(async () => {
        const address = addresses()[number - 1]
        return address !== undefined && (await fetch(`${address}/ready`)).ok
      })
      return childrenOf(child.pid ?? 0)[0] ?? 0
    },
    clear: () => rmSync(home.dataDir, { recursive: true, force: true }),
  }
}

test.concurrent('the launcher: restarts the parent of workers', async () => {
  const { child, output, server, exited, clear } = await launch('node', ['tools/run.mjs', 'serve'], 'postgres', {
    TRIVIUM_WORKERS: '2',
  })
  process.kill(await server(1), 'SIGKILL')
  expect(childrenOf(await server(2))).toHaveLength(2)
  expect(output.stderr).toContain('"message":"the server crashed (exit code 137); restarting it in 500 ms')
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  clear()
})

test.concurrent.each([
  ['the launcher', 'node', ['tools/run.mjs', 'serve']],
  ['the program itself', process.execPath, [MAIN, 'serve']],
])('%s: restarts after a signal and after an uncaught error, and not during a shutdown', async (_, command, args) => {
  const { child, output, server, exited, clear } = await launch(command, args)
  const first = await server(1)
  // Ignored by both, as tools that rotate logs expect of a program that does not use it.
  child.kill('SIGUSR1')
  process.kill(first, 'SIGUSR1')
  await eventually(() => output.stderr.includes('SIGUSR1 ignored'))
  expect(output.stderr).not.toContain('Debugger listening')
  process.kill(first, 'SIGKILL')
  process.kill(await server(2), 'SIGUSR2')
  const third = await server(3)
  expect(output.stderr).toContain('exit code 137')
  expect(output.stderr).toContain('a bug')
  expect(output.stderr).toContain('exit code 70')
  // The first key is printed once.
  expect(output.stdout.match(/.*sk-.*/g)).toEqual([expect.any(String)])
  child.kill('SIGTERM')
  await eventually(() => output.stderr.includes('stopping'))
  try {
    process.kill(third, 'SIGKILL')
  } catch {
    // It has ended already.
  }
  await exited
  expect(output.stdout.match(/"address"/g)).toHaveLength(3)
  clear()
})
