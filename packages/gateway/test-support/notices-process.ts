// For tests: one run of the jobs of notices in a process of its own, which kills itself at a step. `TRIVIUM_TEST_STEP`: before or after the
// call with this number, of those that write, or not at all.

import { openStore, type StoreEngine } from './clocked-store.ts'
import { noticeNode, noticesConfig } from './notices.ts'

type Run = { engine: StoreEngine; place: string; now: number; mailPort: number; step: number }
const { engine, place, now, mailPort, step } = JSON.parse(process.argv[2] ?? '{}') as Run

const storage = await openStore(engine, place, () => now)
let steps = 0
const passStep = (): void => {
  steps += 1
  if (steps === step) process.kill(process.pid, 'SIGKILL')
}
const killing = <T extends object>(noun: T, names: readonly string[]): T =>
  new Proxy(noun, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function' || !names.includes(String(name))) return value
      return async (...given: unknown[]) => {
        passStep()
        const result: unknown = await Reflect.apply(value, target, given)
        passStep()
        return result
      }
    },
  })
const stepped = {
  ...storage,
  notices: killing(storage.notices, ['tell', 'mark', 'claim', 'record']),
  meta: killing(storage.meta, ['set']),
}
const node = noticeNode(
  () => stepped,
  () => noticesConfig(mailPort),
)
await node.run()
await storage.close()
// How many there are.
console.log(steps)
