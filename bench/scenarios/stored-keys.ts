// The same traffic of the same 100 keys, with 10 and with a million other keys in the store.
import { alternate, columnsPer, ratioOf, rowsOf, type Work } from '../harness/compare.ts'
import { createHome } from '../harness/home.ts'
import { type Scenario, times, verdict } from '../harness/scenario.ts'
import { startGateway, startUpstream } from '../harness/servers.ts'
import { jsonPath, smallRequest } from '../harness/wire.ts'

const MILLION = 1_000_000
const FEW = '10 others'
const LOTS = '1,000,000 others'
const REQUESTS = 6_000

export const storedKeys: Scenario = {
  number: 7,
  title: '10 and 1,000,000 stored keys beside 100 active ones',
  async run(options) {
    const requests = options.quick ? REQUESTS / 4 : REQUESTS
    const work: Work = {
      upstreamPath: jsonPath,
      body: smallRequest('bench', false),
      connections: 32,
      unitsPerRequest: 1,
      requests,
      warmUp: requests,
    }
    const upstream = await startUpstream()
    const few = await createHome(upstream, jsonPath, 10)
    const lots = await createHome(upstream, jsonPath, options.quick ? MILLION / 10 : MILLION)
    try {
      const small = await startGateway(few, FEW)
      const large = await startGateway(lots, LOTS)
      try {
        const figures = await alternate([small, large], few, work, options)
        const ratio = ratioOf(figures, LOTS)
        return {
          columns: columnsPer('request'),
          rows: rowsOf(figures),
          verdicts: [verdict('1,000,000 stored keys: CPU per request, to 10', ratio, 1.1, times)],
        }
      } finally {
        await small.stop()
        await large.stop()
      }
    } finally {
      await upstream.stop()
      few.remove()
      lots.remove()
    }
  },
}
