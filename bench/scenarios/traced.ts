// What traces cost: the same gateway without them, with all requests sampled, and with none.
import { alternate, columnsPer, ratioOf, rowsOf } from '../harness/compare.ts'
import { createHome, type GatewayHome } from '../harness/home.ts'
import { type Scenario, times, verdict } from '../harness/scenario.ts'
import type { Server } from '../harness/server.ts'
import { startGateway, startUpstream } from '../harness/servers.ts'
import { jsonPath, smallRequest } from '../harness/wire.ts'

const REQUESTS = 30_000

export const traced: Scenario = {
  number: 16,
  title: 'JSON chat, small request, with and without traces',
  async run(options) {
    const count = options.quick ? REQUESTS / 4 : REQUESTS
    const work = { upstreamPath: jsonPath, body: smallRequest('bench', false), connections: 32, unitsPerRequest: 1 }
    const upstream = await startUpstream()
    const collector = Bun.serve({
      port: 0,
      async fetch(request) {
        await request.arrayBuffer()
        return Response.json({})
      },
    })
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` }
    const homes: GatewayHome[] = []
    const servers: Server[] = []
    const add = async (name: string, env: Record<string, string>) => {
      const home = await createHome(upstream, jsonPath)
      homes.push(home)
      servers.push(await startGateway(home, name, undefined, env))
      return home
    }
    try {
      const home = await add('no traces', {})
      await add('all traced', traces)
      await add('none sampled', { ...traces, OTEL_TRACES_SAMPLER: 'always_off' })
      const figures = await alternate(
        servers,
        home,
        { ...work, requests: count, turns: 10, warmUp: 3 * count },
        options,
      )
      const target = 'Traces of all requests: CPU per request, to none'
      return {
        columns: columnsPer('request'),
        rows: rowsOf(figures),
        verdicts: [verdict(target, ratioOf(figures, 'all traced'), 1.05, times)],
      }
    } finally {
      for (const server of [...servers, upstream]) await server.stop()
      for (const each of homes) each.remove()
      await collector.stop(true)
    }
  },
}
