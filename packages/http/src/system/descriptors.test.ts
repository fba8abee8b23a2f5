import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { maxClientConnections, maxIdleUpstreamConnections } from './descriptors.ts'

test.each([
  [300, 94],
  [1_024, 384],
  [20_000, 7_974],
  [1_048_576, 65_536],
  [10, 1],
])('of %d descriptors clients get %d', (limit, most) => {
  expect(maxClientConnections(limit)).toBe(most)
  // All of them answered at once, with an upstream each.
  if (limit > 100) expect(2 * most + maxIdleUpstreamConnections(limit)).toBeLessThanOrEqual(limit - 60)
})

test.each([
  [20_000, 500, 500],
  [20_000, 10_000, 10_000],
  [20_000, 19_000, 17_942],
  [1_048_576, 65_536, 65_536],
])('of %d descriptors an operator wants %d for clients, who get %d: at most nine tenths', (limit, wanted, most) => {
  expect(maxClientConnections(limit, wanted)).toBe(most)
})

if (process.platform !== 'win32')
  test('the limit is that of the process', () => {
    const script = `const { descriptorLimit } = await import('${join(import.meta.dir, 'descriptors.ts')}'); console.log(descriptorLimit())`
    const told = Bun.spawnSync(['sh', '-c', `ulimit -n 300 && exec "$0" -e "$1"`, process.execPath, script])
    expect(String(told.stdout)).toBe('300\n')
  })
