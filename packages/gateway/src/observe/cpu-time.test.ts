import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { cpuDemandMs, schedulerClock } from './cpu-time.ts'

const SPIN_MS = 300

/** What is wanted of a processor, as a share of one, while this is done. */
async function shareOf(run: () => Promise<void> | void): Promise<number> {
  const [begun, before] = [performance.now(), cpuDemandMs()]
  await run()
  return (cpuDemandMs() - before) / (performance.now() - begun)
}

function spin(): void {
  for (const end = performance.now() + SPIN_MS; performance.now() < end; ) {}
}

test('who works all the time wants all of one; who sleeps, next to nothing', async () => {
  expect(await shareOf(spin)).toBeGreaterThan(0.9)
  expect(await shareOf(() => Bun.sleep(SPIN_MS))).toBeLessThan(0.5)
})

const alsoWhileOthersTakeMostOfIt = async () => {
  const busy = ['-e', 'for (const end = Date.now() + 3_000; Date.now() < end; ) {}']
  const others = Array.from({ length: 3 * cpus().length }, () => Bun.spawn([process.execPath, ...busy]))
  await Bun.sleep(500)
  const before = process.cpuUsage()
  const [share, used] = [await shareOf(spin), process.cpuUsage(before)]
  for (const other of others) other.kill()
  expect(share).toBeGreaterThan(0.9)
  // It did not get it.
  expect((used.user + used.system) / 1_000).toBeLessThan(0.8 * SPIN_MS)
}
// Elsewhere it cannot be told.
if (existsSync('/proc/self/schedstat')) test('also while others take most of it', alsoWhileOthersTakeMostOfIt)

test('a time that cannot be read is the last one that could', () => {
  const contents = ['3000000 1000000 9', undefined, '5000000 1000000 12']
  const scheduledMs = schedulerClock(() => {
    const content = contents.shift()
    if (content === undefined) throw new Error('EMFILE: too many open files')
    return content
  })
  expect([scheduledMs(), scheduledMs(), scheduledMs()]).toEqual([4, 4, 6])
})
