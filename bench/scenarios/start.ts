// From the start of the process to the first `/ready` with 200, on SQLite, the way `npm start` does it.
import { join } from 'node:path'
import { createHome, type GatewayHome, gatewayEnvironment } from '../harness/home.ts'
import { median } from '../harness/measure.ts'
import { childOf, freePort } from '../harness/processes.ts'
import { millis, type Scenario, verdict } from '../harness/scenario.ts'
import { untilReady } from '../harness/servers.ts'
import { jsonPath } from '../harness/wire.ts'

const LAUNCHER = join(import.meta.dir, '../../tools/run.mjs')

export const start: Scenario = {
  number: 6,
  title: 'Start to serving on SQLite',
  async run({ rounds, say }) {
    const [first, again]: number[][] = [[], []]
    for (let round = 1; round <= rounds; round++) {
      const home = await createHome({ url: 'http://127.0.0.1:1', protocol: 'http' }, jsonPath)
      try {
        first?.push(await startOnce(home))
        again?.push(await startOnce(home))
      } finally {
        home.remove()
      }
      say(`  round ${round}: ${millis(first?.at(-1) ?? Number.NaN)}, then ${millis(again?.at(-1) ?? Number.NaN)}`)
    }
    const [firstMs, againMs] = [median(first ?? []), median(again ?? [])]
    const worst = Math.max(firstMs, againMs)
    return {
      columns: ['', 'from launch to ready'],
      rows: [
        ['first start', millis(firstMs)],
        ['start after a kill', millis(againMs)],
      ],
      verdicts: [verdict('start to serving, launcher included', worst, 1_000, millis)],
    }
  },
}

async function startOnce(home: GatewayHome): Promise<number> {
  const port = await freePort()
  const from = performance.now()
  const child = childOf('start', ['node', LAUNCHER, 'serve'], gatewayEnvironment(home, port))
  try {
    await untilReady(port, child)
    return performance.now() - from
  } finally {
    // The gateway ends with the launcher, and must release its folder before the next start.
    await child.stop()
    while (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)) await Bun.sleep(20)
  }
}
