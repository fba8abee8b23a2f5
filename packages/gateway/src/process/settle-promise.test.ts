import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** In a process of its own: tests have looked up most methods before. */
const SCRIPT = `
  import { jscDescribe } from 'bun:jsc'
  import { settlePromise } from ${JSON.stringify(join(import.meta.dir, 'settle-promise.ts'))}
  const structure = () => /Structure 0x[0-9a-f]+/.exec(jscDescribe(Promise))?.[0]
  if (process.argv[1] === 'settled') settlePromise()
  const before = structure()
  const used = [Promise.allSettled, Promise.race, Promise.any, Promise.withResolvers]
  console.log(before === undefined ? 'unknown' : before === structure() ? 'the same' : 'changed')
`

test.each([
  ['as it is', 'changed'],
  ['settled', 'the same'],
])('the first use of its methods leaves Promise, %s: %s', (state, expected) => {
  const { stdout } = Bun.spawnSync([process.execPath, '-e', SCRIPT, state])
  expect(stdout.toString().trim()).toBe(expected)
})
