// Unstreamed chat: a small request, and an agent's large one with its tools.
import { columnsPer, compare, ratioOf, rowsOf } from '../harness/compare.ts'
import { type Scenario, times, verdict } from '../harness/scenario.ts'
import { agentRequest, jsonPath, smallRequest } from '../harness/wire.ts'

const CONNECTIONS = 32
const TURNS = 10

function unstreamed(number: number, title: string, body: string, requests: number, limit: number): Scenario {
  return {
    number,
    title: `${title}, ${body.length < 10_000 ? `${body.length} bytes` : `${Math.round(body.length / 1000)} KB`}`,
    async run(options) {
      const count = options.quick ? requests / 4 : requests
      const work = { upstreamPath: jsonPath, body, connections: CONNECTIONS, unitsPerRequest: 1 }
      // The warm-up lets the JIT compile the hot paths. The speed of a shared machine varies by a third for seconds: rounds take
      // longer than that, turns less.
      const figures = await compare({ ...work, requests: count, turns: TURNS, warmUp: 3 * count }, options)
      const target = `${title}: CPU per request, to bare`
      return {
        columns: columnsPer('request'),
        rows: rowsOf(figures),
        verdicts: [verdict(target, ratioOf(figures, 'gateway'), limit, times)],
      }
    },
  }
}

export const smallJson = unstreamed(1, 'JSON chat, small request', smallRequest('bench', false), 30_000, 2.8)
export const largeJson = unstreamed(2, 'JSON chat, 24 tools', agentRequest('bench', false), 15_000, 2.7)
