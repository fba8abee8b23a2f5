import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** In a process of its own: tests have looked up most methods before. */
const SCRIPT = `
  import { jscDescribe } from 'bun:jsc'
  import { settleBuiltins } from ${JSON.stringify(join(import.meta.dir, 'settle-builtins.ts'))}
  const builtins = [Promise, Number, String, Buffer]
  const structures = () => builtins.map((each) => /Structure 0x[0-9a-f]+/.exec(jscDescribe(each))?.[0])
  const use = () => [Promise.allSettled, Promise.race, Promise.any, Number.isSafeInteger, String.raw, Buffer.compare]
  if (process.argv[1] === 'settle') settleBuiltins()
  const before = structures()
  use()
  const after = structures()
  console.log(JSON.stringify(builtins.map((_, index) => before[index] !== after[index])))
`

test.each([
  ['', [true, true, true, true]],
  ['settle', [false, false, false, false]],
])('%s: whether the first use of a method changes its object', (argument, changed) => {
  const { stdout } = Bun.spawnSync([process.execPath, '-e', SCRIPT, argument])
  expect(JSON.parse(stdout.toString())).toEqual(changed)
})
