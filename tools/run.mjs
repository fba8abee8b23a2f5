#!/usr/bin/env node
// The launcher of every npm script, and what `npx trivium` runs in a clone. Plain Node without dependencies: it must run before anything is installed.
//   node tools/run.mjs <command> ...     the gateway and its commands
//   node tools/run.mjs :<task> ...       work on the project itself (test, check, lint, ...)
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crashLine, keepRunning } from '../packages/gateway/src/process/keep-running.mjs'
import { bundleCommands, bundledCommands, linkCommand } from './commands.mjs'
import { installOnce } from './install.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')

/** Each task is a list of programs, run one after the other. `bun` and `node` run scripts. */
const TASKS = {
  test: (args) => [['bun', 'tools/tests/run.ts', 'most', ...args]],
  'test-all': (args) => [['bun', 'tools/tests/run.ts', 'all', ...args]],
  check: () => [
    ['bun', 'tools/api-types.ts'],
    ['node', 'node_modules/typescript/bin/tsc', '-p', 'packages/protocol'],
    ['node', 'node_modules/typescript/bin/tsc', '-p', 'packages/console'],
    ['node', 'node_modules/typescript/bin/tsc', '-p', '.'],
  ],
  lint: () => [['node', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings']],
  format: () => [['node', 'node_modules/@biomejs/biome/bin/biome', 'check', '--write']],
  build: (args) => [['bun', 'tools/build/run.ts', ...args]],
  'api-types': () => [['bun', 'tools/api-types.ts']],
  'deploy-check': () => [['bun', 'tools/deploy/run.ts']],
  notice: () => [['bun', 'tools/build/notice.ts']],
  simulate: (args) => [['bun', 'tools/simulation/run.ts', ...args]],
  bench: (args) => [['bun', 'bench/run.ts', ...args]],
  overload: (args) => [['bun', 'bench/overload.ts', ...args]],
  scaling: (args) => [['bun', 'bench/scaling.ts', ...args]],
  torture: (args) => [['bun', 'torture/run.ts', ...args]],
  faults: (args) => [['bun', 'faults/run.ts', ...args]],
  screenshots: (args) => [['bun', 'tools/screenshots/run.ts', ...args]],
  certify: () => [['bun', 'tools/certify/run.ts']],
  recording: () => [['bun', 'tools/recording/run.ts']],
  reference: () => [['bun', 'tools/reference/run.ts']],
  court: (args) => [['bun', 'court/main.ts', ...args]],
  counts: () => [['bun', 'tools/structure/counts.ts']],
  agents: (args) => [['bun', 'tools/agents/run.ts', ...args]],
}

/** These need the tools that check types and format; tasks that are in no list need what tests need. */
const CHECKS = ['check', 'lint', 'format', 'api-types', 'torture']
/** These need what the server needs: an executable is made of that, and commands run. */
const OF_SERVER = ['build', 'certify']
/** These need the packages of the exhaustive tests, as files of `npm test` in that folder do. */
const EXHAUSTIVE = ['test-all', 'screenshots', 'court']

async function installFor(name, args) {
  if (!name.startsWith(':')) return await installOnce(root, 'server')
  const task = name.slice(1)
  const isExhaustive = EXHAUSTIVE.includes(task) || args.some((arg) => /(^|\/)exhaustive(\/|$)/.test(arg))
  // All packages of a release: one has types, which are written by the tools that check them.
  const part = args.includes('--release') ? 'all' : partFor(task, isExhaustive)
  await installOnce(root, part)
  if (isExhaustive) await installOnce(join(root, 'exhaustive'), 'package')
}

/** Exhaustive tests check types, too: of what the how-tos of docs/contribute/ add. */
function partFor(task, isExhaustive) {
  if (OF_SERVER.includes(task)) return 'server'
  return CHECKS.includes(task) || isExhaustive ? 'all' : 'tests'
}

/** The Bun binary comes inside a platform package; an install script, where npm runs it, moves it to bun/bin. */
function findBun() {
  const vendor = join(modules, '@oven')
  const inPlatformPackage = existsSync(vendor)
    ? readdirSync(vendor).flatMap((name) => [join(vendor, name, 'bin/bun'), join(vendor, name, 'bin/bun.exe')])
    : []
  const candidates = [...inPlatformPackage, join(modules, 'bun/bin/bun.exe')]
  // Without its install script, bun/bin/bun.exe is a placeholder of a few hundred bytes.
  return candidates.find((path) => existsSync(path) && statSync(path).size > 1_000_000)
}

function fail(message) {
  console.error(`trivium: ${message}`)
  process.exit(1)
}

function runStep(step) {
  const [file, rest] = programOf(step, bun)
  const { status, signal } = spawnSync(file, rest, { cwd: root, stdio: 'inherit', env })
  // Ctrl-C ends the whole task.
  if (signal !== null) process.exit(128 + (constants.signals[signal] ?? 0))
  return status ?? 1
}

function programOf([kind, ...args], bun) {
  return kind === 'bun' ? [bun, args] : [process.execPath, args]
}

/** Runs a program with this process's streams, signals and exit code. A server that crashes is restarted. */
function become(file, args, env, onReady) {
  const { signal } = keepRunning({
    start: (ready) =>
      launch(file, args, env, () => {
        ready()
        onReady()
      }),
    exit: (code) => process.exit(code),
    report: (message) => process.stderr.write(crashLine(message, process.stderr.isTTY, env.TRIVIUM_LOG_FORMAT)),
  })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => signal(name))
  // By default it would open Node's debugger.
  process.on('SIGUSR1', () => {})
  // If npm is killed, it cannot forward the signal, and the server would keep running unnoticed.
  const parent = process.ppid
  const orphaned = setInterval(() => {
    if (process.ppid === parent) return
    // Only once: a second signal would skip the graceful shutdown.
    clearInterval(orphaned)
    signal('SIGTERM')
  }, 500)
  if (process.env.npm_lifecycle_event) orphaned.unref()
  else clearInterval(orphaned)
}

function launch(file, args, env, ready) {
  // The fourth stream closes when this process exits: a killed launcher must not leave a server behind. On the fifth the child
  // reports that it is ready.
  const child = spawn(file, args, { stdio: ['inherit', 'inherit', 'inherit', 'pipe', 'ipc'], env })
  child.on('error', (error) => fail(`could not start ${file}: ${error.message}`))
  child.on('message', ready)
  const exited = new Promise((resolve) =>
    child.on('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0))),
  )
  return { exited, kill: (name) => child.kill(name) }
}

if (process.platform === 'win32') fail('Linux and macOS are supported; on Windows, run it in WSL.')

const [name = '', ...args] = process.argv.slice(2)
const isTask = name.startsWith(':')
await installFor(name, args).catch(({ message }) => fail(message))
linkCommand(root)
const bun = findBun()
if (!bun)
  fail(
    `no Bun binary for ${process.platform} ${process.arch} came with the dependencies. Delete node_modules and try again.`,
  )

// Bun reads these before it starts; packages/gateway/src/main.ts explains them.
const env = { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65000', MIMALLOC_PURGE_HOLES: '0' }

if (isTask) {
  const task = TASKS[name.slice(1)]
  if (!task) fail(`unknown task: ${name.slice(1)}`)
  // A failed step does not hide what the next ones find.
  const failed = task(args)
    .map(runStep)
    .find((code) => code !== 0)
  process.exit(failed ?? 0)
} else {
  // Bun would read .env by itself: a key in a forgotten file must not enable a vendor.
  const isServer = name === 'serve'
  const file = (!isServer && bundledCommands(root)) || join(root, 'packages/gateway/src/main.ts')
  become(
    bun,
    ['--no-env-file', file, ...process.argv.slice(2)],
    { ...env, TRIVIUM_LAUNCHER_FD: '3' },
    () => isServer && bundleCommands(root, bun),
  )
}
