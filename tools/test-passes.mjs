// The passes of `npm test`: most files side by side, then those that measure time, memory or descriptors, one at a time.
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const MOST_WORKERS = 6
/** How long each file took: the slowest begin first, so that all workers end at about the same time. TRIVIUM_TEST_TIMINGS=write renews it. */
const TIMINGS = 'tools/test-timings.json'
/** Makes what many files need. */
const PREPARE = 'test/support/prepare.ts'
/** For every test that sets none. Nothing takes this long, even on a busy machine: such a test hangs. */
const TIMEOUT_MS = 60_000

/** These measure how long something takes or how much CPU it gets, or open as many connections as a process may have: other work disturbs them. */
export const ALONE = [
  'packages/gateway/src/observe/cpu-time.test.ts',
  'test/overload/admission.test.ts',
  'test/overload/connections.test.ts',
  'test/routing/load-balancing.test.ts',
]

/** Command lines of `bun`. With arguments: these files or folders, or options of `bun test`, in one pass. */
export function testPasses(root, args) {
  const bun = ['bun', 'test', '--timeout', String(TIMEOUT_MS)]
  if (args.length > 0) return [[...bun, ...args]]
  const missing = ALONE.filter((file) => !existsSync(join(root, file)))
  if (missing.length > 0) throw new Error(`tools/test-passes.mjs lists files that do not exist: ${missing.join(', ')}`)
  // A file takes about half a core: it waits for what it starts, for connections, and for leases that expire.
  const workers = Math.min(2 * availableParallelism(), MOST_WORKERS)
  const timings = [
    `--timings=${TIMINGS}`,
    ...(process.env.TRIVIUM_TEST_TIMINGS === 'write' ? ['--update-timings'] : []),
  ]
  // Workers keep their modules and their PostgreSQL server from one file to the next.
  const together = [`--parallel=${workers}`, '--no-isolate', ...ALONE.map((file) => `--path-ignore-patterns=${file}`)]
  return [
    ['bun', PREPARE],
    [...bun, ...together, ...timings, './packages', './test', './tools'],
    [...bun, ...ALONE.map((file) => `./${file}`)],
  ]
}
