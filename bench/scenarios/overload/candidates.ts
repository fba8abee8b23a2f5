// What choosing among fifty candidates costs, compared with one. Both models are in one gateway, because two processes with
// the same code differ by more than that.
import { createHomeWith } from '../../harness/home.ts'
import { cpuMicros, median } from '../../harness/measure.ts'
import { micros, type Scenario, times, verdict } from '../../harness/scenario.ts'
import { startGateway, startUpstream } from '../../harness/servers.ts'
import { CHAT, jsonPath, smallRequest } from '../../harness/wire.ts'
import { load } from '../../load/load.ts'

const MANY = 50
const MOST = 1.05

function config(url: string): string {
  const ids = Array.from({ length: MANY }, (_, index) => `upstream-${index}`)
  const entries = ids.map((id) => `  - { id: ${id}, dialect: chat, base_url: "${url}", keys: ["key-of-${id}"] }`)
  const routes = ids.map((id) => `{ upstream: ${id} }`).join(', ')
  const price = 'price: { input: 2.00, output: 8.00 }'
  return `
sandbox: false
upstreams:
${entries.join('\n')}
models:
  - { id: by-one, routes: [{ upstream: upstream-0 }], ${price} }
  - { id: by-many, routes: [${routes}], ${price} }
`
}

type Model = { id: string; count: number; micros: number[] }

export const candidates: Scenario = {
  number: 3,
  title: `1 and ${MANY} candidates for a model`,
  async run({ quick, say }) {
    const upstream = await startUpstream()
    const home = await createHomeWith(config(`http://127.0.0.1:${upstream.port}${jsonPath}`))
    const gateway = await startGateway(home, 'gateway')
    const one: Model = { id: 'by-one', count: 1, micros: [] }
    const many: Model = { id: 'by-many', count: MANY, micros: [] }
    const rounds = quick ? 4 : 16
    // Long rounds, because CPU caches and connections of a model are cold when its turn comes.
    const requests = 20_000
    const ask = async ({ id }: Model) => {
      const target = { host: '127.0.0.1', port: gateway.port, path: `/v1${CHAT}`, keys: home.keys }
      const before = cpuMicros(gateway.pid)
      await load({ ...target, body: smallRequest(id, false), connections: 32, requests, reader: 'reads' })
      return (cpuMicros(gateway.pid) - before) / requests
    }
    try {
      for (let warming = 0; warming < 2; warming++) for (const model of [one, many]) await ask(model)
      for (let round = 1; round <= rounds; round++) {
        say(`   round ${round} of ${rounds}`)
        // Alternating order: the first of a round finds the machine in another state.
        for (const model of round % 2 === 0 ? [many, one] : [one, many]) model.micros.push(await ask(model))
      }
    } finally {
      await gateway.stop()
      home.remove()
      await upstream.stop()
    }
    const ratio = median(many.micros.map((value, round) => value / (one.micros[round] ?? Number.NaN)))
    return {
      columns: ['candidates', 'CPU per request'],
      rows: [one, many].map(({ count, micros: values }) => [String(count), micros(median(values))]),
      verdicts: [verdict(`${MANY} candidates: CPU per request, to one`, ratio, MOST, times)],
    }
  },
}
