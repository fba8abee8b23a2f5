// Upstreams over TLS, as vendors are called, beside the same over plain http: unstreamed chat.
import { columnsPer, compare, type Figures, ratioOf, rowsOf, type Work } from '../harness/compare.ts'
import { type BenchOptions, type Outcome, type Scenario, times, type Verdict, verdict } from '../harness/scenario.ts'
import type { UpstreamProtocol } from '../harness/server.ts'
import { agentRequest, jsonPath, smallRequest } from '../harness/wire.ts'

const PROTOCOLS: readonly UpstreamProtocol[] = ['http', 'https/1.1', 'https/2']

type Case = { name: string; work: Omit<Work, 'protocol'>; limit: number }

export const httpsJson: Scenario = {
  number: 11,
  title: 'JSON chat by the protocol of the upstream',
  run: (options) => overEach([json('small request', smallRequest), json('24 tools', agentRequest)], 'request', options),
}

function json(name: string, request: (model: string, stream: boolean) => string): Case {
  const counts = { connections: 32, requests: 10_000, turns: 5, warmUp: 60_000, unitsPerRequest: 1 }
  return { name, work: { upstreamPath: jsonPath, body: request('bench', false), ...counts }, limit: 2.9 }
}

async function overEach(cases: readonly Case[], unit: string, options: BenchOptions): Promise<Outcome> {
  const rows: string[][] = []
  const verdicts: Verdict[] = []
  for (const { name, work, limit } of cases) {
    for (const protocol of PROTOCOLS) {
      options.say(`  ${name} over ${protocol}`)
      const figures: Figures[] = await compare({ ...shortened(work, options), protocol }, options)
      rows.push(...rowsOf(figures).map((row) => [name, protocol, ...row]))
      const target = `${name} over ${protocol}: CPU per ${unit}, to bare`
      verdicts.push(verdict(target, ratioOf(figures, 'gateway'), limit, times))
    }
  }
  return { columns: ['', 'upstream', ...columnsPer(unit)], rows, verdicts }
}

const shortened = <T extends Pick<Work, 'requests' | 'warmUp' | 'connections'>>(work: T, { quick }: BenchOptions): T =>
  quick ? { ...work, requests: Math.max(work.connections, work.requests / 4), warmUp: work.warmUp / 4 } : work
