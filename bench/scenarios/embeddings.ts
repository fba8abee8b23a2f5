// Embeddings of one text, and of a batch whose response is megabytes of numbers.
import { columnsPer, compare, ratioOf, rowsOf } from '../harness/compare.ts'
import { VECTORS } from '../harness/home.ts'
import { type Scenario, times, verdict } from '../harness/scenario.ts'
import { embeddingRequest, vectorsPath, vectorsReply } from '../harness/wire.ts'

type Batch = { inputs: number; dimensions: number; connections: number; requests: number }

function embeddings(number: number, { inputs, dimensions, connections, requests }: Batch): Scenario {
  const title = `Embeddings, ${inputs} ${inputs === 1 ? 'input' : 'inputs'}`
  return {
    number,
    title,
    async run(options) {
      const body = embeddingRequest('bench', inputs)
      const count = options.quick ? requests / 4 : requests
      const work = { upstreamPath: vectorsPath(inputs, dimensions), body, connections, unitsPerRequest: 1 }
      const translated = { path: '/v1/embeddings', body, mark: '"total_tokens"' }
      const reply = vectorsReply(inputs, dimensions)
      const figures = await compare(
        { ...work, translated, reply, model: VECTORS, requests: count, turns: 5, warmUp: count },
        options,
      )
      return {
        columns: columnsPer('request'),
        rows: rowsOf(figures),
        verdicts: [verdict(`${title}: CPU per request, to bare`, ratioOf(figures, 'gateway'), 2.5, times)],
      }
    },
  }
}

export const oneEmbedding = embeddings(19, { inputs: 1, dimensions: 1_536, connections: 32, requests: 10_000 })
/** 6 MB. */
export const manyEmbeddings = embeddings(20, { inputs: 512, dimensions: 512, connections: 4, requests: 200 })
