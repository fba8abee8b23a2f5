// The last turn of a long chain of responses, beside one request that has the same history in it.
import { createHomeWith } from '../harness/home.ts'
import { cpuMicros, median } from '../harness/measure.ts'
import { millis, type Scenario, times, verdict } from '../harness/scenario.ts'
import { startGateway } from '../harness/servers.ts'

const TURNS = 200
const PER_SAMPLE = 10
const WORDS = 60
const MODEL = 'sandbox-text'

type Item = { role: string; content: unknown }
type Body = { input: string | Item[]; previous_response_id?: string; store?: boolean }
type Answer = { id: string; store: boolean; output: Item[] }

export const chain: Scenario = {
  number: 13,
  title: `Responses: the last of ${TURNS} chained turns, and the same history in one request`,
  async run({ rounds, quick, say }) {
    const home = await createHomeWith('sandbox: true\n')
    const gateway = await startGateway(home)
    try {
      const respond = async (body: Body): Promise<Answer> => {
        const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/responses`, {
          method: 'POST',
          headers: { authorization: `Bearer ${home.keys[0]}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: MODEL, ...body }),
        })
        if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
        return (await response.json()) as Answer
      }
      const { last, history } = await buildChain(respond)
      const input = textOf(TURNS)
      const whole: Body = { input: [...history, { role: 'user', content: input }] }
      const requests = { chained: { input, previous_response_id: last }, whole, unstored: { ...whole, store: false } }
      const cpu = async (name: keyof typeof requests): Promise<number> => {
        const before = cpuMicros(gateway.pid)
        for (let count = 0; count < PER_SAMPLE; count++) await respond(requests[name])
        return (cpuMicros(gateway.pid) - before) / PER_SAMPLE / 1_000
      }
      const samples = { chained: [] as number[], whole: [] as number[], unstored: [] as number[] }
      // One more at first, to warm up.
      for (let round = 0; round <= (quick ? 3 : 2 * rounds); round++) {
        const figures = { chained: await cpu('chained'), whole: await cpu('whole'), unstored: await cpu('unstored') }
        const { chained, whole, unstored } = figures
        say(`  ${[chained, whole, unstored].map(millis).join(', ')}`)
        if (round === 0) continue
        samples.chained.push(chained)
        samples.whole.push(whole)
        samples.unstored.push(unstored)
      }
      const ratio = median(samples.chained.map((each, index) => each / (samples.whole[index] ?? Number.NaN)))
      const row = (label: string, name: keyof typeof samples) => [label, millis(median(samples[name]))]
      return {
        columns: [`${Math.round(JSON.stringify(whole).length / 1024)} KB`, 'CPU per request'],
        rows: [
          row('last turn of the chain, stored', 'chained'),
          row('the same history in one request, stored', 'whole'),
          row('the same history in one request, store: false', 'unstored'),
        ],
        verdicts: [verdict('last turn of a chain: CPU, to the same history in one request', ratio, 1.2, times)],
      }
    } finally {
      await gateway.stop()
      home.remove()
    }
  },
}

const textOf = (turn: number): string => `Turn ${turn}. ${'Some words of a question. '.repeat(16)} Say ${WORDS} words.`

/** All turns but the last, and the items that the last one continues from. */
async function buildChain(respond: (body: Body) => Promise<Answer>): Promise<{ last: string; history: Item[] }> {
  const history: Item[] = []
  let last: Answer | undefined
  for (let turn = 1; turn < TURNS; turn++) {
    const input = textOf(turn)
    last = await respond({ input, ...(last ? { previous_response_id: last.id } : {}) })
    if (!last.store) throw new Error('the response is not stored')
    history.push({ role: 'user', content: input }, ...last.output)
  }
  return { last: last?.id ?? '', history }
}
