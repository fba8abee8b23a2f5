// What a test file says that has lost its gateway: how it ended, once.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDigest } from '../../../tools/tests/digest.ts'

const HOOKS = join(import.meta.dir, '../../../tools/tests/hooks.ts')
const folder = mkdtempSync(join(tmpdir(), 'trivium-lost-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** `body`: tests of one file, which has a gateway of its own for all of them. */
async function outcomeOf(name: string, body: string) {
  const file = join(folder, `${name}.test.ts`)
  writeFileSync(
    file,
    `import { afterAll, expect, test } from 'bun:test'
import { startGateway } from '${join(import.meta.dir, 'gateway.ts')}'
const gateway = await startGateway()
afterAll(() => gateway.stop())
const health = async () => expect((await fetch(gateway.url + '/health')).status).toBe(200)
${body}`,
  )
  const child = Bun.spawn([process.execPath, 'test', '--timeout', '300000', '--preload', HOOKS, file], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const digest = openDigest({ fileEnded() {}, failed() {} })
  for (const line of (await child.stderr.text()).split('\n')) digest.line(line)
  const { passed, notRun, failures } = digest.end(`exit code ${await child.exited}`)
  return { passed, notRun, failures: failures.map(({ name, reason }) => ({ name, reason })) }
}

test('the test that notices it fails with how the gateway ended, and none of the later ones runs', async () => {
  // Until it is gone and its exit code is known, which takes a while on a busy machine.
  // The process exists until this one has learnt that it ended.
  const isThere = 'const isThere = () => { try { return process.kill(gateway.pid, 0) } catch { return false } }'
  const ends = "process.kill(gateway.pid, 'SIGKILL'); while (isThere()) await Bun.sleep(5)"
  const { failures, ...counts } = await outcomeOf(
    'lost',
    `${isThere}
test('before', health)
test('meanwhile', async () => { ${ends}; await health() })
test.each([1, 2, 3])('after %i', health)`,
  )
  expect(counts).toEqual({ passed: 1, notRun: 3 })
  expect(failures).toEqual([
    { name: 'meanwhile', reason: expect.stringMatching(/has ended \(process \d+, signal SIG/) },
  ])
  expect(failures[0]?.reason).toMatch(/Its last lines:\n\s+\S/)
})

test('a gateway that its test ends, or whose end it awaits, is not lost', async () => {
  const { failures, ...counts } = await outcomeOf(
    'ended',
    `test('by a signal', async () => { gateway.signal('SIGTERM'); expect(await gateway.exited).toBe(0) })
test('another', async () => {
  const other = await startGateway()
  await other.kill()
  await other.stop()
})`,
  )
  expect({ ...counts, failures }).toEqual({ passed: 2, notRun: 0, failures: [] })
})
