// The passes of `npm test` and `npm run test:all`: most files side by side, then those that measure time, memory or descriptors, one at a
// time.
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const MOST_WORKERS = 6
/** What a worker takes with its gateways, its PostgreSQL server and its browser. */
const WORKER_BYTES = 1.25 * 2 ** 30
/** How long each file took: the slowest begin first, so that all workers end at about the same time. TRIVIUM_TEST_TIMINGS=write renews it. */
const TIMINGS = 'tools/test-timings.json'
/**
 * Only ends tests that hang: waits inside of tests give up much earlier. When a test exceeds it, the runner kills every process that the
 * file has started, gateways and databases among them, and all later tests of the file fail. So no test sets a shorter one.
 */
const TIMEOUT_MS = 300_000

/**
 * These measure how long something takes, how much CPU it gets or what a request costs beside the process's jobs, or open as many
 * connections as a process may have: other work disturbs them.
 */
const ALONE = [
  'packages/gateway/src/observe/cpu-time.test.ts',
  'test/overload/admission.test.ts',
  'test/overload/connections.test.ts',
  'test/requests/allocations.test.ts',
  'test/routing/load-balancing.test.ts',
]

const CONTRIBUTOR = ['packages', 'test', 'tools']
const EXHAUSTIVE = [...CONTRIBUTOR, 'exhaustive']

/** Arguments of `bun`, and the files that it should run; undefined: what the arguments name. */
export type Pass = { args: string[]; files?: readonly string[] }

const BUN = ['test', '--timeout', String(TIMEOUT_MS), '--preload', './tools/tests/hooks.ts']

export const alone = (file: string): Pass => ({ args: [...BUN, `./${file}`], files: [file] })

/** `all`: the exhaustive tests too. */
export function passesOf(all: boolean, args: readonly string[]): Pass[] {
  if (args.length > 0) return [{ args: [...BUN, ...args] }]
  const missing = ALONE.filter((file) => !existsSync(join(ROOT, file)))
  if (missing.length > 0) throw new Error(`tools/tests/passes.ts lists files that do not exist: ${missing.join(', ')}`)
  // A file takes about a third of a core: it waits for what it starts, for connections, and for leases that expire.
  const workers = Math.max(1, Math.min(3 * availableParallelism(), MOST_WORKERS, Math.floor(totalmem() / WORKER_BYTES)))
  const timings = [
    `--timings=${TIMINGS}`,
    ...(process.env.TRIVIUM_TEST_TIMINGS === 'write' ? ['--update-timings'] : []),
  ]
  // Workers keep their modules and their PostgreSQL server from one file to the next.
  const together = [`--parallel=${workers}`, '--no-isolate', ...ALONE.map((file) => `--path-ignore-patterns=${file}`)]
  const folders = all ? EXHAUSTIVE : CONTRIBUTOR
  const files = folders.flatMap(testsIn).filter((file) => !ALONE.includes(file))
  return [
    { args: [...BUN, ...together, ...timings, ...folders.map((folder) => `./${folder}`)], files },
    ...ALONE.map(alone),
  ]
}

const testsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`)
