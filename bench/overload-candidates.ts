// One way to a model, or fifty: what the choice costs.
import { createHomeWith, type GatewayHome } from './home.ts'
import { load } from './load.ts'
import { cpuMicros, median } from './measure.ts'
import { micros, type Scenario, times, verdict } from './scenario.ts'
import { type Server as Started, startGateway, startUpstream } from './servers.ts'
import { CHAT, jsonPath, smallRequest } from './wire.ts'

const COUNTS = [1, 50] as const
const MOST = 1.05

const config = (count: number, url: string): string => {
  const ids = Array.from({ length: count }, (_, index) => `way-${index}`)
  const entries = ids.map((id) => `  - { id: ${id}, dialect: chat, base_url: "${url}", keys: ["key-of-${id}"] }`)
  const routes = ids.map((id) => `{ upstream: ${id} }`).join(', ')
  return `
sandbox: false
upstreams:
${entries.join('\n')}
models:
  - { id: bench, routes: [${routes}], price: { input: 2.00, output: 8.00 } }
`
}

type Server = { count: number; home: GatewayHome; gateway: Started; micros: number[] }

export const candidates: Scenario = {
  number: 3,
  title: '1 and 50 candidates for a model',
  async run({ quick, say }) {
    const upstream = await startUpstream()
    const url = `http://127.0.0.1:${upstream.port}${jsonPath}`
    const servers: Server[] = []
    for (const count of COUNTS) {
      const home = await createHomeWith(config(count, url))
      servers.push({ count, home, gateway: await startGateway(home, `${count} candidates`), micros: [] })
    }
    const rounds = quick ? 8 : 40
    const requests = 2_000
    const ask = async ({ home, gateway }: Server) => {
      const target = { host: '127.0.0.1', port: gateway.port, path: `/v1${CHAT}`, keys: home.keys }
      const before = cpuMicros(gateway.pid)
      await load({ ...target, body: smallRequest('bench', false), connections: 32, requests, reader: 'reads' })
      return (cpuMicros(gateway.pid) - before) / requests
    }
    try {
      for (const server of servers) for (let times = 0; times < 8; times++) await ask(server)
      for (let round = 1; round <= rounds; round++) {
        say(`   round ${round} of ${rounds}`)
        // Whoever begins meets another machine than whoever follows.
        for (const server of round % 2 === 0 ? servers.toReversed() : servers) server.micros.push(await ask(server))
      }
    } finally {
      for (const { gateway, home } of servers) {
        await gateway.stop()
        home.remove()
      }
      await upstream.stop()
    }
    const [one, many] = servers.map((server) => server.micros)
    const ratio = median((many ?? []).map((value, round) => value / (one?.[round] ?? Number.NaN)))
    return {
      columns: ['candidates', 'CPU per request'],
      rows: servers.map(({ count, micros: values }) => [String(count), micros(median(values))]),
      verdicts: [verdict('50 candidates: CPU per request, to one', ratio, MOST, times)],
    }
  },
}
